/// \file
/// Host work on many rows, over all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace worklog {

/// Calls work(first_row, end_row) for consecutive parts of `rows` rows of `cols` elements, some of
/// them at once on other threads; small problems stay on the calling one. Rethrows the first error.
template <typename Work>
void for_rows_in_parallel(std::int64_t rows, std::int64_t cols, Work work) {
  constexpr std::int64_t kElementsWorthAThread = 1 << 17;
  constexpr std::int64_t kPartsPerThread = 4;  // so that an unlucky thread has little to catch up
  const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::int64_t threads = std::clamp(rows * cols / kElementsWorthAThread, std::int64_t{1},
                                          std::min(cores, std::max(rows, std::int64_t{1})));
  if (threads == 1) {
    work(std::int64_t{0}, rows);
    return;
  }

  const std::int64_t part = std::max(rows / (threads * kPartsPerThread), std::int64_t{1});
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  const auto take_parts = [&] {
    try {
      for (std::int64_t first = next.fetch_add(part); first < rows; first = next.fetch_add(part)) {
        work(first, std::min(first + part, rows));
      }
    } catch (...) {
      next = rows;
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  };
  std::vector<std::jthread> others;
  for (std::int64_t i = 1; i < threads; ++i)
    others.emplace_back(take_parts);
  take_parts();
  others.clear();
  if (error) std::rethrow_exception(error);
}

}  // namespace worklog
