// Headers that no version of Thrust and CUB has stand for those of packages that are not installed.
#include <cub/no_such_header.cuh>
#include <thrust/async/reduce.h>
#include <thrust/no_such_header.h>

int main() {}
