#include "bench/shapes.h"

#include <algorithm>

namespace worklog::bench {

namespace {

// Milakov and Gimelshein, "Online normalizer calculation for softmax", section 5: a batch large
// enough to fill a GPU and one that is not, and vocabularies from tiny to large. Their widths are
// powers of ten; powers of two and the widths of well-known vocabularies stand beside them.
constexpr std::int64_t kPaperRows[] = {4000, 10};
constexpr std::int64_t kPaperCols[] = {10,   32,   100,  128,   320,   1000,  1024,
                                       3200, 4000, 4096, 10000, 25000, 32000, 100000};
constexpr std::int64_t kPaperTopKCols = 25000;
constexpr int kPaperKs[] = {kUsualK, 10, 15, 30, 64, 128};

// What sampling and sparse attention ask for beside that. Of these, a step is timed with the K that
// it takes.
constexpr int kShortK = 8;
constexpr std::int64_t kShortTopKCols = 4096;
constexpr int kLargeKs[] = {256, 2048};
constexpr std::int64_t kLongTopKCols = 100000;

// Both regimes of a cache: arrays that fit an L2 cache of tens of megabytes, and ones that do not.
constexpr std::int64_t kWarmCols[] = {100, 1000, 4000, 25000};

// Where halving the bytes can show.
constexpr std::int64_t kHalfRows = 4000;
constexpr std::int64_t kHalfCols[] = {100, 1000, 1024, 4000, 4096, 10000, 25000, 100000};

// Benji Visser, "Writing a Softmax Kernel From Scratch".
constexpr std::int64_t kVisserRows[] = {32, 64};
constexpr std::int64_t kVisserCols[] = {512, 1024, 2048, 4096, 8192};

// "CUDA Softmax optimization", whose four versions stand side by side at square, wide and few rows.
struct RowsAndCols {
  std::int64_t rows, cols;
};
constexpr RowsAndCols kGuideShapes[] = {{1024, 1024}, {1024, 32768}, {128, 131072}};

// "Log-softmax", the note's one measurement.
constexpr std::int64_t kLogSoftmaxRows = 256;
constexpr std::int64_t kLogSoftmaxCols = 30000;

// Somik, "WorkLog: Optimizing Softmax Kernel": one row of 2^24 elements, and the time against the
// array's size from 1 K to 64 M, here in powers of four.
constexpr std::int64_t kShortestRow = 1024;
constexpr std::int64_t kLongestRow = 64 * 1024 * 1024;

// The real inputs in common/verify/data: attention scores, and scores of a search.
constexpr RowsAndCols kRealInputs[] = {{6144, 128}, {52, 4584}};

// Where a row read once pays: many short rows, few rows of a million columns, and the widths of
// half types, vocabularies that are no multiple of a vector among them.
constexpr RowsAndCols kReadOnce[] = {{4000000, 32}, {1000000, 64}, {8192, 50257}, {10, 1000000}};
constexpr RowsAndCols kReadOnceHalf[] = {{32768, 256},   {32768, 1024},  {32768, 4096},
                                         {32768, 16384}, {32768, 65536}, {8192, 262144},
                                         {8192, 50257},  {4000, 4001}};

// The top-k of a few long rows, and of a vocabulary for sampling.
constexpr RowsAndCols kFewLongRows = {256, 131072};
constexpr RowsAndCols kSampling = {8192, 50257};
constexpr int kSamplingK = 50;

// What training wants: hidden layers and vocabularies of today's language models, in bf16, among
// shapes that are timed for other steps as well, in both types.
constexpr RowsAndCols kTrainingHalf[] = {
    {8192, 4096}, {8192, 32000}, {8192, 32768}, {4096, 128256}};
constexpr RowsAndCols kTrainingToo[] = {{4000, 1000}, {4000, 4000}, {4000, 25000}, {8192, 50257}};
constexpr RowsAndCols kTrainingTooHalf[] = {{32768, 1024}};

// The queries and keys of one head: a text whose scores outgrow the L2 cache in fp32, and a long
// one.
constexpr std::int64_t kTokens[] = {4096, 16384};

// How near the steps that read once come to the copy is shown for those and for these.
constexpr RowsAndCols kHowNear[] = {{4000, 128},   {4000, 1000},  {4000, 4000},
                                    {4000, 10000}, {4000, 25000}, {4000, 100000},
                                    {10, 100000},  {1, 1 << 20},  {1, 1 << 24}};

template <typename List>
bool contains(const List& list, std::int64_t value) {
  return std::find(std::begin(list), std::end(list), value) != std::end(list);
}

template <typename List>
bool is_among(const List& list, const Shape& shape) {
  return std::any_of(std::begin(list), std::end(list), [&](const RowsAndCols& other) {
    return other.rows == shape.rows && other.cols == shape.cols;
  });
}

bool shows_how_near(const Shape& shape) {
  return shape.dtype == DType::kFloat32 && is_among(kHowNear, shape);
}

bool trains_too(const Shape& shape) {
  if (shape.dtype == DType::kFloat32) return is_among(kTrainingToo, shape);
  return shape.dtype == DType::kBFloat16 && is_among(kTrainingTooHalf, shape);
}

std::vector<int> ks_for(std::int64_t cols) {
  if (cols == kPaperTopKCols) return {std::begin(kPaperKs), std::end(kPaperKs)};
  std::vector<int> ks = {kUsualK};
  if (cols == kShortTopKCols) ks.push_back(kShortK);
  if (cols == kLongTopKCols) ks.insert(ks.end(), std::begin(kLargeKs), std::end(kLargeKs));
  return ks;
}

// A few K, each where it is asked for most: how long a top-k takes in the worst case.
std::vector<int> hard_ks_for(std::int64_t cols) {
  if (cols == kPaperTopKCols) return {kUsualK, 64};
  if (cols == kShortTopKCols) return {kShortK};
  if (cols == kLongTopKCols) return {std::begin(kLargeKs), std::end(kLargeKs)};
  return {};
}

}  // namespace

std::vector<Shape> shapes_that_pay_once() {
  std::vector<Shape> shapes;
  for (const RowsAndCols& shape : kReadOnce)
    shapes.push_back({DType::kFloat32, shape.rows, shape.cols, {}, false, true, true});
  for (const RowsAndCols& shape : kReadOnceHalf)
    shapes.push_back({DType::kBFloat16, shape.rows, shape.cols, {}, false, true, true});
  return shapes;
}

std::vector<Shape> all_shapes() {
  std::vector<Shape> shapes;
  for (const std::int64_t rows : kPaperRows) {
    for (const std::int64_t cols : kPaperCols) {
      shapes.push_back({DType::kFloat32, rows, cols, ks_for(cols), contains(kWarmCols, cols)});
      if (rows == kPaperRows[0]) shapes.back().hard_ks = hard_ks_for(cols);
    }
  }
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    for (const std::int64_t cols : kHalfCols) {
      shapes.push_back({dtype, kHalfRows, cols, {kUsualK}});
    }
  }
  for (const std::int64_t rows : kVisserRows) {
    for (const std::int64_t cols : kVisserCols) {
      shapes.push_back({DType::kFloat16, rows, cols, {}});
    }
  }
  shapes.push_back({DType::kFloat32, kLogSoftmaxRows, kLogSoftmaxCols, {}});
  for (const RowsAndCols& shape : kGuideShapes) {
    shapes.push_back({DType::kFloat32, shape.rows, shape.cols, {}});
  }
  for (std::int64_t cols = kShortestRow; cols <= kLongestRow; cols *= 4) {
    shapes.push_back({DType::kFloat32, 1, cols, {}});
  }
  shapes.push_back(
      {DType::kFloat32, kFewLongRows.rows, kFewLongRows.cols, {kLargeKs[1]}, false, true});
  std::vector<Shape> pays_once = shapes_that_pay_once();
  for (Shape& shape : pays_once) {
    const bool is_sampled = shape.rows == kSampling.rows && shape.cols == kSampling.cols;
    if (is_sampled && shape.dtype == DType::kBFloat16) shape.ks.push_back(kSamplingK);
  }
  shapes.insert(shapes.end(), pays_once.begin(), pays_once.end());
  for (const RowsAndCols& input : kRealInputs) {
    shapes.push_back({DType::kFloat16, input.rows, input.cols, {kUsualK}});
  }
  for (Shape& shape : shapes) {
    shape.written_too |= shows_how_near(shape);
    shape.trains = trains_too(shape);
  }
  for (const RowsAndCols& shape : kTrainingHalf) {
    shapes.push_back({.dtype = DType::kBFloat16,
                      .rows = shape.rows,
                      .cols = shape.cols,
                      .ks = {},
                      .trains = true,
                      .infers = false});
  }
  for (const DType dtype : kAllDTypes) {
    for (const std::int64_t tokens : kTokens) {
      shapes.push_back({.dtype = dtype,
                        .rows = tokens,
                        .cols = tokens,
                        .ks = {},
                        .attends = true,
                        .infers = false});
    }
  }
  return shapes;
}

std::vector<Shape> shapes_that_train() {
  std::vector<Shape> shapes = all_shapes();
  std::erase_if(shapes, [](const Shape& shape) { return !shape.trains; });
  return shapes;
}

}  // namespace worklog::bench
