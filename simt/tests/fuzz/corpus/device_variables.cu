__constant__ float mask[kWidth], scale = 1.0f;
static __device__ int (*table)[3];
__managed__ int counter{0};
namespace n { extern __device__ int far; __device__ int f(int), g = 2; }
struct S { static __device__ int member; };
