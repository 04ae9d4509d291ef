/// \file
/// cuda::pipeline: stages of copies, of one thread or of the threads of a block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/libcudacxx/barrier.h"
#include "simt/include/cuda_standin/libcudacxx/memcpy_async.h"

namespace cuda {

/// What a thread does in a pipeline that others share.
enum class pipeline_role {
  producer,  ///< starts copies
  consumer,  ///< uses what they copied
};

/// In shared memory: two barriers for each stage, and how many produce.
template <thread_scope Scope, ::std::uint8_t kStages>
class pipeline_shared_state {
  static_assert(kStages > 0, "a pipeline has a stage");

 public:
  pipeline_shared_state() = default;
  pipeline_shared_state(const pipeline_shared_state&) = delete;
  pipeline_shared_state& operator=(const pipeline_shared_state&) = delete;

  barrier<thread_scope_block> produced[kStages];  ///< its phases end when a stage is full
  barrier<thread_scope_block> consumed[kStages];  ///< when it is empty again
};

/// Of one thread: its stages are groups of its own copies.
template <thread_scope Scope>
class pipeline {
  using Place = simt::Location;

 public:
  pipeline() = default;
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;
  pipeline(pipeline&&) = default;

  /// Waits until the stage after the last is empty.
  SIMT_INLINE void producer_acquire(Place where = Place::current()) {
    if (is_shared() && produces_)
      simt::wait_for_async_barrier(consumed(head_).state(), round(head_) - 1, where);
  }
  /// That stage has all its copies.
  SIMT_INLINE void producer_commit(Place where = Place::current()) {
    if (!is_shared()) {
      simt::commit_async_copies();
    } else if (produces_) {
      (void)produced(head_).arrive(1, where);
    }
    ++head_;
  }
  /// Waits until the first stage that was not released is full.
  SIMT_INLINE void consumer_wait(Place where = Place::current()) {
    if (!is_shared()) {
      simt::wait_for_async_copies(head_ > tail_ ? head_ - tail_ - 1 : 0);
    } else if (consumes_) {
      simt::wait_for_async_barrier(produced(tail_).state(), round(tail_), where);
    }
  }
  /// That stage may be filled again.
  SIMT_INLINE void consumer_release(Place where = Place::current()) {
    if (is_shared() && consumes_) (void)consumed(tail_).arrive(1, where);
    ++tail_;
  }

  /// How a copy of the stage after the last begins.
  SIMT_INLINE void start_copy(void* to, const void* from, ::std::size_t bytes, Place where) {
    if (is_shared()) {
      simt::start_async_copy_for(produced(head_).state(), to, from, bytes, where);
    } else {
      simt::start_async_copy(to, from, bytes, 0, where);
    }
  }

 private:
  template <typename Group, thread_scope State, ::std::uint8_t kStages>
  friend pipeline<State> make_shared_pipeline(const Group& group,
                                              pipeline_shared_state<State, kStages>* state,
                                              bool produces, bool consumes, unsigned producers,
                                              unsigned consumers, simt::Location where);

  SIMT_INLINE bool is_shared() const { return stages_ > 0; }
  SIMT_INLINE barrier<thread_scope_block>& produced(::std::size_t stage) const {
    return produced_[stage % stages_];
  }
  SIMT_INLINE barrier<thread_scope_block>& consumed(::std::size_t stage) const {
    return consumed_[stage % stages_];
  }

  /// How often that stage was filled before: the phase of its barriers.
  SIMT_INLINE ::std::uint64_t round(::std::size_t stage) const { return stage / stages_; }

