/// \file
/// The JSON of what the first warps of a launch did: docs/record.md describes it. All here, because
/// the recorder that is linked into programs is a single object.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "simt/executor/warp_record.h"

namespace simt::run {

/// Numbers the places in the source that events are at, in the order in which they come.
class Places {
 public:
  /// The number of a place; -1 where no file is known.
  int number(const std::string& file, int line) {
    if (file.empty()) return -1;
    const auto [found, is_new] =
        numbers_.try_emplace({file, line}, static_cast<int>(numbers_.size()));
    if (is_new) all_.push_back({{"file", file}, {"line", line}});
    return found->second;
  }
  /// Each with its `file` and `line`.
  const nlohmann::ordered_json& all() const { return all_; }

 private:
  std::map<std::pair<std::string, int>, int> numbers_;
  nlohmann::ordered_json all_ = nlohmann::ordered_json::array();
};

/// Most lanes lie at equal distances: then the first offset and the distance tell all.
inline void add_offsets(nlohmann::ordered_json& json, const std::vector<std::uint64_t>& offsets) {
  const auto distance = [&](std::size_t i) {
    return static_cast<std::int64_t>(offsets[i] - offsets[i - 1]);
  };
  bool regular = true;
  for (std::size_t i = 2; i < offsets.size(); ++i)
    regular = regular && distance(i) == distance(1);
  if (!regular) {
    json["offsets"] = offsets;
    return;
  }
  json["first"] = offsets.empty() ? 0 : offsets[0];
  json["stride"] = offsets.size() > 1 ? distance(1) : 0;
}

/// One number if all lanes reach the same array.
inline void add_arrays(nlohmann::ordered_json& json, const std::vector<int>& arrays) {
  if (arrays.empty()) return;
  const std::vector<int> same(arrays.size(), arrays[0]);
  if (arrays == same) {
    json["array"] = arrays[0];
  } else {
    json["arrays"] = arrays;
  }
}

/// Costs that are 0 are left out.
inline void add_access(nlohmann::ordered_json& json, const WarpEvent& event) {
  json["bytes"] = event.bytes;
  add_arrays(json, event.arrays);
  add_offsets(json, event.offsets);
  for (const auto& [name, value] :
       {std::pair{"sectors", event.sectors}, std::pair{"wavefronts", event.wavefronts},
        std::pair{"conflicts", event.conflicts}, std::pair{"words", event.words}}) {
    if (value != 0) json[name] = value;
  }
}

/// One event, whose line is numbered among `places`.
inline nlohmann::ordered_json to_json(const WarpEvent& event, Places& places) {
  nlohmann::ordered_json json = {{"kind", name_of(event)}};
  const int place = places.number(event.file, event.line);
  if (place >= 0) json["place"] = place;
  json["lanes"] = event.lanes;
  if (!event.operation.empty()) json["operation"] = event.operation;
  if (event.kind == WarpEventKind::kAccess) add_access(json, event);
  if (event.kind == WarpEventKind::kShuffle) json["from"] = event.others;
  if (event.kind == WarpEventKind::kVote) json["votes"] = event.votes;
  if (event.kind == WarpEventKind::kArrive) json["missing"] = event.others;
  if (event.kind == WarpEventKind::kPart) json["sides"] = event.others;
  return json;
}

/// One warp with its events.
inline nlohmann::ordered_json to_json(const RecordedWarp& warp, Places& places) {
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  for (const WarpEvent& event : warp.events)
    events.push_back(to_json(event, places));
  return {{"warp", warp.number},
          {"lanes", warp.lanes},
          {"left_out", warp.left_out},
          {"events", std::move(events)}};
}

/// One block with its recorded warps.
inline nlohmann::ordered_json to_json(const RecordedBlock& block, Places& places) {
  nlohmann::ordered_json shared = nlohmann::ordered_json::array();
  for (const auto& [name, offset, bytes] : block.shared)
    shared.push_back({{"name", name}, {"offset", offset}, {"bytes", bytes}});
  nlohmann::ordered_json recorded = nlohmann::ordered_json::array();
  for (const RecordedWarp& warp : block.recorded)
    recorded.push_back(to_json(warp, places));
  return {{"block", block.number},
          {"warps", block.warps},
          {"shared", std::move(shared)},
          {"recorded", std::move(recorded)}};
}

/// A launch's `recorded`.
inline nlohmann::ordered_json to_json(const LaunchRecord& record) {
  nlohmann::ordered_json arrays = nlohmann::ordered_json::array();
  for (const auto& [begin, name, bytes, element_bytes, allocated_at] : record.arrays) {
    arrays.push_back({{"name", name},
                      {"bytes", bytes},
                      {"element_bytes", element_bytes},
                      {"allocated_at", allocated_at}});
  }
  Places places;
  nlohmann::ordered_json blocks = nlohmann::ordered_json::array();
  for (const RecordedBlock& block : record.blocks)
    blocks.push_back(to_json(block, places));
  return {{"places", places.all()}, {"arrays", std::move(arrays)}, {"blocks", std::move(blocks)}};
}

/// How many events a launch has recorded.
inline std::size_t count_events(const LaunchRecord& record) {
  std::size_t count = 0;
  for (const RecordedBlock& block : record.blocks) {
    for (const RecordedWarp& warp : block.recorded)
      count += warp.events.size();
  }
  return count;
}

}  // namespace simt::run
