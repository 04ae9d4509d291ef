#include "common/ranks/run_case.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <numeric>
#include <optional>
#include <thread>

#include "common/ranks/check_slices.h"
#include "common/ranks/crossing.h"
#include "common/ranks/default_stream.h"
#include "common/ranks/mailbox.h"
#include "common/ranks/meeting.h"
#include "common/verify/guarded_buffer.h"

namespace worklog {

namespace {

// Launches one after the other, as a training loop makes them: mailboxes are used in turn.
constexpr int kLaunches = 4;

// What must be the same in all ranks, or fit together. By the widest slice and the size of a block
// each chooses how many blocks share a row, and so how many words it sends and waits for.
struct Terms {
  std::int64_t rows;
  std::int64_t dtype;
  std::int64_t result;
  std::int64_t all_cols;
  std::int64_t widest;
  std::int64_t block_size;
  std::int64_t kernel;
  std::int64_t first_col;
  std::int64_t cols;
};

std::string value_text(const char* what, std::int64_t value) {
  if (std::string_view(what) == "type") {
    return std::string(name_of(static_cast<DType>(value)));
  }
  if (std::string_view(what) == "result") {
    return std::string(name_of(static_cast<SliceResult>(value)));
  }
  return std::to_string(value);
}

// Throws where a rank has another value than most.
void check_same(const char* what, const std::vector<Terms>& all, std::int64_t Terms::*member) {
  const auto count_of = [&](const Terms& terms) {
    return std::count_if(all.begin(), all.end(),
                         [&](const Terms& other) { return other.*member == terms.*member; });
  };
  const auto usual = std::max_element(all.begin(), all.end(), [&](const Terms& a, const Terms& b) {
    return count_of(a) < count_of(b);
  });
  for (const Terms& terms : all) {
    if (terms.*member == (*usual).*member) continue;
    throw RankError("rank " + std::to_string(&terms - all.data()) + " has " + what + " " +
                    value_text(what, terms.*member) + ", rank " +
                    std::to_string(usual - all.begin()) + " has " +
                    value_text(what, (*usual).*member));
  }
}

// NCCL compares nothing: it would mix up what differs, or wait for ever.
void agree(Group& group, const Terms& mine, std::chrono::milliseconds limit) {
  const std::string text(reinterpret_cast<const char*>(&mine), sizeof mine);
  std::vector<Terms> all;
  for (const std::string& said : meet(group, kAgreement, text, limit, sizeof mine))
    std::memcpy(&all.emplace_back(), said.data(), sizeof mine);
  check_same("kernel", all, &Terms::kernel);
  check_same("type", all, &Terms::dtype);
  check_same("result", all, &Terms::result);
  check_same("rows", all, &Terms::rows);
  check_same("joined columns", all, &Terms::all_cols);
  check_same("widest slice", all, &Terms::widest);
  check_same("block size", all, &Terms::block_size);
  std::int64_t next = 0;
  for (const Terms& terms : all) {
    if (terms.first_col != next) {
      throw RankError("rank " + std::to_string(&terms - all.data()) + " begins at column " +
                      std::to_string(terms.first_col) + ", the ranks before it end at " +
                      std::to_string(next));
    }
    next += terms.cols;
  }
}

// A rank's arrays. Results lie between guard bands and are poisoned.
template <typename T>
struct Arrays {
  DeviceBuffer<T> logits;
  DeviceBuffer<std::int64_t> labels;
  GuardedBuffer<T> results;
  GuardedBuffer<float> losses;
  GuardedBuffer<float> log_sum_exps;
  DeviceBuffer<std::byte> scratch;
};

// Elements before a rank's logits: of odd rows these and the results do not lie alike between the
// multiples of 16 bytes, at which kernels load and store whole vectors.
std::int64_t offset_of(const RankCase& a_case) {
  return a_case.cols % 2;
}

template <typename T>
std::vector<T> logits_of(const RankCase& a_case, std::int64_t first_col, std::int64_t cols) {
  const RowSource source = a_case.logits();
  std::vector<float> row(static_cast<std::size_t>(a_case.cols));
  std::vector<T> logits(static_cast<std::size_t>(offset_of(a_case)));
  logits.reserve(logits.size() + static_cast<std::size_t>(a_case.rows * cols));
  for (std::int64_t r = 0; r < a_case.rows; ++r) {
    source(r, row);
    std::transform(row.begin() + first_col, row.begin() + first_col + cols,
                   std::back_inserter(logits), [](float x) { return static_cast<T>(x); });
  }
  return logits;
}

// One rank's run of a case.
template <typename T>
class Run {
 public:
  Run(Group& group, Communicator& communicator, const RankCase& a_case, const RunOptions& options)
      : group_(group),
        communicator_(communicator),
        case_(a_case),
        options_(options),
        shape_(a_case.shape(group.size())),
        columns_(columns_of(a_case.split, a_case.cols, group.size())),
        first_col_(
            std::accumulate(columns_.begin(), columns_.begin() + group.rank(), std::int64_t{0})),
        cols_(columns_[static_cast<std::size_t>(group.rank())]) {}