  ::std::size_t head_ = 0;  ///< stages that were committed
  ::std::size_t tail_ = 0;  ///< stages that were released
  ::std::size_t stages_ = 0;
  barrier<thread_scope_block>* produced_ = nullptr;
  barrier<thread_scope_block>* consumed_ = nullptr;
  bool produces_ = true;
  bool consumes_ = true;
};

/// Called by all threads of the group; its first makes the barriers.
template <typename Group, thread_scope Scope, ::std::uint8_t kStages>
SIMT_INLINE pipeline<Scope> make_shared_pipeline(const Group& group,
                                                 pipeline_shared_state<Scope, kStages>* state,
                                                 bool produces, bool consumes, unsigned producers,
                                                 unsigned consumers, simt::Location where) {
  if (group.thread_rank() == 0) {
    for (unsigned stage = 0; stage < kStages; ++stage) {
      init(&state->produced[stage], producers, {}, where);
      init(&state->consumed[stage], consumers, {}, where);
    }
  }
  group.sync(where);
  pipeline<Scope> made;
  made.stages_ = kStages;
  made.produced_ = state->produced;
  made.consumed_ = state->consumed;
  made.produces_ = produces;
  made.consumes_ = consumes;
  return made;
}

/// A pipeline of the calling thread.
SIMT_INLINE pipeline<thread_scope_thread> make_pipeline() {
  return {};
}
/// All threads of the group produce and consume.
template <typename Group, thread_scope Scope, ::std::uint8_t kStages>
SIMT_INLINE pipeline<Scope> make_pipeline(const Group& group,
                                          pipeline_shared_state<Scope, kStages>* state,
                                          simt::Location where = simt::Location::current()) {
  const auto threads = static_cast<unsigned>(group.size());
  return make_shared_pipeline(group, state, true, true, threads, threads, where);
}
/// The first threads of the group produce, the others consume.
template <typename Group, thread_scope Scope, ::std::uint8_t kStages>
SIMT_INLINE pipeline<Scope> make_pipeline(const Group& group,
                                          pipeline_shared_state<Scope, kStages>* state,
                                          ::std::size_t producers,
                                          simt::Location where = simt::Location::current()) {
  const auto threads = static_cast<unsigned>(group.size());
  const auto produce = static_cast<unsigned>(producers);
  const bool produces = group.thread_rank() < produce;
  return make_shared_pipeline(group, state, produces, !produces, produce, threads - produce, where);
}
/// Each thread says what it does. The group is a block.
template <typename Group, thread_scope Scope, ::std::uint8_t kStages>
SIMT_INLINE pipeline<Scope> make_pipeline(const Group& group,
                                          pipeline_shared_state<Scope, kStages>* state,
                                          pipeline_role role,
                                          simt::Location where = simt::Location::current()) {
  const bool produces = role == pipeline_role::producer;
  const auto producers = static_cast<unsigned>(simt::block_barrier(produces, where));
  const auto threads = static_cast<unsigned>(group.size());
  return make_shared_pipeline(group, state, produces, !produces, producers, threads - producers,
                              where);
}

/// Waits for all stages of the thread's pipeline but the latest `kPrior`.
template <unsigned kPrior, thread_scope Scope>
SIMT_INLINE void pipeline_consumer_wait_prior(pipeline<Scope>&) {
  static_assert(Scope == thread_scope_thread, "of a pipeline of one thread");
  simt::wait_for_async_copies(kPrior);
}

/// The group's threads copy together, in the stage after the last.
template <typename Group, thread_scope Scope>
SIMT_INLINE void memcpy_async(const Group& group, void* to, const void* from, ::std::size_t bytes,
                              pipeline<Scope>& waits,
                              simt::Location where = simt::Location::current()) {
  details::copy_share(group, to, from, bytes,
                      [&](char* target, const char* source, ::std::size_t piece) {
                        waits.start_copy(target, source, piece, where);
                      });
}
/// The calling thread copies all of it.
template <thread_scope Scope>
SIMT_INLINE void memcpy_async(void* to, const void* from, ::std::size_t bytes,
                              pipeline<Scope>& waits,
                              simt::Location where = simt::Location::current()) {
  memcpy_async(details::SingleThread{}, to, from, bytes, waits, where);
}

}  // namespace cuda
