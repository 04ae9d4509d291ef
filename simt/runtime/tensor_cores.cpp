// What the lanes of a warp do together with the matrices in their registers.

#include "simt/include/cuda_standin/tensor_cores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "simt/include/cuda_standin/bits.h"
#include "simt/include/cuda_standin/narrow_float.h"

namespace simt {
namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kMost = 32;  // lines of a matrix, and elements of a line

template <typename T>
using Matrix = std::array<std::array<T, kMost>, kMost>;

const MatrixProduct& product_of(const WarpTask* task) {
  return static_cast<const MatrixProduct&>(*task);
}

// Calls use(value, line, position) for each element, which convert(bits) makes of its bits.
template <typename Bits, typename Convert, typename Use>
void for_each_element(WarpTask* const* lanes, const void* MatrixProduct::*elements,
                      const MatrixLayout& layout, Convert convert, Use use) {
  for (unsigned index = 0; index < layout.elements(); ++index) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const auto* const begin = static_cast<const char*>(product_of(lanes[lane]).*elements);
      Bits bits;
      std::memcpy(&bits, begin + index * sizeof bits, sizeof bits);
      const MatrixLayout::Place place = layout.place(lane, index);
      use(convert(bits), place.line, place.position);
    }
  }
}

// The same for elements of any type.
template <typename Use>
void for_each_element(WarpTask* const* lanes, const void* MatrixProduct::*elements,
                      MatrixElement type, const MatrixLayout& layout, Use use) {
  constexpr std::uint32_t kUpper19Bits = 0xffffe000;
  const auto same = [](auto value) { return value; };
  switch (type) {
    case MatrixElement::kHalf:
      return for_each_element<std::uint16_t>(
          lanes, elements, layout, [](std::uint16_t bits) { return float16_value(bits); }, use);
    case MatrixElement::kBFloat16:
      return for_each_element<std::uint16_t>(
          lanes, elements, layout, [](std::uint16_t bits) { return bfloat16_value(bits); }, use);
    case MatrixElement::kTf32:
      return for_each_element<std::uint32_t>(
          lanes, elements, layout,
          [](std::uint32_t bits) { return bit_cast<float>(bits & kUpper19Bits); }, use);
    case MatrixElement::kFloat:
      return for_each_element<float>(lanes, elements, layout, same, use);
    case MatrixElement::kDouble:
      return for_each_element<double>(lanes, elements, layout, same, use);
    case MatrixElement::kSigned8:
      return for_each_element<std::int8_t>(lanes, elements, layout, same, use);
    case MatrixElement::kUnsigned8:
      return for_each_element<std::uint8_t>(lanes, elements, layout, same, use);
    case MatrixElement::kInt:
      return for_each_element<std::int32_t>(lanes, elements, layout, same, use);
  }
}

// The product of two elements is exact in an Accumulator, but for its range.
void add_product(float& sum, float a, float b) {
  sum += a * b;
}
void add_product(double& sum, double a, double b) {
  sum = std::fma(a, b, sum);
}
void add_product(std::int64_t& sum, std::int64_t a, std::int64_t b) {
  sum += a * b;
}

void store(const MatrixProduct& product, void* to, float value) {
  if (product.sum_type == MatrixElement::kHalf) {
    const std::uint16_t bits = float16_bits(value);
    std::memcpy(to, &bits, sizeof bits);
  } else {
    std::memcpy(to, &value, sizeof value);
  }
}
void store(const MatrixProduct& /*product*/, void* to, double value) {
  std::memcpy(to, &value, sizeof value);
}
void store(const MatrixProduct& product, void* to, std::int64_t value) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (product.saturates) value = std::clamp<std::int64_t>(value, Limits::min(), Limits::max());
  const auto bits = static_cast<std::int32_t>(value);
  std::memcpy(to, &bits, sizeof bits);
}

