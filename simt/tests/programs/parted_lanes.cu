// Lanes that part in every way that C++ has: 48 kernels, each for two sets of numbers, which are
// held against Nsight Compute's counts, launch by launch. Loops are not unrolled, and nothing stands
// in them that compilers may put together: what a thread reads before a loop it does not read in it,
// and the two sides of a branch do not end alike.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 64;
constexpr int kBlocks = 2;
constexpr int kRounds = 200;
constexpr int kValues = 1 << 15;

// A value from 1 to 1000 of a thread's own in each round, with which it decides what to do.
__device__ int value_of(const int* x, int round) {
  return x[round * kThreads * kBlocks + blockIdx.x * kThreads + threadIdx.x];
}
// Another load, at an address that depends on what was loaded before.
__device__ int look_up(const int* x, int value) {
  return x[(value * 37 + threadIdx.x) % kValues];
}
__device__ int place() {
  return blockIdx.x * kThreads + threadIdx.x;
}

__global__ void continue_and_break(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    const int value = value_of(x, i);
    if (value % 7 == 0) continue;
    if (value % 101 == 0) break;
    sum += look_up(x, value);
    if (value % 5 == 0) continue;
    sum ^= look_up(x, sum & 1023);
    if (value % 97 == 0) break;
  }
  y[place()] = sum;
}

__global__ void switch_that_leaves(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    const int value = value_of(x, i);
    switch (value % 50) {
      case 0:
      case 1:
      case 2:
        continue;
      case 3:
        sum += look_up(x, value);
        break;
      case 4:
        if (value > 900) return;
        break;
      case 5:
        sum ^= look_up(x, value + 1);
        continue;
      default:
        sum += look_up(x, value + 2);
    }
    if (value == 321 || value == 654) break;
    sum ^= look_up(x, sum & 511);
  }
  y[place()] = sum;
}

__global__ void search_then_loop(const int* x, int* y) {
  int j = 0;
#pragma unroll 1
  while (j < kRounds - 1 && value_of(x, j) % 41 != 0)
    ++j;
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < 20; ++i)
    sum += look_up(x, i * j);
  y[place()] = sum;
}

__global__ void shared_body(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    const int value = value_of(x, i);
    if (value % 3 == 0 || look_up(x, value) % 5 == 0 || look_up(x, value + 7) % 7 == 0)
      sum += look_up(x, value + 11);
  }
  y[place()] = sum;
}

__global__ void both_or_third(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    const int value = value_of(x, i);
    if ((value % 2 == 0 && look_up(x, value) % 3 == 0) || look_up(x, value + 5) % 11 == 0)
      sum += look_up(x, value + 13);
  }
  y[place()] = sum;
}

__global__ void fall_through(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    const int value = value_of(x, i);
    switch (value % 4) {
      case 3:
        sum += look_up(x, value);
        [[fallthrough]];
      case 2:
        sum ^= look_up(x, value + (sum & 7));
        [[fallthrough]];
      case 1:
        sum += look_up(x, value ^ (sum & 255));
        break;
      default:
        break;
    }
  }
  y[place()] = sum;
}

__global__ void inner_break(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds / 10; ++i) {
#pragma unroll 1
    for (int j = 0; j < 10; ++j) {
      const int value = value_of(x, i * 10 + j);
      if (value % 6 == 0) break;
      sum += look_up(x, value);
    }
    sum ^= look_up(x, sum & 127);
  }
  y[place()] = sum;
}

__global__ void continue_outer(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds / 10; ++i) {
#pragma unroll 1
    for (int j = 0; j < 10; ++j) {
      const int value = value_of(x, i * 10 + j);
      if (value % 13 == 0) goto next;
      sum += look_up(x, value);
    }
    sum ^= look_up(x, sum & 127);
  next:;
  }
  y[place()] = sum;
}

__global__ void return_from_two_loops(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds / 10; ++i) {
#pragma unroll 1
    for (int j = 0; j < 10; ++j) {
      const int value = value_of(x, i * 10 + j);
      if (value % 89 == 0) return;
      if (value % 7 == 0) break;
      sum += look_up(x, value);
    }
    sum ^= look_up(x, sum & 127);
  }
  y[place()] = sum;
}

