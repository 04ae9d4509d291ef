// Conway's game of life on a torus; a glider flies for some generations.

#include <cstdio>
#include <vector>

typedef unsigned char ubyte;

__global__ void life_kernel(const ubyte *life, int width, int height, ubyte *result) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int alive = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx)
      if (dx != 0 || dy != 0)
        alive += life[(y + dy + height) % height * width + (x + dx + width) % width];
  result[y * width + x] = alive == 3 || (alive == 2 && life[y * width + x]) ? 1 : 0;
}

int main() {
  const int width = 48, height = 32, generations = 4 * 7;
  std::vector<ubyte> world(width * height, 0);
  const int glider[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
  for (auto &cell : glider) world[cell[1] * width + cell[0]] = 1;
  ubyte *d_from, *d_to;
  cudaMalloc(&d_from, world.size());
  cudaMalloc(&d_to, world.size());
  cudaMemcpy(d_from, world.data(), world.size(), cudaMemcpyHostToDevice);
  dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
  for (int g = 0; g < generations; ++g) {
    life_kernel<<<grid, block>>>(d_from, width, height, d_to);
    ubyte *swap = d_from;
    d_from = d_to;
    d_to = swap;
  }
  cudaMemcpy(world.data(), d_from, world.size(), cudaMemcpyDeviceToHost);
  cudaFree(d_from);
  cudaFree(d_to);
  int alive = 0, in_place = 0;
  for (ubyte cell : world) alive += cell;
  for (auto &cell : glider) in_place += world[(cell[1] + 7) * width + cell[0] + 7];
  printf("%d cells live, %d where the glider should be\n", alive, in_place);
  return alive == 5 && in_place == 5 ? 0 : 1;
}
