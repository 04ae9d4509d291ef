// Inline PTX in the bodies of macros: one runs, one is not used, and one is refused where it is.
#define EX2(y, x) asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x))
#define NOT_USED() asm volatile("bar.sync 0;")
#define LANE(id) asm volatile("mov.u32 %0, %%smid;" : "=r"(id))
__global__ void lane(float* out) {
  float y;
  EX2(y, 3.0f);
  int id;
  LANE(id);
  out[threadIdx.x] = y + id;
}
int main() { return 0; }