template <typename Accumulator>
void multiply(WarpTask* const* lanes) {
  const MatrixProduct& shape = product_of(lanes[0]);
  const MatrixLayout sums = layout_of_sum(shape.rows, shape.columns);
  Matrix<Accumulator> left;   // by row
  Matrix<Accumulator> right;  // by the row of the factor, not by its line: for the loop below
  Matrix<Accumulator> sum;    // by row
  for_each_element(lanes, &MatrixProduct::left, shape.left_type,
                   layout_of_factor(shape.left_type, shape.rows, shape.depth, true),
                   [&](auto value, unsigned line, unsigned position) {
                     left[line][position] = static_cast<Accumulator>(value);
                   });
  for_each_element(lanes, &MatrixProduct::right, shape.right_type,
                   layout_of_factor(shape.right_type, shape.columns, shape.depth, false),
                   [&](auto value, unsigned line, unsigned position) {
                     right[position][line] = static_cast<Accumulator>(value);
                   });
  for_each_element(lanes, &MatrixProduct::addend, shape.addend_type, sums,
                   [&](auto value, unsigned line, unsigned position) {
                     sum[line][position] = static_cast<Accumulator>(value);
                   });
  for (unsigned row = 0; row < shape.rows; ++row) {
    for (unsigned k = 0; k < shape.depth; ++k) {
      for (unsigned column = 0; column < shape.columns; ++column)
        add_product(sum[row][column], left[row][k], right[k][column]);
    }
  }
  const unsigned bytes = bytes_of(shape.sum_type);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const MatrixProduct& product = product_of(lanes[lane]);
    for (unsigned index = 0; index < sums.elements(); ++index) {
      const MatrixLayout::Place place = sums.place(lane, index);
      store(product, static_cast<char*>(product.sum) + index * bytes,
            sum[place.line][place.position]);
    }
  }
}

// Which half of a word a 16-bit element of a tile is in, and of which lane.
std::uint16_t element(std::uint32_t word, unsigned number) {
  return static_cast<std::uint16_t>(word >> 16 * number);
}
std::uint32_t word_of(std::uint16_t low, std::uint16_t high) {
  return low | std::uint32_t{high} << 16;
}

// A tile of 8 rows of 4 words, of which lane l has word l, turned by its diagonal.
std::array<std::uint32_t, kLanes> turned(const std::array<std::uint32_t, kLanes>& tile) {
  std::array<std::uint32_t, kLanes> result;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned row = lane / 4;
    const auto at = [&](unsigned column) { return element(tile[column * 4 + row / 2], row % 2); };
    result[lane] = word_of(at(lane % 4 * 2), at(lane % 4 * 2 + 1));
  }
  return result;
}

}  // namespace

void multiply_matrices(WarpTask* const* lanes) {
  switch (product_of(lanes[0]).sum_type) {
    case MatrixElement::kInt:
      return multiply<std::int64_t>(lanes);
    case MatrixElement::kDouble:
      return multiply<double>(lanes);
    default:
      return multiply<float>(lanes);
  }
}

void turn_tiles(WarpTask* const* lanes) {
  const auto words_of = [&](unsigned lane) {
    return static_cast<const TurnedTiles*>(lanes[lane])->words;
  };
  const unsigned tiles = static_cast<const TurnedTiles*>(lanes[0])->tiles;
  for (unsigned number = 0; number < tiles; ++number) {
    std::array<std::uint32_t, kLanes> tile;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      tile[lane] = words_of(lane)[number];
    tile = turned(tile);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      words_of(lane)[number] = tile[lane];
  }
}

void spread_rows(WarpTask* const* lanes) {
  const auto of = [&](unsigned lane) -> const SpreadRows& {
    return static_cast<const SpreadRows&>(*lanes[lane]);
  };
  const unsigned of_group = of(0).tiles_of_group;
  for (unsigned number = 0; number < of(0).tiles; ++number) {
    std::array<std::uint32_t, kLanes> tile;
    for (unsigned word = 0; word < kLanes; ++word) {
      const unsigned brings = number % of_group * 8 + word / 4;
      tile[word] = of(brings).rows[number / of_group * 4 + word % 4];
    }
    if (of(0).turned) tile = turned(tile);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      of(lane).words[number] = tile[lane];
  }
}

void only_meet(WarpTask* const* /*lanes*/) {}

}  // namespace simt
