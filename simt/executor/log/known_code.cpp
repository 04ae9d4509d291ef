#include "simt/executor/log/known_code.h"

#include <algorithm>

#include "simt/executor/log/shared_code.h"

namespace simt {

FlowPlace KnownCode::place_of(Event block, const Entries& entries, std::uintptr_t near_kernel) {
  if (block == kNoEvent) return {};
  const auto known = places_.find(block);
  if (known != places_.end()) return known->second;
  if (!learned_.empty()) return {};
  for (const Event entry : entries) {
    if (entry == kNoEvent) break;
    if (places_.count(entry) == 0) read(entry, near_kernel);
    const auto found = places_.find(block);
    if (found != places_.end()) return found->second;
  }
  read(block, near_kernel);
  return places_[block];
}

void KnownCode::read(Event entry, std::uintptr_t near_kernel) {
  if (read_.empty()) unloaded_ = objects_unloaded();
  add_places(*read_.emplace_back(shared_code(code_address(entry, near_kernel))));
}

void KnownCode::begin_launch() {
  if (read_.empty() || unloaded_ == objects_unloaded()) return;
  places_.clear();
  functions_.clear();
  read_.clear();
}

void KnownCode::add_places(const CodeFlow& flow) {
  for (BlockNumber block = 0; block < flow.blocks(); ++block) {
    const Event event = flow.event(block);
    if (event != kNoEvent) places_.try_emplace(event, FlowPlace{&flow, block});
  }
  for (const Event access : flow.accesses())
    functions_.try_emplace(access, &flow);
}

CodeFlow& KnownCode::function_from(Event first) {
  CodeFlow*& known = learned_[first];
  if (known == nullptr) known = &flows_.emplace_back();
  return *known;
}

void KnownCode::learn(const Whereabouts& from, const Event* begin, const Event* end) {
  struct Here {
    CodeFlow* function;  // null before its first block
    BlockNumber block;
  };
  std::vector<Here> here;
  for (const Whereabouts::Activation& in : from.activations()) {
    here.push_back({nullptr, kNoBlock});
    if (in.block == kNoEvent) continue;
    CodeFlow& function = function_from(in.block);
    here.back() = {&function, function.add_block(in.block)};
  }
  for (const Event* event = begin; event != end; ++event) {
    if (*event == kMeetingPoint) continue;
    Here& in = here.back();
    if (is_call(*event)) {
      if (in.function != nullptr) in.function->add_effect(in.block, *event);
      here.push_back({nullptr, kNoBlock});
    } else if (is_return(*event)) {
      if (in.function != nullptr) in.function->add_return(in.block);
      if (here.size() == 1) here.back() = {nullptr, kNoBlock};
      if (here.size() > 1) here.pop_back();
    } else if (is_access(*event)) {
      if (in.function != nullptr) in.function->add_effect(in.block, *event);
    } else {
      if (in.function == nullptr) in.function = &function_from(*event);
      const BlockNumber block = in.function->add_block(*event);
      if (in.block != kNoBlock) in.function->add_way(in.block, block);
      in.block = block;
    }
  }
  for (const Here& in : here)
    if (in.function != nullptr) in.function->add_return(in.block);
}

void KnownCode::end_learning() {
  for (CodeFlow& flow : flows_) {
    flow.find_meetings();
    add_places(flow);
  }
}

void Whereabouts::go_on(Event event) {
  if (is_call(event)) {
    activations_.emplace_back();
  } else if (is_return(event)) {
    if (activations_.size() == 1) {
      activations_.back() = {};
    } else {
      activations_.pop_back();
    }
  } else {
    Activation& in = activations_.back();
    // All others are called, and so begin with the first block.
    const std::size_t count = activations_.size() == 1 ? in.entries.size() : 1;
    const auto end = in.entries.begin() + static_cast<std::ptrdiff_t>(count);
    const auto free = std::find(in.entries.begin(), end, kNoEvent);
    const bool has_returned_here = in.entries[0] == kNoEvent && in.block != kNoEvent;
    if (free != end && !has_returned_here && std::find(in.entries.begin(), free, event) == free)
      *free = event;
    in.block = event;
  }
}

}  // namespace simt