  // What this rank has made of its slice, once all have agreed and launched.
  SliceOutput<T> output() {
    agree(group_, terms(), options_.limit);
    prepare();
    if (has_fault(Fault::kLeaves) || has_fault(Fault::kKilled)) stay_away(options_);
    if (has_fault(Fault::kAborts)) communicator_.abort();
    launch();
    return read();
  }

  // For one that some may not be done with.
  void leave_mailbox() {
    if (mailbox_) mailbox_->leave_allocated();
  }

 private:
  bool has_fault(Fault fault) const {
    return options_.fault == fault && options_.faulty_rank == group_.rank();
  }

  Terms terms() const {
    const auto& steps = all_rank_steps();
    Terms terms = {case_.rows,
                   static_cast<std::int64_t>(case_.dtype),
                   static_cast<std::int64_t>(case_.result),
                   case_.cols,
                   shape_.widest,
                   case_.block_size,
                   case_.step - steps.data(),
                   first_col_,
                   cols_};
    if (has_fault(Fault::kRows)) ++terms.rows;
    if (has_fault(Fault::kWidest)) ++terms.widest;
    if (has_fault(Fault::kBlocks)) terms.block_size += 32;
    if (has_fault(Fault::kType)) {
      const bool is_half = case_.dtype == DType::kFloat16;
      terms.dtype = static_cast<std::int64_t>(is_half ? DType::kFloat32 : DType::kFloat16);
    }
    return terms;
  }

  // Also for results that need none: a kernel must leave them alone there.
  std::vector<std::int64_t> given_labels() const {
    if (case_.result == SliceResult::kCrossEntropy) return labels_of(case_);
    return std::vector<std::int64_t>(static_cast<std::size_t>(case_.rows), 0);
  }

  void prepare() {
    const RankStepInfo& info = case_.step->info;
    const std::int64_t losses = case_.result == SliceResult::kCrossEntropy ? case_.rows : 0;
    const std::int64_t scratch = info.scratch_bytes != nullptr ? info.scratch_bytes(shape_) : 0;
    arrays_.emplace(Arrays<T>{DeviceBuffer<T>(logits_of<T>(case_, first_col_, cols_)),
                              DeviceBuffer<std::int64_t>(given_labels()),
                              GuardedBuffer<T>(case_.rows * cols_), GuardedBuffer<float>(losses),
                              GuardedBuffer<float>(losses), DeviceBuffer<std::byte>(scratch)});
    if (has_fault(Fault::kPrepares)) {
      throw std::runtime_error("this rank did not prepare, as it was told");
    }
    if (info.mailbox_words != nullptr) {
      mailbox_.emplace(group_, info.mailbox_words(shape_), options_.patience, options_.limit);
    }
    check(cudaDeviceSynchronize(), "preparing a slice");
    // Nobody sends anything before everyone is ready.
    meet(group_, kReadiness, "", options_.limit);
  }

  Slice<T> slice() {
    return {.result = case_.result,
            .logits = arrays_->logits.data() + offset_of(case_),
            .results = arrays_->results.data(),
            .labels = arrays_->labels.data(),
            .losses = arrays_->losses.data(),
            .log_sum_exps = arrays_->log_sum_exps.data(),
            .rows = case_.rows,
            .cols = cols_,
            .first_col = first_col_,
            .all_cols = case_.cols,
            .widest = shape_.widest,
            .rank = group_.rank(),
            .ranks = group_.size(),
            .communicator = communicator_.get(),
            .mailboxes = mailbox_ ? mailbox_->next() : Mailboxes{},
            .block_size = case_.block_size,
            .scratch = Scratch(arrays_->scratch.data(), arrays_->scratch.size())};
  }

  void launch() {
    const Crossing before = crossing_of(group_.rank());
    launches_in_default_stream();  // from here on they are seen
    try {
      const auto work = [&] {
        for (int i = 0; i < (mailbox_ ? kLaunches : 1); ++i)
          case_.step->launch(slice(), stream_.get());
      };
      const auto give_up = [&] {
        if (mailbox_) mailbox_->give_up();
      };
      communicator_.finish_in_time("the exchange", stream_, options_.limit, work, give_up);
    } catch (const std::exception&) {
      if (mailbox_)
        mailbox_->check_all_came();  // which knows more, and waits for what writes to others
      throw;
    }
    if (mailbox_) mailbox_->check_all_came();
    if (launches_in_default_stream() > 0) {
      throw std::runtime_error("a kernel was launched into another stream than the rank's");
    }
    check_crossing(before);
  }

  // What a step says of its exchange must be so to the last byte.
  void check_crossing(const Crossing& before) const {
    const RankStepInfo& info = case_.step->info;
    if (mailbox_) {
      const std::int64_t words = info.mailbox_words(shape_);
      if (mailbox_->words_there() != words) {
        throw std::runtime_error(std::to_string(mailbox_->words_there()) +
                                 " words are in the mailbox, not " + std::to_string(words));
      }
    }
    if (!counts_crossing()) return;
    const Crossing now = crossing_of(group_.rank());
    const std::int64_t calls = info.collectives != nullptr ? info.collectives(shape_) : 0;
    const bool is_alone = group_.size() == 1;
    const std::int64_t bytes = is_alone || calls == 0 ? 0 : case_.rows * info.bytes_a_row(shape_);
    if (now.calls - before.calls != calls || now.sent_bytes - before.sent_bytes != bytes) {
      throw std::runtime_error(std::to_string(now.calls - before.calls) + " calls have sent " +
                               std::to_string(now.sent_bytes - before.sent_bytes) + " bytes, not " +
                               std::to_string(calls) + " calls " + std::to_string(bytes) +
                               " bytes");
    }
  }

