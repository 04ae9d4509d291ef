#include <mma.h>
using namespace nvcuda;
__global__ void four_bits(const int* from) {
  using Bits = wmma::experimental::precision::s4;
  wmma::fragment<wmma::matrix_a, 8, 8, 32, Bits, wmma::row_major> a;
  wmma::load_matrix_sync(a, from, 32);
}
int main() { four_bits<<<1, 32>>>(nullptr); }