__global__ void store_and_break(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    const int value = value_of(x, i);
    if (value % 43 == 0) {
      y[kThreads * kBlocks + place()] = look_up(x, value);
      break;
    }
    sum += look_up(x, value + 3);
  }
  y[place()] = sum + look_up(x, sum & 63);
}

__global__ void store_and_return(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    const int value = value_of(x, i);
    if (value % 61 == 0) {
      reinterpret_cast<short*>(y)[3 * kThreads * kBlocks + place()] =
          static_cast<short>(look_up(x, value));
      return;
    }
    sum += look_up(x, value + 3);
  }
  y[place()] = sum + look_up(x, sum & 63);
}

__global__ void two_ways_out(const int* x, int* y) {
  int sum = 0;
  int i = 0;
#pragma unroll 1
  for (; i < kRounds; ++i) {
    const int value = value_of(x, i);
    if (value % 71 == 0) goto found;
    sum += look_up(x, value);
    if (sum % 83 == 0) goto found;
  }
  sum += look_up(x, sum & 1023);
  goto done;
found:
  sum ^= look_up(x, i + 17);
done:
  y[place()] = sum + look_up(x, sum & 31);
}

__global__ void until_at_the_end(const int* x, int* y) {
  int sum = 0;
  int i = 0;
#pragma unroll 1
  do {
    const int value = value_of(x, i);
    ++i;
    if (value % 3 == 0) continue;
    sum += look_up(x, value);
  } while (i < kRounds && sum % 59 != 0);
  y[place()] = sum;
}

__global__ void ragged_rounds(const int* x, int* y) {
  const int rounds = value_of(x, kRounds) % 100;
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    const int value = value_of(x, i);
    if (value % 2 == 0) {
      sum += look_up(x, value);
    } else {
      sum ^= look_up(x, value * 3);
      if (value % 5 == 0) sum += look_up(x, sum & 255);
    }
  }
  y[place()] = sum;
}

__global__ void ragged_in_ragged(const int* x, int* y) {
  const int rounds = value_of(x, kRounds) % 30;
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    int left = value_of(x, i) % 9;
#pragma unroll 1
    while (left > 0) {
      sum += look_up(x, left * 11 + i);
      left -= 1 + (sum & 1);
    }
    sum ^= look_up(x, sum & 63);
  }
  y[place()] = sum;
}

__global__ void early_return(const int* x, int* y) {
  if (value_of(x, kRounds) % 3 == 0) return;
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds / 2; ++i) {
    const int value = value_of(x, i);
    if (value % 151 == 0) return;
    sum += look_up(x, value);
  }
  y[place()] = sum;
}

__global__ void chain_of_else(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    const int value = value_of(x, i);
    if (value < 200) {
      sum += look_up(x, value);
    } else if (value < 400) {
      sum ^= look_up(x, value * 2);
    } else if (value < 600) {
      sum -= look_up(x, value * 3);
    } else {
      sum += 2 * look_up(x, value * 5);
      if (value > 990) break;
    }
    sum += look_up(x, sum & 15);
  }
  y[place()] = sum;
}

__global__ void table_of_cases(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    const int value = value_of(x, i);
    switch (value % 8) {
      case 0:
        sum += look_up(x, value);
        break;
      case 1:
        sum ^= look_up(x, value * 3);
        break;
      case 2:
        sum -= look_up(x, value * 5);
        sum ^= look_up(x, sum & 7);
        break;
      case 3:
        sum += 3 * look_up(x, value * 7);
        break;
      case 4:
        sum *= look_up(x, value * 11);
        break;
    }
  }
  y[place()] = sum;
}

__global__ void binary_search(const int* x, int* y) {
  int low = 0;
  int high = value_of(x, 0) + 200;
#pragma unroll 1
  while (low < high) {
    const int middle = (low + high) / 2;
    if (x[middle] % 1000 < value_of(x, 1)) {
      low = middle + 1;
    } else {
      high = middle;
      if (look_up(x, middle) % 29 == 0) break;
    }
  }
  y[place()] = low;
}

