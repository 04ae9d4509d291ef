// Thrust's algorithms with functors and lambdas of the program, on vectors, pointers and iterators
// that compute; what a kernel makes of a vector's memory in between.
#include <cstdio>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <thrust/universal_vector.h>

int failures = 0;

void expect(bool holds, int line) {
  if (holds) return;
  std::printf("line %d\n", line);
  ++failures;
}
#define EXPECT(condition) expect(condition, __LINE__)

struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};

struct Draw {
  __host__ __device__ float operator()(unsigned n) const {
    thrust::default_random_engine engine;
    engine.discard(n);
    return thrust::uniform_real_distribution<float>(0, 1)(engine);
  }
};

// One side of the machine computes something else.
struct Side {
  __host__ __device__ int operator()(int) const {
#ifdef __CUDA_ARCH__
    return 1;
#else
    return 0;
#endif
  }
};

__global__ void double_all(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

void test_vectors() {
  constexpr int kCount = 1000;
  thrust::device_vector<float> x(kCount);
  EXPECT(x[999] == 0);
  thrust::sequence(x.begin(), x.end(), 0.0f, 0.5f);
  double_all<<<4, 256>>>(thrust::raw_pointer_cast(x.data()), kCount);
  EXPECT(thrust::reduce(x.begin(), x.end()) == 499500);
  EXPECT(thrust::transform_reduce(x.begin(), x.begin() + 4, Square(), 0.0f,
                                  thrust::plus<float>()) == 14);
  thrust::fill(x.begin(), x.begin() + 3, 5.0f);
  const float five = 5;
  EXPECT(thrust::count_if(x.begin(), x.end(),
                          [five] __host__ __device__(float each) { return each == five; }) == 4);
  const thrust::host_vector<float> copied = x;
  EXPECT(copied[999] == 999);
  thrust::device_vector<double> converted(copied.begin(), copied.end());
  converted.insert(converted.begin(), 7.0);
  converted.resize(1002, 3.0);
  EXPECT(converted[0] == 7 && converted[1000] == 999 && converted[1001] == 3);
  thrust::universal_vector<int> both(8, 2);
  both[3] = 7;
  EXPECT(thrust::reduce(both.begin(), both.end()) == 21);
}

void test_keys() {
  const int keys[] = {3, 1, 2, 1};
  const char letters[] = {'c', 'a', 'b', 'x'};
  thrust::device_vector<int> key(keys, keys + 4);
  thrust::device_vector<char> letter(letters, letters + 4);
  thrust::stable_sort_by_key(key.begin(), key.end(), letter.begin());
  EXPECT(letter[0] == 'a' && letter[1] == 'x' && letter[2] == 'b' && letter[3] == 'c');
  thrust::device_vector<int> found(4);
  thrust::device_vector<int> count(4);
  const auto ends = thrust::reduce_by_key(key.begin(), key.end(), thrust::make_constant_iterator(1),
                                          found.begin(), count.begin());
  EXPECT(ends.first - found.begin() == 3);
  EXPECT(found[0] == 1 && count[0] == 2 && found[2] == 3);
  EXPECT(thrust::unique(key.begin(), key.end()) - key.begin() == 3);
  EXPECT(thrust::lower_bound(key.begin(), key.begin() + 3, 3) - key.begin() == 2);
}

void test_iterators() {
  thrust::device_vector<int> number(8, 1);
  thrust::device_vector<int> sum(8);
  thrust::inclusive_scan(number.begin(), number.end(), sum.begin());
  EXPECT(sum[7] == 8);
  thrust::exclusive_scan(number.begin(), number.end(), number.begin(), 3);
  EXPECT(number[0] == 3 && number[7] == 10);
  const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(number.begin(), sum.begin()));
  thrust::for_each(pairs, pairs + 8, [] __device__(auto pair) {
    thrust::get<1>(pair) = thrust::get<0>(pair) * 10;
  });
  EXPECT(sum[7] == 100);
  thrust::sequence(number.begin(), number.end());
  const auto chosen = thrust::make_permutation_iterator(sum.begin(), number.begin() + 6);
  EXPECT(thrust::reduce(chosen, chosen + 2) == 190);
  const auto squares = thrust::make_transform_iterator(number.begin(), Square());
  EXPECT(thrust::reduce(squares, squares + 3) == 5);
  thrust::host_vector<float> copied(8);
  thrust::copy(squares, squares + 8, copied.begin());
  EXPECT(copied[7] == 49);
  thrust::device_vector<float> drawn(1000);
  const auto index = thrust::make_counting_iterator(0u);
  thrust::transform(index, index + 1000, drawn.begin(), Draw());
  thrust::host_vector<float> same(1000);
  thrust::transform(index, index + 1000, same.begin(), Draw());
  EXPECT(drawn == same);
  EXPECT(*thrust::max_element(drawn.begin(), drawn.end()) > 0.99f);
  EXPECT(thrust::transform_reduce(number.begin(), number.end(), Side(), 0, thrust::plus<int>()) ==
         8);
}

void test_pointers() {
  const thrust::device_ptr<int> p = thrust::device_malloc<int>(16);
  thrust::sequence(p, p + 16);
  thrust::sort(thrust::device, p.get(), p.get() + 16, thrust::greater<int>());
  p[3] += 5;
  int host[16];
  cudaMemcpy(host, p.get(), sizeof host, cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 15 && host[3] == 17);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  thrust::sort(thrust::cuda::par.on(stream), p, p + 16);
  cudaStreamDestroy(stream);
  EXPECT(p[15] == 17);
  thrust::device_free(p);
}

int main() {
  test_vectors();
  test_keys();
  test_iterators();
  test_pointers();
  std::printf("thrust_algorithms: %d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
