// Every k from 1 to 128, and some up to the step's limit. The executor runs them where every case
// is wanted, and of those above every 5th; a GPU every 61st, since each takes its allocations'
// time.
#include <algorithm>
#include <cstdint>
#include <iterator>

#include "tests/steps/contract.h"

using namespace worklog;
using namespace contract;

namespace {

#ifdef SIMT_EXECUTOR
constexpr bool kIsExecutor = true;
#else
constexpr bool kIsExecutor = false;
#endif

// What a register, a warp or a list could make special. These take all cases, and variants half of
// them and no others.
bool is_special(int k) {
  constexpr int kSpecial[] = {1,  2,   5,   31,  32,  33,  63,  64,   65,   96,
                              97, 127, 128, 129, 256, 257, 512, 1024, 1025, 2048};
  return std::find(std::begin(kSpecial), std::end(kSpecial), k) != std::end(kSpecial);
}

// Whether a k that is not special is asked for.
bool is_asked(const Step& step, int k) {
  constexpr int kSeldom = kIsExecutor ? 5 : 61;  // prime to the 7 cases, which take turns
  if (!step.variant.empty()) return false;
  return k <= kUsualMaxK || k % kSeldom == 0;
}

void check_every_k(const Step& step) {
  for (int k = 1; k <= step.info.max_k; ++k) {
    const bool is_long = k > kUsualMaxK;
    const std::int64_t rows = is_long && kIsExecutor ? 3 : kRows;
    const std::int64_t more = is_long ? k : 0;
    const Case cases[] = {{DType::kFloat32, rows, k, k, Input::kRandom},
                          {DType::kFloat32, rows, k + 1, k, Input::kTies},
                          {DType::kFloat16, rows, 200 + more, k, Input::kMasked},
                          {DType::kBFloat16, rows, 333 + 9 * more, k, Input::kTies},
                          {DType::kFloat32, rows, 1000 + 4 * more, k, Input::kRandom},
                          {DType::kFloat32, rows, 257 + more, k, Input::kSpecial},
                          {DType::kFloat16, rows, 500 + 8 * more, k, Input::kEqual}};
    for (int i = 0; i < std::ssize(cases); ++i) {
      const bool is_turn = (i + k) % 7 == 0;
      const bool is_every_other = (i + k) % 2 == 0;
      if (is_special(k) ? step.variant.empty() || is_every_other : is_turn && is_asked(step, k)) {
        check_verified(step, cases[i]);
      }
    }
  }
}

}  // namespace

TEST_SUITE("every_k") {
  TEST_CASE("k from 1 to the limit, up to all columns") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (step.is_top_k()) check_every_k(step);
    }
  }
}
