__global__ void __launch_bounds__(256, 2) kernel(float* x) { x[0] = 1; }
__global__ void __launch_bounds__(kThreads) declared(float* x);
__launch_bounds__(
