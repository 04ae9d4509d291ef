__device__ int lane() { int x; asm volatile("mov.u32 %0, %smid;" : "=r"(x)); __asm__ goto(""); asm; return x; }
