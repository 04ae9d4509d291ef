#include "bench/profile_cases.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bench/shapes.h"

namespace worklog::bench {

namespace {

struct ProfileShape {
  std::int64_t rows, cols;
  std::vector<int> ks;  // of top-k steps; the ladder's own kernel only, but for the first
};

// Enough rows for a step's usual block sizes, and too few: see kFewRows. K of 100 takes a list of
// four slots, which has code of its own.
std::vector<ProfileShape> parity_shapes() {
  return {
      {288, 1024, {kUsualK}},      // aligned
      {300, 777, {kUsualK}},       // odd width: hardly a row is aligned, and warps are cut
      {40, 20, {kUsualK}},         // narrower than a warp
      {36, 4096, {kUsualK, 100}},  // aligned, few rows
      {3, 50001, {kUsualK}},       // long rows, odd
      {4000, 32, {}},              // many short rows
      {1, 131072, {}},             // one row: aligned
      {1, 100003, {}},             // odd
      {1, 20, {}},                 // narrower than a warp
      {1, 1050001, {}},            // longer than a block's share squared
  };
}

// Those that README.md, the steps' pages and the report show times of.
std::vector<ProfileShape> hardware_shapes(DType dtype) {
  std::vector<ProfileShape> shapes = {{4000, 4000, {kUsualK}}, {4000, 25000, {kUsualK}}};
  if (dtype == DType::kFloat32) shapes.push_back({10, 25000, {kUsualK}});
  if (dtype == DType::kFloat32) {
    shapes.push_back({1000000, 64, {}});
    shapes.push_back({8192, 50257, {}});
    shapes.push_back({4000, 100000, {}});
    shapes.push_back({10, 100000, {}});
    shapes.push_back({10, 1000000, {}});
  } else {
    shapes.push_back({32768, 256, {}});
    shapes.push_back({32768, 4096, {}});
    shapes.push_back({32768, 16384, {}});
    shapes.push_back({8192, 262144, {}});
  }
  shapes.push_back({1, 1 << 24, {}});
  return shapes;
}

bool is_profiled(const Step& step, ProfilePart part, DType dtype, const ProfileShape& shape) {
  if (part == ProfilePart::kParity || dtype == DType::kFloat32 || step.variant.empty()) return true;
  return step.reads_once() && shape.rows == 4000 && shape.cols == 25000;
}

// The steps whose blocks share a row have shapes of one row, and those for one row no others.
bool is_asked(const Step& step, DType dtype, const ProfileShape& shape) {
  if (!step.info.takes_shape(shape.rows, shape.cols, size_of(dtype))) return false;
  if (shape.ks.empty() && shape.rows > 1) return step.reads_once();
  const bool shares_a_row = step.takes_one_row() || step.info.several_blocks_a_row;
  return shape.rows > 1 ? !step.takes_one_row() : shares_a_row;
}

void add_shape(std::vector<ProfileCase>& cases, const std::vector<Step>& steps, ProfilePart part,
               DType dtype, const ProfileShape& shape) {
  for (const Step& step : steps) {
    if (!is_profiled(step, part, dtype, shape) || !is_asked(step, dtype, shape)) continue;
    if (!step.is_top_k()) {
      cases.push_back({&step, dtype, shape.rows, shape.cols});
      continue;
    }
    for (const int k : shape.ks) {
      if (k != shape.ks.front() && !step.variant.empty()) continue;
      cases.push_back({&step, dtype, shape.rows, shape.cols, k});
    }
  }
}

}  // namespace

std::string_view name_of(ProfilePart part) {
  return part == ProfilePart::kParity ? "parity" : "hardware";
}

ProfilePart profile_part_from_name(std::string_view text) {
  for (const ProfilePart part : {ProfilePart::kParity, ProfilePart::kHardware}) {
    if (text == name_of(part)) return part;
  }
  throw std::invalid_argument("part '" + std::string(text) + "': must be parity or hardware");
}

std::vector<ProfileCase> profile_cases(const std::vector<Step>& steps, ProfilePart part,
                                       std::optional<DType> only) {
  std::vector<ProfileCase> cases;
  for (const DType dtype : kAllDTypes) {
    if (only && dtype != *only) continue;
    const bool is_shown = dtype != DType::kBFloat16;  // bf16 moves as fp16 does
    if (part == ProfilePart::kHardware && !is_shown) continue;
    for (const ProfileShape& shape :
         part == ProfilePart::kParity ? parity_shapes() : hardware_shapes(dtype)) {
      add_shape(cases, steps, part, dtype, shape);
    }
  }
  return cases;
}

}  // namespace worklog::bench