__global__ void chase(const int* x, int* y) {
  int at = value_of(x, 0);
  int steps = 0;
#pragma unroll 1
  while (at % 23 != 0) {
    at = look_up(x, at + steps);
    if (++steps == 300) break;
  }
  y[place()] = at + steps;
}

__global__ void collatz(const int* x, int* y) {
  int steps = 0;
#pragma unroll 1
  for (int i = 0; i < 5; ++i) {
    int value = value_of(x, i);
#pragma unroll 1
    while (value != 1 && steps < 500) {
      if (value % 2 == 0) {
        value /= 2;
        steps += look_up(x, value) & 1;
      } else {
        value = 3 * value + 1;
        steps += 1 + (look_up(x, value + 1) & 1);
      }
    }
  }
  y[place()] = steps;
}

__global__ void sparse_rows(const int* x, int* y) {
  const int begin = value_of(x, 0);
  const int end = begin + value_of(x, 1) % 60;
  int sum = 0;
#pragma unroll 1
  for (int i = begin; i < end; ++i) {
    const int column = x[i];
    if (column > 980) continue;
    sum += x[column * 16 % kValues] * x[i + 2000];
  }
  y[place()] = sum;
}

__global__ void shared_in_a_loop(const int* x, int* y) {
  __shared__ int table[256];
  __shared__ volatile int own[kThreads];
  for (int i = threadIdx.x; i < 256; i += kThreads)
    table[i] = x[i];
  __syncthreads();
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    const int value = value_of(x, i);
    if (value % 4 == 0) continue;
    sum += table[(value + threadIdx.x) % 256];
    if (value % 199 == 0) break;
    if (value % 3 != 0) continue;
    own[threadIdx.x] = sum;
    sum ^= look_up(x, own[threadIdx.x] & 255);
  }
  y[place()] = sum;
}

__global__ void votes_in_a_loop(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds / 4; ++i) {
    const int value = value_of(x, i);
    if (value % 2 == 0) sum += look_up(x, value);
    if (__all_sync(0xffffffff, value % 40 != 0)) continue;
    if (value % 3 == 0) sum ^= look_up(x, value + 19);
    sum += __shfl_xor_sync(0xffffffff, sum, 1);
  }
  y[place()] = sum;
}

// Not inlined: from both sides of a branch, twice in a row, and from itself.
__device__ __noinline__ int walk(const int* x, int value) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < value % 5; ++i)
    sum += look_up(x, value + i * 3);
  return sum;
}

__global__ void call_from_both_sides(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds / 4; ++i) {
    const int value = value_of(x, i);
    if (value % 2 == 0) {
      sum += walk(x, value);
    } else {
      sum ^= walk(x, value + 1) * 3;
    }
  }
  y[place()] = sum;
}

__global__ void call_twice(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds / 4; ++i) {
    const int value = value_of(x, i);
    sum += walk(x, value);
    sum ^= walk(x, sum & 511);
  }
  y[place()] = sum;
}

__device__ __noinline__ int descend(const int* x, int at, int depth) {
  const int value = look_up(x, at);
  if (depth == 0 || value % 7 == 0) return value;
  int sum = descend(x, value, depth - 1);
  if (value % 2 == 0) sum ^= descend(x, value + 1, depth - 1);
  return sum + look_up(x, sum & 1023);
}

__global__ void recursion(const int* x, int* y) {
  y[place()] = descend(x, value_of(x, 0), 5);
}

// The outer loop begins with an inner one that runs at least once.
__global__ void begins_with_do(const int* x, int* y) {
  int sum = 0, i = 0;
#pragma unroll 1
  while (true) {
#pragma unroll 1
    do {
      sum += value_of(x, i);
      ++i;
    } while (sum % 3 != 0 && i < kRounds);
    sum ^= look_up(x, sum & 1023);
    if (i >= kRounds) break;
    sum += look_up(x, sum & 255) * 3;
  }
  y[place()] = sum;
}

__global__ void do_in_do(const int* x, int* y) {
  int sum = 0, i = 0;
#pragma unroll 1
  do {
#pragma unroll 1
    do {
      const int value = value_of(x, i++);
      sum += value;
      if (value % 4 == 0) sum ^= look_up(x, value);
    } while (sum % 5 != 0 && i < kRounds);
    if (sum % 2 == 0) sum += look_up(x, sum & 511);
  } while (i < kRounds && sum % 67 != 0);
  y[place()] = sum;
}

