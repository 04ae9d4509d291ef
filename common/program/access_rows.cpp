#include "common/program/access_rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <ostream>
#include <utility>

namespace worklog {

namespace {

constexpr std::size_t kLineWidth = 100;
constexpr std::uint64_t kSectorBytes = 32;
constexpr unsigned kWordBytes = 4;
constexpr char kNobody = '.';
constexpr char kSeveral = '*';

char symbol_of(unsigned lane) {
  return "0123456789abcdefghijklmnopqrstuv"[lane];
}

// By array and sector: a character for each element, or each word of wide accesses.
using Sectors = std::map<std::pair<int, std::uint64_t>, std::string>;

Sectors sectors_of(const simt::TracedRequest& request) {
  const unsigned place_bytes = std::min(request.bytes, kWordBytes);
  Sectors sectors;
  for (const simt::TracedLane& lane : request.lanes) {
    for (unsigned byte = 0; byte < request.bytes; byte += place_bytes) {
      const std::uint64_t at = lane.offset + byte;
      std::string& sector = sectors[{lane.array, at / kSectorBytes}];
      if (sector.empty()) sector.assign(kSectorBytes / place_bytes, kNobody);
      char& place = sector[at % kSectorBytes / place_bytes];
      place = place == kNobody ? symbol_of(lane.lane) : kSeveral;
    }
  }
  return sectors;
}

std::string rest_of(std::size_t sectors) {
  return " +" + std::to_string(sectors) + " more";
}

std::string memory_of(const simt::TracedRequest& request, const TracedRun& run) {
  const int array = request.lanes.front().array;
  return array < 0 ? "shared" : run.names[static_cast<std::size_t>(array)];
}

std::string what_of(const simt::TracedRequest& request, const TracedRun& run) {
  std::string kind(simt::name_of(request.kind));
  kind.erase(0, kind.find(' ') + 1);  // "load": the name of the memory says the rest
  return kind + " " + memory_of(request, run);
}

bool same_warp(const simt::TracedRequest& a, const simt::TracedRequest& b) {
  return a.launch == b.launch && a.block == b.block && a.warp == b.warp;
}

std::uint64_t first_byte(const simt::TracedRequest& request) {
  std::uint64_t first = request.lanes.front().offset;
  for (const simt::TracedLane& lane : request.lanes)
    first = std::min(first, lane.offset);
  return first;
}

// The line, with its file if that is not the kernel's own.
std::string place_of(const simt::TracedRequest& request, const Step& step) {
  const std::string line = std::to_string(request.line);
  const std::string own = step.variant.empty() ? "softmax" : step.variant;
  return request.file == own + ".cu" ? line : request.file + ":" + line;
}

std::size_t width_of_places(const TracedRun& run) {
  std::size_t width = std::string("line").size();
  for (const simt::TracedRequest& request : run.trace.requests)
    width = std::max(width, place_of(request, *run.step).size());
  return width;
}

void print_row(std::ostream& out, const simt::TracedRequest& request, const TracedRun& run,
               std::size_t place_width) {
  const bool is_shared = request.wavefronts > 0;
  const std::string cost =
      std::to_string(is_shared ? request.wavefronts : request.sectors) + (is_shared ? "w" : "s");
  const std::string order = std::to_string(request.number) + "/" + std::to_string(request.of);
  const std::string head =
      fmt::format("{:>{}}  {:<19}{:>6}{:>5}{:>7}  ", place_of(request, *run.step), place_width,
                  what_of(request, run), order, cost, first_byte(request));
  out << head << sectors_picture(request, kLineWidth - head.size()) << "\n";
}

}  // namespace

std::string sectors_picture(const simt::TracedRequest& request, std::size_t width) {
  const Sectors sectors = sectors_of(request);
  std::string picture;
  std::size_t drawn = 0;
  std::pair<int, std::uint64_t> expected = {};
  for (const auto& [place, sector] : sectors) {
    const bool is_neighbour = drawn > 0 && place == expected;
    std::string next = is_neighbour ? sector + "|" : "|" + sector + "|";
    if (drawn > 0 && !is_neighbour) next.insert(0, " ");
    const bool is_last = drawn + 1 == sectors.size();
    const std::size_t needed = is_last ? 0 : rest_of(sectors.size() - drawn - 1).size();
    if (picture.size() + next.size() + needed > width) break;
    picture += next;
    expected = {place.first, place.second + 1};
    ++drawn;
  }
  if (drawn < sectors.size()) picture += rest_of(sectors.size() - drawn);
  return picture;
}

void print_access_rows(std::ostream& out, const TracedRun& run) {
  out << run.step->label() << ": " << run.a_case.rows << " x " << run.a_case.cols << ", "
      << name_of(run.a_case.dtype) << ", the first requests of the first warps\n";
  const std::size_t place_width = width_of_places(run);
  const simt::TracedRequest* before = nullptr;
  for (const simt::TracedRequest& request : run.trace.requests) {
    if (before == nullptr || !same_warp(*before, request)) {
      out << "\n"
          << request.kernel << ", block " << request.block << ", warp " << request.warp << "\n"
          << fmt::format("{:>{}}", "line", place_width)
          << "  access             request cost   from\n";
    }
    print_row(out, request, run, place_width);
    before = &request;
  }
  out << "\n|..|: a sector of 32 bytes, with the lane (0-9, a-v) that touches each element; *: "
         "several lanes\nrequest: which one of the warp's at this place, of how many; from: its "
         "lowest byte in the array\ncost: s, sectors of global memory, or w, wavefronts of shared "
         "memory\n";
}

}  // namespace worklog