  template <typename Value>
  static std::vector<Value> read(const GuardedBuffer<Value>& buffer, const char* what) {
    const auto damage = buffer.first_damage();
    if (damage) {
      throw std::runtime_error(std::string("wrote beside the ") + what + ": element " +
                               std::to_string(*damage));
    }
    std::vector<Value> values(static_cast<std::size_t>(buffer.size()));
    buffer.read(0, values);
    return values;
  }

  SliceOutput<T> read() const {
    return {read(arrays_->results, "results"), read(arrays_->losses, "losses"),
            read(arrays_->log_sum_exps, "log_sum_exps")};
  }

  Group& group_;
  Communicator& communicator_;
  const RankCase& case_;
  const RunOptions& options_;
  SliceShape shape_;
  std::vector<std::int64_t> columns_;
  std::int64_t first_col_;
  std::int64_t cols_;
  Stream stream_;
  std::optional<Arrays<T>> arrays_;
  std::optional<Mailbox> mailbox_;
};

// What this rank says of a case in which not all went well, given what all have said.
std::string failure_text(const Group::Messages& outcomes, int own_rank) {
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  const auto& own = outcomes[static_cast<std::size_t>(own_rank)];
  const bool is_done = own && (*own)[0] == kDone;
  if (own && !is_done) add(own->substr(1));
  for (std::size_t rank = 0; rank < outcomes.size(); ++rank) {
    if (static_cast<int>(rank) == own_rank || !outcomes[rank]) continue;
    const std::string& outcome = *outcomes[rank];
    const char mark = outcome.empty() ? kOver : outcome[0];
    const bool has_failed = mark == kFailed || mark == kRefused;
    const bool is_news = has_failed && text.find(outcome.substr(1)) == std::string::npos;
    if (is_news) add("rank " + std::to_string(rank) + " says: " + outcome.substr(1));
    const bool is_elsewhere = mark != kDone && mark != kLate && !has_failed;
    if (is_elsewhere && is_done) add("rank " + std::to_string(rank) + " has no outcome");
  }
  const std::string silent = silent_ranks(outcomes);
  if (!silent.empty()) add("no word from " + silent);
  return text;
}

bool have_all_refused(const Group::Messages& outcomes) {
  return std::all_of(outcomes.begin(), outcomes.end(), [](const auto& outcome) {
    return outcome && !outcome->empty() && (*outcome)[0] == kRefused;
  });
}

template <typename T>
Comparison run_typed(Group& group, Communicator& communicator, const RankCase& a_case,
                     const RunOptions& options) {
  Run<T> run(group, communicator, a_case, options);
  SliceOutput<T> output;
  std::string outcome(1, kDone);
  try {
    output = run.output();
  } catch (const RankError& error) {
    outcome = kLate + std::string(error.what());
  } catch (const NcclError& error) {
    outcome = (error.code() == ncclRemoteError ? kLate : kFailed) + std::string(error.what());
  } catch (const std::invalid_argument& error) {
    outcome = kRefused + std::string(error.what());
  } catch (const std::exception& error) {
    outcome = kFailed + std::string(error.what());
  }
  // Those that wait for a rank in vain come later than those that have failed at once. Until all
  // have come, others may still write to this rank's mailbox.
  const Group::Messages outcomes = group.exchange(outcome, 2 * options.limit);
  if (!silent_ranks(outcomes).empty()) run.leave_mailbox();
  if (have_all_refused(outcomes)) throw RefusedError(outcome.substr(1));
  const std::string failure = failure_text(outcomes, group.rank());
  if (!failure.empty()) {
    communicator.abort();  // its end would wait for everyone
    throw RankError(failure);
  }

  const std::vector<std::string> all = meet(group, kResults, output.bytes(), options.limit);
  if (group.rank() != 0) return {};
  const std::vector<std::int64_t> columns = columns_of(a_case.split, a_case.cols, group.size());
  std::vector<SliceOutput<T>> outputs;
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    outputs.push_back(output_of<T>(all[rank], a_case, columns[rank]));
  return check_slices(a_case, outputs);
}

}  // namespace

void stay_away(const RunOptions& options) {
  if (options.fault == Fault::kKilled) std::raise(SIGKILL);
  std::this_thread::sleep_for(4 * options.limit);
  throw RankError("this rank stayed away, as it was told to");
}

Comparison run_case(Group& group, Communicator& communicator, const RankCase& a_case,
                    const RunOptions& options) {
  return with_type(a_case.dtype, [&](auto zero) {
    return run_typed<decltype(zero)>(group, communicator, a_case, options);
  });
}

}  // namespace worklog