__global__ void three_deep(const int* x, int* y) {
  int sum = 0, i = 0;
#pragma unroll 1
  do {
#pragma unroll 1
    do {
#pragma unroll 1
      do {
        sum += value_of(x, i++);
      } while (sum % 2 != 0 && i < kRounds);
      sum ^= look_up(x, sum & 1023);
    } while (sum % 3 != 0 && i < kRounds);
    sum += look_up(x, sum & 127);
  } while (i < kRounds);
  y[place()] = sum;
}

__global__ void goto_retry(const int* x, int* y) {
  int sum = 0, i = 0;
#pragma unroll 1
  while (i < kRounds) {
  retry:
    const int value = value_of(x, i++);
    sum += look_up(x, value);
    if (value % 3 == 0 && i < kRounds) goto retry;
    sum ^= look_up(x, sum & 63);
  }
  y[place()] = sum;
}

// A search for each round, whose end each lane finds elsewhere.
__global__ void search_each_round(const int* x, int* y) {
  int sum = 0, at = place();
#pragma unroll 1
  for (int i = 0; i < 20; ++i) {
#pragma unroll 1
    while (x[at % kValues] % 9 != 0)
      ++at;
    sum += look_up(x, at);
    ++at;
  }
  y[place()] = sum;
}

// Compressed rows whose lengths differ; a warp's lanes take a row each.
__global__ void rows_of_lengths(const int* x, int* y) {
  int total = 0;
#pragma unroll 1
  for (int row = place(); row < kThreads * kBlocks * 6; row += kThreads * kBlocks) {
    int sum = 0;
    const int begin = x[row], end = begin + x[row + 1] % 24;
#pragma unroll 1
    for (int j = begin; j < end; ++j) sum += x[(x[j] * 13 + j) % kValues];
    total += sum;
  }
  y[place()] = total;
}

__global__ void state_machine(const int* x, int* y) {
  int state = 0, sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    const int value = value_of(x, i);
    switch (state) {
      case 0:
        state = value % 3;
        sum += look_up(x, value);
        break;
      case 1:
        state = value % 2 == 0 ? 2 : 0;
        sum ^= look_up(x, value * 3);
        break;
      case 2:
        if (value % 5 == 0) state = 3;
        sum -= look_up(x, value * 7);
        break;
      default:
        i = kRounds;
    }
  }
  y[place()] = sum;
}

__global__ void own_stack(const int* x, int* y) {
  int stack[16];
  int depth = 0, sum = 0, taken = 0;
  stack[depth++] = value_of(x, 0);
#pragma unroll 1
  while (depth > 0 && taken < 150) {
    const int node = stack[--depth];
    const int value = look_up(x, node);
    ++taken;
    if (value % 4 == 0) continue;
    sum += value;
    if (depth < 15) stack[depth++] = value;
    if (value % 3 == 0 && depth < 15) stack[depth++] = value + node;
  }
  y[place()] = sum;
}

__global__ void sort_own(const int* x, int* y) {
  __shared__ int kept[12 * kThreads];
  int* own = kept + threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < 12; ++i) own[i * kThreads] = value_of(x, i);
#pragma unroll 1
  for (int i = 1; i < 12; ++i) {
    const int value = own[i * kThreads];
    int j = i - 1;
#pragma unroll 1
    while (j >= 0 && own[j * kThreads] > value) {
      own[(j + 1) * kThreads] = own[j * kThreads];
      --j;
    }
    own[(j + 1) * kThreads] = value;
  }
  y[place()] = own[5 * kThreads];
}

__global__ void add_by_exchange(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds / 10; ++i) {
    const int value = value_of(x, i);
    if (value % 2 == 0) continue;
    int* slot = y + kThreads * kBlocks + place();
    int old = *slot;
    int seen;
    do {
      seen = old;
      old = atomicCAS(slot, seen, seen + value);
    } while (old != seen);
    sum += old + look_up(x, value);
  }
  y[place()] = sum;
}

