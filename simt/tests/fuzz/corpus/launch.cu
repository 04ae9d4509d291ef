__global__ void kernel(float* x) { x[threadIdx.x] = 1; }
void f(float* x) { kernel<<<dim3(1, 2), 32, 4 * 8, stream>>>(x); }
