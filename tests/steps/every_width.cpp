// Widths from 1 to 4096, not powers of two alone. All of them take minutes: the executor has each
// up to where a block of 256 threads has a second round, and every 7th above; where every case is
// wanted, in fp32, each that is near a multiple of 128 and every 5th of the others.
#include "tests/steps/contract.h"

using namespace worklog;
using namespace contract;

namespace {

constexpr std::int64_t kLargestWidth = 4096;
constexpr std::int64_t kEveryOneTo = 288;

#ifdef SIMT_EXECUTOR
constexpr bool kIsExecutor = true;
#else
constexpr bool kIsExecutor = false;
#endif

// The block size that a step would choose for many rows, and at every 27th width the one that it
// chooses for as few as these: large blocks take the executor long. Not at every 32nd: there all
// rows are aligned.
int some_block_size(const Step& step, std::int64_t cols, DType dtype) {
  return cols % 27 == 0 ? 0 : step.info.block_size_for(kFewRows, cols, size_of(dtype));
}

// Of the variants, every 47th width: the time of the whole test is theirs otherwise. That is prime
// to a vector's elements and to a warp: they meet every remainder of both. On a GPU, where each
// case takes its allocations' time, every 5th and 235th: the CPU executor runs more of them.
std::int64_t stride(const Step& step) {
  constexpr std::int64_t kOfSteps = kIsExecutor ? 1 : 5;
  return step.variant.empty() ? kOfSteps : 47 * kOfSteps;
}

// What kernels divide rows into, they divide at multiples of this: a warp's vectors of 16 bytes.
bool is_near_a_boundary(std::int64_t cols) {
  constexpr std::int64_t kBetween = 128;
  constexpr std::int64_t kNear = 8;  // the half types of a vector
  return (cols + kNear) % kBetween <= 2 * kNear;
}

// The half types have every 7th on the executor even where every case is wanted.
std::int64_t next_of(const Step& step, std::int64_t cols, DType dtype) {
  constexpr std::int64_t kSeldom = 7;  // prime to a vector's elements and to a warp
  if (!kIsExecutor || cols < kEveryOneTo || !step.variant.empty()) return cols + stride(step);
  if (!wants_every_case() || dtype != DType::kFloat32) return cols + kSeldom;
  do
    ++cols;
  while (cols % 5 != 0 && !is_near_a_boundary(cols));
  return cols;
}

// fp16 and bf16 differ in arithmetic, not in what a width makes of a row. So on the executor each
// of them has all narrow rows and of the others every other sixteen widths, which are all
// remainders of a vector's elements; of the next 512 columns the others, which are those of a warp.
bool is_asked(std::int64_t cols, DType dtype) {
  constexpr std::int64_t kNarrow = 64;
  if (!kIsExecutor || dtype == DType::kFloat32 || cols <= kNarrow) return true;
  const bool is_first_of_two = (cols / 16 + cols / 512) % 2 == 0;
  return is_first_of_two == (dtype == DType::kFloat16);
}

void check_every_width(DType dtype) {
  const CountingOff counting_off;
  for (const Step& step : all_steps()) {
    const std::int64_t widest = std::min(kLargestWidth, step.info.most_cols(size_of(dtype), 0));
    for (std::int64_t cols = 1; cols <= widest; cols = next_of(step, cols, dtype)) {
      if (!is_asked(cols, dtype)) continue;
      const bool is_right = check_verified(step,
                                           {.dtype = dtype,
                                            .rows = std::min(kRows, step.info.max_rows),
                                            .cols = cols,
                                            .k = some_k(step, cols)},
                                           {.block_size = some_block_size(step, cols, dtype)});
      if (!is_right) break;
    }
  }
}

}  // namespace

TEST_SUITE("every_width_f32") {
  TEST_CASE("widths from 1 to 4096: fp32") {
    check_every_width(DType::kFloat32);
  }
}

TEST_SUITE("every_width_f16") {
  TEST_CASE("widths from 1 to 4096, of half types each the half of them: fp16") {
    check_every_width(DType::kFloat16);
  }
}

TEST_SUITE("every_width_bf16") {
  TEST_CASE("widths from 1 to 4096, of half types each the half of them: bf16") {
    check_every_width(DType::kBFloat16);
  }
}