__device__ __noinline__ int first_kind(const int* x, int v) {
  int s = look_up(x, v);
  if (v % 3 == 0) s += look_up(x, v + 1);
  return s;
}
__device__ __noinline__ int second_kind(const int* x, int v) {
  return look_up(x, v * 3) ^ look_up(x, v + 9);
}
__device__ __noinline__ int third_kind(const int* x, int v) {
  return v;
}
using Kind = int (*)(const int*, int);
__device__ Kind kinds[3] = {first_kind, second_kind, third_kind};

__global__ void call_by_pointer(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds / 4; ++i) {
    const int value = value_of(x, i);
    sum += kinds[value % 3](x, value);
    sum ^= look_up(x, sum & 1023);
  }
  y[place()] = sum;
}

__global__ void parted_calls(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds / 4; ++i) {
    const int value = value_of(x, i);
    if (value % 5 == 0) continue;
    if (value % 2 == 0)
      sum += first_kind(x, value);
    else if (value % 3 == 0)
      sum ^= second_kind(x, value);
    if (value % 77 == 0) break;
    sum ^= first_kind(x, sum & 511);
  }
  y[place()] = sum;
}

struct Shape {
  int scale;
  __device__ virtual int area(const int* x, int v) const = 0;
};
struct Square : Shape {
  __device__ int area(const int* x, int v) const override { return scale * look_up(x, v); }
};
struct Round : Shape {
  __device__ int area(const int* x, int v) const override {
    int s = 0;
#pragma unroll 1
    for (int i = 0; i < v % 4; ++i) s += look_up(x, v + i);
    return s;
  }
};

__global__ void virtual_calls(const int* x, int* y) {
  Square square;
  Round round;
  square.scale = 3;
  round.scale = 5;
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds / 4; ++i) {
    const int value = value_of(x, i);
    const Shape* shape = value % 2 == 0 ? static_cast<const Shape*>(&square) : &round;
    sum += shape->area(x, value);
    sum ^= look_up(x, sum & 255);
  }
  y[place()] = sum;
}

__global__ void warp_in_halves(const int* x, int* y) {
  const int lane = threadIdx.x % 32;
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds / 4; ++i) {
    const int value = value_of(x, i);
    if (lane < 16) {
      sum += __shfl_xor_sync(0x0000ffffu, value, 3);
      sum += look_up(x, value);
    } else {
      sum ^= look_up(x, value * 5);
      __syncwarp(0xffff0000u);
      sum = 3 * sum - look_up(x, value * 7);
    }
    if (value % 3 == 0) sum += look_up(x, sum & 127);
    __syncwarp();
  }
  y[place()] = sum;
}

__global__ void sum_of_each(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds / 4; ++i) {
    const int value = value_of(x, i);
    const unsigned alike = __match_any_sync(0xffffffffu, value % 4);
    const int leader = __ffs(alike) - 1;
    if (static_cast<int>(threadIdx.x % 32) == leader) sum += look_up(x, value);
    if (value % 4 == 3) continue;
    sum ^= look_up(x, value + i);
  }
  y[place()] = sum;
}

__global__ void barrier_each_round(const int* x, int* y) {
  __shared__ int board[kThreads];
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < 40; ++i) {
    const int value = value_of(x, i);
    board[threadIdx.x] = value;
    __syncthreads();
    const int seen = board[(threadIdx.x + value) % kThreads];
    if (seen % 3 == 0) sum += look_up(x, seen);
    else if (seen % 7 == 0) sum -= board[seen % kThreads];
    if (__syncthreads_or(seen == 1000)) break;
  }
  y[place()] = sum;
}

__global__ void mandelbrot(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    const float cx = value_of(x, i) * 0.003f - 2.0f, cy = value_of(x, i + 4) * 0.002f - 1.0f;
    float a = 0, b = 0;
    int n = 0;
#pragma unroll 1
    while (a * a + b * b < 4.0f && n < 64) {
      const float t = a * a - b * b + cx;
      b = 2 * a * b + cy;
      a = t;
      ++n;
      sum += look_up(x, n) & 1;
    }
    sum += n;
  }
  y[place()] = sum;
}

