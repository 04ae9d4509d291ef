#include "simt/run/places.h"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

namespace simt::run {
namespace {

namespace fs = std::filesystem;

/// An empty one is as good as none.
std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path program_path() {
#ifdef __APPLE__
  std::uint32_t size = 0;
  _NSGetExecutablePath(nullptr, &size);
  std::vector<char> path(size);
  if (_NSGetExecutablePath(path.data(), &size) != 0)
    throw std::runtime_error("the system does not say where this program lies");
  return path.data();
#else
  return "/proc/self/exe";
#endif
}

}  // namespace

fs::path program_folder() {
  return fs::canonical(program_path()).parent_path();
}

fs::path cache_folder() {
  if (const std::string own = variable("SIMT_CACHE"); !own.empty()) return fs::absolute(own);
  if (const std::string shared = variable("XDG_CACHE_HOME"); !shared.empty())
    return fs::absolute(shared) / "simt";
  if (const std::string home = variable("HOME"); !home.empty())
    return fs::path(home) / ".cache/simt";
  throw std::runtime_error(
      "there is no folder for compiled programs: the environment has neither SIMT_CACHE nor "
      "XDG_CACHE_HOME nor HOME");
}

}  // namespace simt::run
