/// \file
/// How the 32 lanes of a warp hold a matrix in their registers, and what they do with it together.
/// mma.h and the matrix instructions of ptx.h are made of this. (NVIDIA, "Parallel Thread Execution
/// ISA", section 9.7.14, whose figures show the same layouts one by one)
#pragma once

#include <cstdint>

#include "simt/executor/executor.h"

namespace simt {

/// What a matrix is made of.
enum class MatrixElement : std::uint8_t {
  kHalf,
  kBFloat16,
  kTf32,  ///< a float of which the upper 19 bits count
  kFloat,
  kDouble,
  kSigned8,
  kUnsigned8,
  kInt,
};

/// Whether a product of elements of the one kind is added up in the other.
constexpr bool is_sum_of(MatrixElement factor, MatrixElement sum) {
  switch (factor) {
    case MatrixElement::kHalf:
      return sum == MatrixElement::kHalf || sum == MatrixElement::kFloat;
    case MatrixElement::kBFloat16:
    case MatrixElement::kTf32:
      return sum == MatrixElement::kFloat;
    case MatrixElement::kDouble:
      return sum == MatrixElement::kDouble;
    default:
      return sum == MatrixElement::kInt;
  }
}

/// Of one element, in bytes.
constexpr unsigned bytes_of(MatrixElement element) {
  switch (element) {
    case MatrixElement::kSigned8:
    case MatrixElement::kUnsigned8:
      return 1;
    case MatrixElement::kHalf:
    case MatrixElement::kBFloat16:
      return 2;
    case MatrixElement::kDouble:
      return 8;
    default:
      return 4;
  }
}

/// Which lane has which element. A matrix consists of tiles of 8 lines, and each line of a tile is
/// spread over four lanes: lane 0 has the beginning of the tile's first line, lane 4 that of its
/// second. Lines are the rows of a product's left factor and of the sum that it is added to, and
/// the columns of its right factor.
struct MatrixLayout {
  unsigned lines;     ///< a multiple of 8
  unsigned length;    ///< of a line, in elements
  unsigned per_lane;  ///< elements of a tile that a lane has, side by side in a line
  bool by_pairs;      ///< whether tiles of 16 lines follow each other, along their lines

  /// An element, or the first one of a tile.
  struct Place {
    unsigned line;
    unsigned position;  ///< in the line
  };

  /// Elements of a line that a tile has.
  constexpr unsigned tile_length() const { return 4 * per_lane; }
  /// Of the whole matrix.
  constexpr unsigned tiles() const { return lines / 8 * (length / tile_length()); }
  /// Of all tiles, of one lane.
  constexpr unsigned elements() const { return tiles() * per_lane; }

  /// Where a tile begins.
  constexpr Place tile(unsigned number) const {
    const unsigned along = length / tile_length();
    if (!by_pairs || lines == 8) return {number / along * 8, number % along * tile_length()};
    const unsigned within = number % (2 * along);
    return {number / (2 * along) * 16 + within % 2 * 8, within / 2 * tile_length()};
  }
  /// Where the element lies that a lane has as its number `index`.
  constexpr Place place(unsigned lane, unsigned index) const {
    const Place begin = tile(index / per_lane);
    return {begin.line + lane / 4, begin.position + lane % 4 * per_lane + index % per_lane};
  }
};

/// Of a product's factor, whose lines are `depth` long: a lane has 4 bytes of a tile, or one
/// element.
constexpr MatrixLayout layout_of_factor(MatrixElement element, unsigned lines, unsigned depth,
                                        bool is_left) {
  const unsigned bytes = bytes_of(element);
  return {lines, depth, bytes < 4 ? 4 / bytes : 1, is_left};
}
/// Of what it is added to, and of the sum.
constexpr MatrixLayout layout_of_sum(unsigned rows, unsigned columns) {
  return {rows, columns, 2, true};
}

/// One lane's part in sum = left * right + addend. Its elements lie side by side, in the order of
/// their numbers.
struct MatrixProduct : WarpTask {
  unsigned rows;     ///< of the left factor
  unsigned columns;  ///< of the right factor
  unsigned depth;    ///< of both
  MatrixElement left_type;
  MatrixElement right_type;
  MatrixElement addend_type;
  MatrixElement sum_type;
  bool saturates;  ///< whether an int that is too large becomes the largest
  const void* left;
  const void* right;
  const void* addend;
  void* sum;  ///< may be the addend
};
/// Of a MatrixProduct.
void multiply_matrices(WarpTask* const* lanes);

/// How many instructions of a device's tensor cores a product takes: one for 16 rows and 8 columns,
/// or for 8 rows and 8 columns.
constexpr unsigned tensor_instructions_of(unsigned rows, unsigned columns) {
  return rows * columns <= 128 ? 1 : rows * columns / 128;
}

/// One lane's part in turning tiles of 16-bit elements by their diagonals.
struct TurnedTiles : WarpTask {
  std::uint32_t* words;  ///< one for each tile
  unsigned tiles;
};
/// Of TurnedTiles.
void turn_tiles(WarpTask* const* lanes);

/// One lane's part in spreading rows of 16 bytes over lanes, a tile for each 8 of them. Each lane
/// brings one row for each group of tiles.
struct SpreadRows : WarpTask {
  const std::uint32_t* rows;  ///< of 4 words each
  std::uint32_t* words;       ///< one for each tile
  unsigned tiles;
  unsigned tiles_of_group;  ///< 1, 2 or 4: lanes 0 to 7 bring the rows of a group's first one
  bool turned;              ///< whether tiles are turned by their diagonals, as turn_tiles() does
};
/// Of SpreadRows.
void spread_rows(WarpTask* const* lanes);

/// Nothing but that all lanes have come.
void only_meet(WarpTask* const* lanes);

}  // namespace simt
