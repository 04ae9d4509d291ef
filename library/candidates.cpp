#include "library/candidates.h"

#include <array>
#include <string_view>

namespace worklog::library {

namespace {

struct Named {
  std::string_view name;
  std::string_view variant;
  Need need;
};

// Short rows first, but where no table says when they are the faster: there behind what takes any
// row. What all blocks share, of few rows alone, comes where a cluster cannot hold the row, which
// one block would take far longer for; the last mostly takes any row that others do. Where one ends
// is the registry's to say.
const std::vector<Named>& named(softmax_worklog_operation operation) {
  static const std::vector<Named> softmax = {
      {"13_row_in_a_warp", "", Need::kNothing},
      {"13_row_in_a_warp", "warp_reduce", Need::kNothing},
      {"13_row_in_a_warp", "short_chain", Need::kNothing},
      {"14_row_in_registers", "", Need::kNothing},
      {"14_row_in_registers", "warp_reduce", Need::kNothing},
      {"15_row_in_shared_memory", "", Need::kLargeShared},
      {"16_cluster", "messages", Need::kClustersOfWhole},
      {"16_cluster", "", Need::kClustersOfWhole},
      {"17_long_row_one_launch", "", Need::kWholeGrid},
      {"12_bytes_in_flight", "", Need::kNothing},
  };
  static const std::vector<Named> log_softmax = {
      {"13_row_in_a_warp", "log_softmax", Need::kNothing},
      {"15_row_in_shared_memory", "log_softmax", Need::kLargeShared},
      {"17_long_row_one_launch", "log_softmax", Need::kWholeGrid},
      {"16_cluster", "log_softmax", Need::kClustersOfWhole},
      {"08_log_softmax", "", Need::kNothing},
  };
  static const std::vector<Named> top_k = {
      {"18_topk_by_threshold", "", Need::kLargeShared},
      {"18_topk_by_threshold", "short_rows", Need::kClusters},
      {"07_topk_fusion", "", Need::kNothing},
  };
  static const std::vector<Named> softmax_backward = {
      {"19_backward", "short_rows", Need::kClusters},
      {"19_backward", "", Need::kClustersOfWhole},
      {"19_backward", "shared_memory", Need::kClustersOfWhole},
      {"19_backward", "reads_twice", Need::kClusters},
  };
  static const std::vector<Named> log_softmax_backward = {
      {"19_backward", "log_softmax", Need::kClustersOfWhole},
      {"19_backward", "log_softmax_short_rows", Need::kClusters},
  };
  static const std::vector<Named> cross_entropy = {
      {"20_cross_entropy", "short_rows", Need::kClusters},
      {"20_cross_entropy", "messages", Need::kClustersOfWhole},
      {"20_cross_entropy", "", Need::kClustersOfWhole},
  };
  static const std::vector<Named> cross_entropy_loss = {
      {"20_cross_entropy", "loss_alone", Need::kClusters},
      {"08_log_softmax", "negative_log_likelihood", Need::kNothing},
  };
  switch (operation) {
    case SOFTMAX_WORKLOG_LOG_SOFTMAX:
      return log_softmax;
    case SOFTMAX_WORKLOG_TOP_K:
      return top_k;
    case SOFTMAX_WORKLOG_SOFTMAX_BACKWARD:
      return softmax_backward;
    case SOFTMAX_WORKLOG_LOG_SOFTMAX_BACKWARD:
      return log_softmax_backward;
    case SOFTMAX_WORKLOG_CROSS_ENTROPY:
      return cross_entropy;
    case SOFTMAX_WORKLOG_CROSS_ENTROPY_LOSS:
      return cross_entropy_loss;
    case SOFTMAX_WORKLOG_SOFTMAX:
      break;
  }
  return softmax;
}

using ByOperation = std::array<std::vector<Candidate>, kOperations>;

ByOperation registered() {
  ByOperation all;
  for (int i = 0; i < kOperations; ++i) {
    for (const Named& one : named(static_cast<softmax_worklog_operation>(i))) {
      const Step& step = registered_step(one.name, one.variant);
      all[static_cast<std::size_t>(i)].push_back({&step, step.label(), one.need});
    }
  }
  return all;
}

}  // namespace

const std::vector<Candidate>& candidates_of(softmax_worklog_operation operation) {
  static const ByOperation all = registered();
  return all[static_cast<std::size_t>(operation)];
}

bool runs_on(Need need, const DeviceTraits& device) {
  constexpr int kShared = 227 * 1024;
  constexpr int kMultiprocessors = 132;
  const bool has_shared = device.shared_bytes >= kShared;
  switch (need) {
    case Need::kNothing:
      return true;
    case Need::kLargeShared:
      return has_shared;
    case Need::kClusters:
      return device.has_clusters;
    case Need::kClustersOfWhole:
      return device.has_clusters && has_shared;
    case Need::kWholeGrid:
      return has_shared && device.multiprocessors >= kMultiprocessors;
  }
  return false;
}

}  // namespace worklog::library
