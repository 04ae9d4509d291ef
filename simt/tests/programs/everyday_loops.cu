// Lanes that part as they do in programs: a search of text, a frontier of a graph, a stack, a queue.
// The 12 kernels were written after the rules by which lanes meet, and are as they were before anyone
// had seen what Nsight Compute counts of them. parted_lanes.cu has those that the rules come from.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 64;
constexpr int kBlocks = 2;
constexpr int kValues = 1 << 15;

__device__ int place() { return blockIdx.x * kThreads + threadIdx.x; }

// Knuth-Morris-Pratt of a pattern in a stretch of text of each thread.
__global__ void find_pattern(const int* x, int* y) {
  int found = 0, matched = 0;
  const int* text = x + place() * 200;
#pragma unroll 1
  for (int i = 0; i < 200; ++i) {
    const int letter = text[i] % 3;
    while (matched > 0 && x[matched + 30000] % 3 != letter) matched = x[matched + 31000] % matched;
    if (x[matched + 30000] % 3 == letter) ++matched;
    if (matched == 5) {
      ++found;
      matched = x[5 + 31000] % 5;
    }
  }
  y[place()] = found;
}

// n queens by bits, with a stack of its own.
__global__ void queens(const int* x, int* y) {
  constexpr int n = 6;
  int columns[n], left[n], right[n], open[n];
  int row = 0, solutions = 0;
  columns[0] = x[place()] & 63;
  left[0] = right[0] = 0;
  open[0] = 63 & ~columns[0];
#pragma unroll 1
  while (row >= 0) {
    if (open[row] == 0) {
      --row;
      continue;
    }
    const int bit = open[row] & -open[row];
    open[row] ^= bit;
    if (row == n - 1 || columns[row] == 63) {
      solutions += x[solutions & 1023] & 1;
      ++solutions;
      if (solutions > 20) break;
      continue;
    }
    columns[row + 1] = columns[row] | bit;
    left[row + 1] = (left[row] | bit) << 1;
    right[row + 1] = (right[row] | bit) >> 1;
    ++row;
    open[row] = 63 & ~(columns[row] | left[row] | right[row]);
  }
  y[place()] = solutions;
}

// Runs of equal values are counted.
__global__ void run_lengths(const int* x, int* y) {
  int at = place() * 100, end = at + 100, longest = 0, runs = 0;
#pragma unroll 1
  while (at < end) {
    const int value = x[at] % 4;
    int length = 1;
    while (at + length < end && x[at + length] % 4 == value) ++length;
    if (length > longest) {
      longest = length;
      y[kThreads * kBlocks + place()] = at;
    }
    at += length;
    ++runs;
  }
  y[place()] = runs * 100 + longest;
}

// A breadth-first search's frontier over a graph of unequal degrees.
__global__ void expand_frontier(const int* x, int* y) {
  __shared__ int next[kThreads * 8];
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  const int node = x[place()] % 1000;
  const int first = x[node + 1000] * 20, degree = x[node + 2000] % 9;
#pragma unroll 1
  for (int edge = first; edge < first + degree; ++edge) {
    const int neighbour = x[edge % kValues];
    if (neighbour % 3 == 0) continue;
    const int slot = atomicAdd(&count, 1);
    if (slot < kThreads * 8) next[slot] = neighbour;
  }
  __syncthreads();
  int sum = 0;
#pragma unroll 1
  for (int i = threadIdx.x; i < min(count, kThreads * 8); i += kThreads) sum += next[i];
  y[place()] = sum;
}

// A ray through a grid until it hits something.
__global__ void march(const int* x, int* y) {
  float px = x[place()] * 0.05f, py = x[place() + 200] * 0.05f;
  const float dx = 0.3f + (x[place() + 400] % 7) * 0.1f, dy = 0.9f - dx * 0.3f;
  int steps = 0, hit = -1;
#pragma unroll 1
  for (; steps < 120; ++steps) {
    const int cell = (static_cast<int>(py) & 127) * 128 + (static_cast<int>(px) & 127);
    const int kind = x[cell] % 40;
    if (kind == 0) {
      hit = cell;
      break;
    }
    const float speed = kind < 10 ? 0.5f : 1.0f;
    px += dx * speed;
    py += dy * speed;
  }
  if (hit >= 0) {
    y[place()] = x[hit + 16384] + steps;
  } else {
    y[place()] = -1;
  }
}

// Union-find with path halving.
__global__ void find_roots(const int* x, int* y) {
  int roots = 0;
#pragma unroll 1
  for (int i = 0; i < 10; ++i) {
    int node = x[place() * 10 + i];
    while (true) {
      const int parent = x[node + 4000] % (node + 1);
      if (parent == node) break;
      const int grand = x[parent + 4000] % (parent + 1);
      if (grand == parent) {
        node = parent;
        break;
      }
      node = grand;
    }
    roots += node;
  }
  y[place()] = roots;
}

