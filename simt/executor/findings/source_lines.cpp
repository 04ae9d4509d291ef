#include "simt/executor/findings/source_lines.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <dlfcn.h>
#if defined(__GLIBC__)
#include <link.h>
#endif
#include <map>
#include <mutex>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "simt/executor/findings/library_calls.h"
#include "simt/executor/system/fork_lock.h"

namespace simt {
namespace {

// Lines in the stand-in headers, of a loop's mark, and in headers of libraries are not the
// learner's.
constexpr std::array<std::string_view, 5> kOthers = {
    "simt/include/", "simt/executor/", "/include/c++/", "/include/thrust/", "/include/cub/"};

bool is_learners(std::string_view place) {
  return std::none_of(kOthers.begin(), kOthers.end(), [&](std::string_view folder) {
    return place.find(folder) != std::string_view::npos;
  });
}

std::string file_name(std::string_view path) {
  return std::string(path.substr(path.find_last_of('/') + 1));
}

// A translated file has the lines of its source, but g++ calls some of them by its own name.
std::string source_file_name(std::string_view place) {
  constexpr std::string_view kTranslated = ".cu.cpp:";
  std::string name = file_name(place);
  const std::size_t suffix = name.find(kTranslated);
  return suffix == std::string::npos ? name : name.replace(suffix, kTranslated.size(), ".cu:");
}

// addr2line prints the innermost inlined place first, then its callers.
class BestPlace {
 public:
  // One that addr2line prints: "file:line (discriminator 2)"
  void take(std::string_view place) {
    place = place.substr(0, std::min(place.find(" (discriminator"), place.find('\n')));
    if (place.empty() || place.front() == '?' || is_learners_) return;
    is_learners_ = simt::is_learners(place);
    if (is_learners_ || line_.empty()) line_ = source_file_name(place);
  }
  const std::string& line() const { return line_; }
  bool is_learners() const { return is_learners_; }

 private:
  std::string line_;
  bool is_learners_ = false;
};

// The main program knows itself by the name it was started with, which need not lead to it from
// here.
std::string file_of(const char* object) {
  if (::access(object, R_OK) == 0) return object;
  return "/proc/" + std::to_string(getpid()) + "/exe";
}

struct Address {
  std::uintptr_t returns_to;  // as it was asked for
  std::string offset;         // of the call, in the object
};
using AddressesByObject = std::map<std::string, std::vector<Address>>;
struct Line {
  std::string text;
  bool is_learners = false;
};
using Lines = std::map<std::uintptr_t, Line>;

// What has been added to the addresses that the object's debug information knows: nothing, for a
// program that is not position-independent.
std::uintptr_t shift_of([[maybe_unused]] const void* code, const Dl_info& object) {
#if defined(__GLIBC__)
  Dl_info again;
  void* map = nullptr;
  if (dladdr1(code, &again, &map, RTLD_DL_LINKMAP) != 0) return static_cast<link_map*>(map)->l_addr;
#endif
  return reinterpret_cast<std::uintptr_t>(object.dli_fbase);
}

AddressesByObject by_object(const std::set<std::uintptr_t>& return_addresses, Lines& lines) {
  AddressesByObject addresses;
  for (const std::uintptr_t address : return_addresses) {
    if (lines.contains(address)) continue;
    const std::uintptr_t call = address - 1;  // within it, not behind it
    const void* const code = reinterpret_cast<const void*>(call);
    Dl_info object;
    if (dladdr(code, &object) == 0) {
      lines[address] = {"unknown line"};
      continue;
    }
    char offset[32];
    std::snprintf(offset, sizeof offset, "0x%zx", call - shift_of(code, object));
    addresses[file_of(object.dli_fname)].push_back({address, offset});
  }
  return addresses;
}

// In quotes, within which a quote ends them, stands for itself, and begins them again.
std::string quoted_for_shell(const std::string& path) {
  std::string text = "'";
  for (const char c : path)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// What addr2line says of each, line by line. With -a it begins each with the address.
template <typename Take>
void ask(const std::string& object, const std::vector<Address>& addresses, Take take) {
  std::string command = "addr2line -a -i -e " + quoted_for_shell(object);
  for (const Address& address : addresses)
    command += " " + address.offset;
  std::FILE* const output = popen((command + " 2>/dev/null").c_str(), "r");
  if (output == nullptr) return;
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, output) != nullptr)
    take(std::string_view(buffer));
  pclose(output);
}

std::vector<BestPlace> places_in(const std::string& object, const std::vector<Address>& addresses) {
  std::vector<BestPlace> places;
  ask(object, addresses, [&](std::string_view text) {
    if (text.starts_with("0x")) {
      places.emplace_back();
    } else if (!places.empty()) {
      places.back().take(text);
    }
  });
  return places;
}

void look_up_in(const std::string& object, const std::vector<Address>& addresses, Lines& lines) {
  const std::vector<BestPlace> places = places_in(object, addresses);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    Line& line = lines[addresses[i].returns_to];
    if (i < places.size()) line = {places[i].line(), places[i].is_learners()};
    if (line.text.empty()) line.text = file_name(object) + "+" + addresses[i].offset;
  }
}

void look_up(const std::set<std::uintptr_t>& return_addresses, Lines& lines) {
  constexpr std::size_t kMostAtOnce = 1000;  // a command of less than 32 KiB
  for (const auto& [object, all] : by_object(return_addresses, lines)) {
    for (auto first = all.begin(); first != all.end();) {
      const auto count = std::min<std::ptrdiff_t>(all.end() - first, kMostAtOnce);
      look_up_in(object, {first, first + count}, lines);
      first += count;
    }
  }
}

struct State {
  ForkLock<std::mutex> mutex;
  Lines lines;
  std::map<std::uintptr_t, std::string> calls;  // all lines of each
};

// Never destroyed: also asked at the very end.
State& state() {
  static State& instance = *new State;
  return instance;
}

Line line_of_call(std::uintptr_t return_address) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (!s.lines.contains(return_address)) look_up({return_address}, s.lines);
  return s.lines.at(return_address);
}

Line line_of_frames(const std::vector<std::uintptr_t>& frames) {
  look_up_source_lines({frames.begin(), frames.end()});
  for (const std::uintptr_t frame : frames) {
    Line line = line_of_call(frame);
    if (line.is_learners) return line;
  }
  return {"unknown line"};
}

Line line_of(std::uintptr_t return_address) {
  if (!stands_for_frames(return_address)) return line_of_call(return_address);
  return line_of_frames(frames_of(return_address));
}

}  // namespace

void look_up_source_lines(const std::set<std::uintptr_t>& return_addresses) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  look_up(return_addresses, s.lines);
}

std::string source_line(std::uintptr_t return_address) {
  return line_of(return_address).text;
}

bool is_in_program(std::uintptr_t return_address) {
  return line_of(return_address).is_learners;
}

std::string source_calls(std::uintptr_t return_address) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const auto [known, is_new] = s.calls.try_emplace(return_address);
  if (!is_new) return known->second;
  Lines unknown;
  for (const auto& [object, addresses] : by_object({return_address}, unknown)) {
    ask(object, addresses, [&](std::string_view text) {
      if (!text.starts_with("0x")) known->second += text.substr(0, text.find(" (discriminator"));
    });
  }
  return known->second;
}

std::string source_line(const char* file, int line) {
  return file_name(file) + ":" + std::to_string(line);
}

}  // namespace simt
