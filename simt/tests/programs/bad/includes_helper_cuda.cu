// As NVIDIA's samples do, whose folder Common has it.
#include <helper_cuda.h>

int main() {}
