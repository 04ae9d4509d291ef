__global__ void lane(int* out) {
  int id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  out[threadIdx.x] = id;
}
int main() { return 0; }
