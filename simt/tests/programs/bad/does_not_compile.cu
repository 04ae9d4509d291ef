__global__ void kernel(int* out) { out[threadIdx.x] = not_declared; }
int main() { return 0; }
