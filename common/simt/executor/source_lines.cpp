#include "common/simt/executor/source_lines.h"

#include <cstdio>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string_view>
#include <unistd.h>

namespace simt {
namespace {

// Lines in the stand-in headers, and in the C++ library's, are not the learner's.
constexpr std::string_view kStandIns = "common/simt/include/";
constexpr std::string_view kLibrary = "/include/c++/";

bool is_learners(std::string_view place) {
  return place.find(kStandIns) == std::string_view::npos &&
         place.find(kLibrary) == std::string_view::npos;
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
std::string first_line_outside_stand_ins(std::FILE* places) {
  char buffer[4096];
  std::string found;
  while (std::fgets(buffer, sizeof buffer, places) != nullptr) {
    std::string_view place = buffer;
    place = place.substr(0, place.find_first_of(" \n"));  // "file:line (discriminator 2)"
    if (place.empty() || place.front() == '?') continue;
    if (is_learners(place)) return source_file_name(place);
    if (found.empty()) found = source_file_name(place);
  }
  return found;
}

// The main program knows itself by the name it was started with, which need not lead to it from
// here.
std::string file_of(const char* object) {
  if (::access(object, R_OK) == 0) return object;
  return "/proc/" + std::to_string(getpid()) + "/exe";
}

std::string look_up(std::uintptr_t code_address) {
  Dl_info object;
  if (dladdr(reinterpret_cast<void*>(code_address), &object) == 0) return "unknown line";
  char offset[32];
  std::snprintf(offset, sizeof offset, "0x%zx",
                code_address - reinterpret_cast<std::uintptr_t>(object.dli_fbase));
  const std::string path = file_of(object.dli_fname);
  const std::string command = "addr2line -i -e '" + path + "' " + offset + " 2>/dev/null";
  std::string line;
  if (std::FILE* places = popen(command.c_str(), "r")) {
    line = first_line_outside_stand_ins(places);
    pclose(places);
  }
  return line.empty() ? file_name(path) + "+" + offset : line;
}

}  // namespace

std::string source_line(std::uintptr_t return_address) {
  static auto& known =
      *new std::map<std::uintptr_t, std::string>;  // also asked for at the very end
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::string& line = known[return_address];
  if (line.empty()) line = look_up(return_address - 1);  // within the call, not behind it
  return line;
}

std::string source_line(const char* file, int line) {
  return file_name(file) + ":" + std::to_string(line);
}

}  // namespace simt