// Tokens of a line: words, numbers, strings.
__global__ void tokens(const int* x, int* y) {
  enum State { kBetween, kWord, kNumber, kString };
  State state = kBetween;
  int words = 0, numbers = 0, strings = 0, errors = 0;
#pragma unroll 1
  for (int i = 0; i < 150; ++i) {
    const int c = x[place() * 150 + i] % 10;
    if (state == kString) {
      if (c == 9) state = kBetween, ++strings;
      else if (c == 0) ++errors;
      continue;
    }
    if (c < 3) {
      if (state == kWord) ++words;
      if (state == kNumber) ++numbers;
      state = kBetween;
    } else if (c < 6) {
      if (state == kNumber) {
        errors += x[20000 + errors];
        break;
      }
      state = kWord;
    } else if (c < 9) {
      if (state == kBetween) state = kNumber;
    } else {
      state = kString;
    }
  }
  y[place()] = words + 10 * numbers + 100 * strings + errors;
}

// Newton's method until it has converged.
__global__ void newton(const int* x, int* y) {
  int total = 0;
#pragma unroll 1
  for (int i = 0; i < 8; ++i) {
    const float a = x[place() + i * 128];
    float r = a > 500 ? 20.0f : 5.0f;
    int n = 0;
#pragma unroll 1
    do {
      const float next = 0.5f * (r + a / r);
      const bool done = fabsf(next - r) < 1e-3f;
      r = next;
      ++n;
      if (done) break;
    } while (n < 30);
    total += n * x[n + 700];
  }
  y[place()] = total;
}

// Bisection in a sorted list of each thread, then a scan.
__global__ void quantiles(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int q = 0; q < 6; ++q) {
    const int wanted = x[place() + q * 128];
    int low = 0, high = 1000;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (middle * 1 + x[middle] % 2 <= wanted) low = middle;
      else high = middle;
    }
    if (low % 2 == 0) sum += x[low + 3000];
    else if (low % 3 == 0) sum -= x[low + 5000] * 2;
  }
  y[place()] = sum;
}

// Levenshtein's distance in a band that ends early.
__global__ void distance(const int* x, int* y) {
  int row[9];
#pragma unroll
  for (int j = 0; j < 9; ++j) row[j] = j;
  int i = 0, best = 9;
#pragma unroll 1
  for (; i < 40; ++i) {
    int diagonal = row[0];
    row[0] = i + 1;
    best = row[0];
    const int letter = x[place() * 40 + i] % 4;
#pragma unroll 1
    for (int j = 1; j < 9; ++j) {
      const int above = row[j];
      int cost = diagonal + (x[30000 + j] % 4 != letter);
      if (above + 1 < cost) cost = above + 1;
      if (row[j - 1] + 1 < cost) cost = row[j - 1] + 1;
      row[j] = cost;
      diagonal = above;
      if (cost < best) best = cost;
    }
    if (best > 6) break;
  }
  y[place()] = row[8] + i;
}

__device__ __noinline__ int weight(const int* x, int i) {
  if (i % 2 == 0) return x[i];
  int s = 0;
#pragma unroll 1
  for (int k = 0; k < i % 5; ++k) s += x[i + k * 3];
  return s;
}

__global__ void relax(const int* x, int* y) {
  int best = 1 << 20, at = -1;
#pragma unroll 1
  for (int i = 0; i < 25; ++i) {
    const int candidate = x[place() + i * 128];
    if (candidate > 900) continue;
    const int w = weight(x, candidate);
    if (w < best) {
      best = w;
      at = candidate;
    } else if (w == best) {
      at = min(at, candidate);
    }
    if (best < 5) break;
  }
  y[place()] = best + at;
}

__global__ void queue_of_own(const int* x, int* y) {
  int queue[16], head = 0, tail = 0, done = 0;
  queue[tail++] = x[place()];
#pragma unroll 1
  while (head != tail && done < 60) {
    const int job = queue[head++ & 15];
    ++done;
    switch (job % 4) {
      case 0:
        break;
      case 1:
        queue[tail++ & 15] = x[job];
        break;
      case 2:
        if (tail - head < 13) {
          queue[tail++ & 15] = x[job + 1000];
          queue[tail++ & 15] = x[job + 2000];
        }
        break;
      default:
        queue[tail++ & 15] = job / 2 + x[job + 3000] % 2;
    }
  }
  y[place()] = done * 32 + tail - head;
}

int main() {
  void (*kernels[])(const int*, int*) = {find_pattern, queens, run_lengths, expand_frontier, march, find_roots, tokens,
                                         newton, quantiles, distance, relax, queue_of_own};
  int* x;
  int* y;
  cudaMalloc(&x, kValues * sizeof(int));
  cudaMalloc(&y, 2 * kThreads * kBlocks * sizeof(int));
  for (unsigned state : {5u, 77u}) {
    std::vector<int> values(kValues);
    for (int& value : values) {
      state = state * 1664525u + 1013904223u;
      value = static_cast<int>((state >> 8) % 1000) + 1;
    }
    cudaMemcpy(x, values.data(), kValues * sizeof(int), cudaMemcpyHostToDevice);
    for (auto kernel : kernels) {
      cudaMemset(y, 0, 2 * kThreads * kBlocks * sizeof(int));
      kernel<<<kBlocks, kThreads>>>(x, y);
      const cudaError_t error = cudaDeviceSynchronize();
      if (error != cudaSuccess) {
        std::printf("%s\n", cudaGetErrorString(error));
        return 1;
      }
    }
  }
  cudaFree(x);
  cudaFree(y);
}
