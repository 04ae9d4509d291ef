#include <cuda_fp4.h>
int main() { return 0; }