__global__ void ternaries(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kRounds / 2; ++i) {
    const int value = value_of(x, i);
    sum += value % 2 ? look_up(x, value) : value % 3 ? look_up(x, value * 3) * 5 : 7;
    if (!(value % 5 == 0 && look_up(x, value + 1) % 2 == 0) && sum % 3 != 0) sum ^= look_up(x, value + 2);
  }
  y[place()] = sum;
}

__global__ void merge_path(const int* x, int* y) {
  int a = value_of(x, 0), b = value_of(x, 1) + 2000;
  const int a_end = a + 40, b_end = b + 40;
  int sum = 0;
#pragma unroll 1
  while (a < a_end && b < b_end) {
    if (x[a] < x[b]) {
      sum = sum * 3 + x[a++ + 5000];
    } else {
      sum = (sum ^ x[b++ + 7000]) * 5;
    }
  }
#pragma unroll 1
  while (a < a_end) sum += x[a++];
#pragma unroll 1
  while (b < b_end) sum += x[b++];
  y[place()] = sum;
}

__global__ void hash_probe(const int* x, int* y) {
  int found = 0;
#pragma unroll 1
  for (int i = 0; i < 30; ++i) {
    const int key = value_of(x, i);
    int slot = key * 31 % 4096;
#pragma unroll 1
    for (int tries = 0; tries < 50; ++tries) {
      const int seen = x[slot];
      if (seen % 64 == key % 64) {
        found += look_up(x, slot);
        break;
      }
      if (seen % 16 == 0) break;
      slot = (slot + 1) % 4096;
    }
  }
  y[place()] = found;
}

__global__ void last_lanes(const int* x, int* y) {
  int sum = 0;
#pragma unroll 1
  for (int i = place(); i < 3001; i += kThreads * kBlocks) {
    const int value = x[i];
    if (value < 500) {
      sum += x[i + 1];
#pragma unroll 1
      for (int j = 0; j < value % 6; ++j) {
        if (x[j * 100 + i + 3] % 11 == 0) goto out;
        sum ^= x[j * 50 + i + 7];
      }
    }
    sum += x[i + 9000];
  }
out:
  y[place()] = sum;
}

int main() {
  const struct {
    void (*kernel)(const int*, int*);
  } kernels[] = {
      {continue_and_break},
      {switch_that_leaves},
      {search_then_loop},
      {shared_body},
      {both_or_third},
      {fall_through},
      {inner_break},
      {continue_outer},
      {return_from_two_loops},
      {store_and_break},
      {store_and_return},
      {two_ways_out},
      {until_at_the_end},
      {ragged_rounds},
      {ragged_in_ragged},
      {early_return},
      {chain_of_else},
      {table_of_cases},
      {binary_search},
      {chase},
      {collatz},
      {sparse_rows},
      {shared_in_a_loop},
      {votes_in_a_loop},
      {call_from_both_sides},
      {call_twice},
      {recursion},
      {begins_with_do},
      {do_in_do},
      {three_deep},
      {goto_retry},
      {search_each_round},
      {rows_of_lengths},
      {state_machine},
      {own_stack},
      {sort_own},
      {add_by_exchange},
      {call_by_pointer},
      {parted_calls},
      {virtual_calls},
      {warp_in_halves},
      {sum_of_each},
      {barrier_each_round},
      {mandelbrot},
      {ternaries},
      {merge_path},
      {hash_probe},
      {last_lanes},
  };
  int* x;
  int* y;
  cudaMalloc(&x, kValues * sizeof(int));
  cudaMalloc(&y, 2 * kThreads * kBlocks * sizeof(int));
  for (unsigned state : {1u, 2026u}) {
    std::vector<int> values(kValues);
    for (int& value : values) {
      state = state * 1664525u + 1013904223u;
      value = static_cast<int>((state >> 8) % 1000) + 1;
    }
    cudaMemcpy(x, values.data(), kValues * sizeof(int), cudaMemcpyHostToDevice);
    for (const auto& each : kernels) {
      cudaMemset(y, 0, 2 * kThreads * kBlocks * sizeof(int));
      each.kernel<<<kBlocks, kThreads>>>(x, y);
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
