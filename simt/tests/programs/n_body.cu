// All-pairs gravity: bodies are read as float4 into shared memory, a tile at a time.

#include <cmath>
#include <cstdio>
#include <vector>

const int P = 64;
const float SOFTENING = 1e-3f;

__device__ float3 body_body(float4 bi, float4 bj, float3 ai) {
  float3 r;
  r.x = bj.x - bi.x;
  r.y = bj.y - bi.y;
  r.z = bj.z - bi.z;
  float dist_sqr = r.x * r.x + r.y * r.y + r.z * r.z + SOFTENING;
  float inv_dist = rsqrtf(dist_sqr);
  float s = bj.w * inv_dist * inv_dist * inv_dist;
  ai.x += r.x * s;
  ai.y += r.y * s;
  ai.z += r.z * s;
  return ai;
}

__global__ void __launch_bounds__(P) accelerations(const float4* bodies, float3* out, int n) {
  __shared__ float4 tile[P];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 mine = bodies[i];
  float3 acc = {0.0f, 0.0f, 0.0f};
  for (int first = 0; first < n; first += P) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < P; ++j) acc = body_body(mine, tile[j], acc);
    __syncthreads();
  }
  out[i] = acc;
}

int main() {
  const int n = 4 * P;
  std::vector<float4> bodies(n);
  for (int i = 0; i < n; ++i)
    bodies[i] = make_float4(std::sin(1.0f * i), std::cos(2.0f * i), std::sin(3.0f * i + 1.0f), 1.0f);
  std::vector<float3> acc(n);
  float4* d_bodies;
  float3* d_acc;
  cudaMalloc(&d_bodies, n * sizeof(float4));
  cudaMalloc(&d_acc, n * sizeof(float3));
  cudaMemcpy(d_bodies, bodies.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
  accelerations<<<n / P, P>>>(d_bodies, d_acc, n);
  cudaMemcpy(acc.data(), d_acc, n * sizeof(float3), cudaMemcpyDeviceToHost);
  double worst = 0.0;
  for (int i = 0; i < n; ++i) {
    double x = 0, y = 0, z = 0;
    for (int j = 0; j < n; ++j) {
      const double dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y,
                   dz = bodies[j].z - bodies[i].z;
      const double inv = 1.0 / std::sqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
      x += dx * inv * inv * inv;
      y += dy * inv * inv * inv;
      z += dz * inv * inv * inv;
    }
    worst = std::fmax(worst, std::fabs(acc[i].x - x) + std::fabs(acc[i].y - y) + std::fabs(acc[i].z - z));
  }
  cudaFree(d_bodies);
  cudaFree(d_acc);
  std::printf("worst error %g\n", worst);
  return worst < 0.1 ? 0 : 1;
}
