// nvcc compiles a source twice, and `__CUDA_ARCH__` is defined when it does so for the device. Here
// it is compiled once, so the macro comes and goes. A kernel that asks for it becomes
//
//   __global__ void kernel() {
//   #pragma push_macro("__CUDA_ARCH__")
//   #undef __CUDA_ARCH__
//   #define __CUDA_ARCH__ 900
//   #line 1 "source.cu"
//     ...
//   #pragma pop_macro("__CUDA_ARCH__")
//   #line 9 "source.cu"
//   }
//
// and a function that both sides may call has its body twice:
//
//   __host__ __device__ float f() { if (::simt::on_device()) { ... } else { ... } }
//
// What `__CUDA_ARCH__` decides outside functions, it decides as in device code.

#include <algorithm>
#include <string>

#include "simt/translate/conditions.h"
#include "simt/translate/translation.h"

namespace simt::translate {
namespace {

/// Is given ranges of tokens in their order: those that hold others come before them.
class RegionMaker {
 public:
  RegionMaker(const Tokens& tokens, const std::string& path) : tokens_(tokens), path_(path) {}

  void add(const SidedRange& range) {
    while (!around_.empty() && around_.back().end <= range.begin)
      around_.pop_back();
    if (!range.has_conditional && !range.asks_architecture) return;
    const bool around_for_host = around_.empty() || around_.back().for_host;
    const bool around_for_device = !around_.empty() && around_.back().for_device;
    if (range.for_host == around_for_host && range.for_device == around_for_device) return;
    if (comes_twice(range) && std::any_of(around_.begin(), around_.end(), comes_twice)) return;
    regions_.push_back(region_of(range));
    around_.push_back(range);
  }

  std::vector<Region> take() { return std::move(regions_); }

 private:
  Region region_of(const SidedRange& range) const {
    const Token& first = tokens_[range.is_function ? range.begin - 1 : range.begin];
    const Token& last = tokens_[range.is_function ? range.end : range.end - 1];
    const std::size_t begin = range.is_function ? first.end() : first.offset;
    const std::size_t end = range.is_function ? last.offset : last.end();
    const int end_line = range.is_function ? last.line : last.line + line_feeds(last);
    const std::string back = leave(end_line);
    if (!range.for_host) return {begin, end, enter(Side::kDevice, first.line), "", back};
    if (!range.for_device) return {begin, end, enter(Side::kHost, first.line), "", back};
    return {begin, end, " if (::simt::on_device()) {" + enter(Side::kDevice, first.line),
            back + "} else {" + enter(Side::kHost, first.line), back + "}"};
  }

  static bool comes_twice(const SidedRange& range) { return range.for_host && range.for_device; }

  static int line_feeds(const Token& token) {
    return static_cast<int>(std::count(token.text.begin(), token.text.end(), '\n'));
  }

  std::string enter(Side side, int line) const {
    std::string text = "\n#pragma push_macro(\"__CUDA_ARCH__\")\n#undef __CUDA_ARCH__\n";
    if (side == Side::kDevice) {
      text += "#define __CUDA_ARCH__ " + std::to_string(kArchitecture) + "\n";
    }
    return text + go_on_at(line);
  }
  std::string leave(int line) const {
    return "\n#pragma pop_macro(\"__CUDA_ARCH__\")\n" + go_on_at(line);
  }
  std::string go_on_at(int line) const {
    return "#line " + std::to_string(line) + " " + quoted(path_) + "\n";
  }

  const Tokens& tokens_;
  const std::string& path_;
  std::vector<SidedRange> around_;  ///< ranges that are regions, each in the one before
  std::vector<Region> regions_;
};

/// Whether host code may depend on what the device's side makes of a conditional outside functions.
bool may_matter_to_host(const Tokens& tokens, const SidedRange& range) {
  bool has_code = false;
  bool has_device_code = false;
  bool defines = false;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Token& token = tokens[i];
    if (token.kind != TokenKind::kDirective) {
      has_code = true;
      has_device_code |= token.is("__device__") || token.is("__global__");
      continue;
    }
    const Tokens words = tokenize(token.text.substr(1));
    defines |= !words.empty() && words[0].is("define");
  }
  return defines || (has_code && !has_device_code);
}

}  // namespace

std::vector<Region> regions_of_sides(const Tokens& tokens, const std::vector<SidedRange>& ranges,
                                     const std::string& path) {
  RegionMaker maker(tokens, path);
  for (const SidedRange& range : ranges)
    maker.add(range);
  return maker.take();
}

std::vector<Remark> remarks_on_sides(const Tokens& tokens, const std::vector<SidedRange>& ranges) {
  std::vector<Remark> remarks;
  for (const SidedRange& range : ranges) {
    if (range.is_function || !may_matter_to_host(tokens, range)) continue;
    remarks.push_back({tokens[range.begin].line,
                       "__CUDA_ARCH__ decides here outside of functions: as on the device (" +
                           std::to_string(kArchitecture) + "), for host code as well"});
  }
  return remarks;
}

}  // namespace simt::translate
