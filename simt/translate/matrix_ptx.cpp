#include "simt/translate/matrix_ptx.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace simt::translate {
namespace {

/// A type of PTX: what cuda_standin/tensor_cores.h calls it, how many bits it has, and the
/// constraint of the registers that hold it.
struct MatrixType {
  std::string_view name;
  std::string_view element;
  std::size_t bits;
  char constraint;
};
constexpr std::array<MatrixType, 8> kMatrixTypes = {{{"f16", "kHalf", 16, 'r'},
                                                     {"bf16", "kBFloat16", 16, 'r'},
                                                     {"tf32", "kTf32", 32, 'r'},
                                                     {"f32", "kFloat", 32, 'f'},
                                                     {"f64", "kDouble", 64, 'd'},
                                                     {"s8", "kSigned8", 8, 'r'},
                                                     {"u8", "kUnsigned8", 8, 'r'},
                                                     {"s32", "kInt", 32, 'r'}}};

const MatrixType* matrix_type(std::string_view name) {
  const auto* const type = std::find_if(kMatrixTypes.begin(), kMatrixTypes.end(),
                                        [&](const MatrixType& each) { return each.name == name; });
  return type == kMatrixTypes.end() ? nullptr : type;
}

/// `m16n8k16` and so on: rows, columns and depth of a product, and the types that it has.
struct Shape {
  std::string_view name;
  std::size_t rows, columns, depth;
  std::string_view factor;  ///< "f16" stands for "bf16", too, and "s8" for "u8"
};
constexpr std::array<Shape, 8> kShapes = {{{"m16n8k8", 16, 8, 8, "f16"},
                                           {"m16n8k16", 16, 8, 16, "f16"},
                                           {"m16n8k4", 16, 8, 4, "tf32"},
                                           {"m16n8k8", 16, 8, 8, "tf32"},
                                           {"m8n8k16", 8, 8, 16, "s8"},
                                           {"m16n8k16", 16, 8, 16, "s8"},
                                           {"m16n8k32", 16, 8, 32, "s8"},
                                           {"m8n8k4", 8, 8, 4, "f64"}}};

bool is_like(std::string_view type, std::string_view factor) {
  return type == factor || (type == "bf16" && factor == "f16") || (type == "u8" && factor == "s8");
}

/// `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`
struct Product {
  const Shape* shape;
  bool saturates;
  std::array<const MatrixType*, 4> types;  ///< of the sum, the factors and what is added
};

/// Which types a sum has to products of a factor.
bool is_sum_of(std::string_view factor, std::string_view sum) {
  if (factor == "f16") return sum == "f16" || sum == "f32";
  if (factor == "f64") return sum == "f64";
  return sum == (factor == "s8" || factor == "u8" ? "s32" : "f32");
}

std::optional<Product> product_in(std::string_view opcode) {
  std::vector<std::string_view> parts = parts_of_opcode(opcode);
  constexpr std::size_t kSatfinite = 6;  // behind the layouts
  const bool saturates = parts.size() > kSatfinite && parts[kSatfinite] == "satfinite";
  if (saturates) parts.erase(parts.begin() + kSatfinite);
  constexpr std::size_t kParts = 10;
  if (parts.size() != kParts || parts[0] != "mma" || parts[1] != "sync" || parts[2] != "aligned" ||
      parts[4] != "row" || parts[5] != "col") {
    return std::nullopt;
  }
  Product product = {nullptr, saturates, {}};
  for (std::size_t i = 0; i < product.types.size(); ++i) {
    product.types[i] = matrix_type(parts[kSatfinite + i]);
    if (product.types[i] == nullptr) return std::nullopt;
  }
  const auto [sum, left, right, addend] = product.types;
  const auto* const shape = std::find_if(kShapes.begin(), kShapes.end(), [&](const Shape& each) {
    return each.name == parts[3] && is_like(left->name, each.factor) &&
           is_like(right->name, each.factor);
  });
  const bool are_alike = left == right || left->bits == 8;
  if (shape == kShapes.end() || !are_alike || !is_sum_of(left->name, sum->name) ||
      !is_sum_of(left->name, addend->name) || (saturates && sum->name != "s32")) {
    return std::nullopt;
  }
  product.shape = shape;
  return product;
}

/// How many registers hold a matrix of so many elements.
std::size_t registers_of(const MatrixType& type, std::size_t elements) {
  constexpr std::size_t kLanes = 32;
  const std::size_t register_bits = std::max<std::size_t>(type.bits, 32);
  return elements * type.bits / register_bits / kLanes;
}

/// The numbers in `{%0, %1}`, or `%0`, at the beginning of the text, from which they are taken with
/// the comma behind them. Nothing if it is anything else.
std::optional<std::vector<std::size_t>> take_numbers(std::string_view& text) {
  text = without_white_space(text);
  const bool is_list = text.starts_with('{');
  const std::size_t end = std::min(text.find(is_list ? '}' : ','), text.size());
  if (is_list && end == text.size()) return std::nullopt;
  std::string_view list = is_list ? text.substr(1, end - 1) : text.substr(0, end);
  text = without_white_space(text.substr(is_list ? end + 1 : end));
  if (text.starts_with(',')) text.remove_prefix(1);
  std::vector<std::size_t> numbers;
  while (true) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const auto number = operand_number(list.substr(0, comma));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    if (comma == list.size()) return numbers;
    list.remove_prefix(comma + 1);
  }
}

/// Whether operand number N of the statement is one, with that constraint.
bool is_output(const Operands& operands, std::size_t number, char constraint) {
  if (number >= operands.outputs.size()) return false;
  const std::string_view given = operands.outputs[number].constraint;
  return given == std::string{'"', '=', constraint, '"'} ||
         given == std::string{'"', '+', constraint, '"'};
}
/// An output is an input if it says so.
bool is_input(const Operands& operands, std::size_t number, char constraint) {
  if (number >= operands.count()) return false;
  const char sign = number < operands.outputs.size() ? '+' : '\0';
  const std::string_view given = operands.at(number).constraint;
  return sign != '\0' ? given == std::string{'"', sign, constraint, '"'}
                      : given == std::string{'"', constraint, '"'};
}

std::string joined(const Operands& operands, const std::vector<std::size_t>& numbers) {
  std::string text;
  for (const std::size_t number : numbers)
    text += (text.empty() ? "" : ", ") + operands.at(number).text;
  return text;
}

constexpr std::string_view kHere = "::simt::Location::current()";

std::optional<std::string> call_of_product(const Product& product, std::string_view text,
                                           const Operands& operands) {
  const Shape& shape = *product.shape;
  const std::array<std::size_t, 4> elements = {shape.rows * shape.columns, shape.rows * shape.depth,
                                               shape.depth * shape.columns,
                                               shape.rows * shape.columns};
  std::string results;
  std::string inputs;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const MatrixType& type = *product.types[i];
    const auto numbers = take_numbers(text);
    if (!numbers || numbers->size() != registers_of(type, elements[i])) return std::nullopt;
    for (const std::size_t number : *numbers) {
      if (i == 0 ? !is_output(operands, number, type.constraint)
                 : !is_input(operands, number, type.constraint)) {
        return std::nullopt;
      }
    }
    (i == 0 ? results : inputs) += (inputs.empty() ? "" : ", ") + joined(operands, *numbers);
  }
  if (!without_white_space(text).empty()) return std::nullopt;
  std::string types;
  for (const MatrixType* type : product.types)
    types += (types.empty() ? "" : ", ") + ("::simt::MatrixElement::" + std::string(type->element));
  return "::simt::ptx::mma<" + std::to_string(shape.rows) + ", " + std::to_string(shape.columns) +
         ", " + std::to_string(shape.depth) + (product.saturates ? ", true" : ", false") + ">(" +
         std::string(kHere) + ", ::simt::ptx::MatrixTypes<" + types + ">(), ::std::tie(" + results +
         "), " + inputs + ")";
}

/// `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16`
struct LoadedTiles {
  std::size_t count;
  bool turned;
  bool from_shared;  ///< whether it has an address in shared memory, and not a pointer
};

/// Programs put the number and `.trans` before the shape, too.
std::optional<LoadedTiles> loaded_tiles_in(std::string_view opcode) {
  const std::vector<std::string_view> parts = parts_of_opcode(opcode);
  constexpr std::size_t kFewest = 6;
  if (parts.size() < kFewest || parts[0] != "ldmatrix" || parts[1] != "sync" ||
      parts[2] != "aligned") {
    return std::nullopt;
  }
  const auto count = [&](std::string_view part) {
    return static_cast<std::size_t>(std::count(parts.begin(), parts.end(), part));
  };
  const std::size_t one = count("x1");
  const std::size_t two = count("x2");
  const std::size_t four = count("x4");
  const std::size_t turned = count("trans");
  const std::string_view space = parts[parts.size() - 2];
  const bool from_shared = space == "shared" || space == "shared::cta";
  const bool is_known = count("m8n8") == 1 && one + two + four == 1 && turned <= 1 &&
                        parts.back() == "b16" &&
                        parts.size() == kFewest + turned + (from_shared ? 1 : 0);
  if (!is_known) return std::nullopt;
  return LoadedTiles{one + 2 * two + 4 * four, turned == 1, from_shared};
}

std::optional<std::string> call_of_loaded_tiles(const LoadedTiles& tiles, std::string_view text,
                                                const Operands& operands) {
  const auto numbers = take_numbers(text);
  if (!numbers || numbers->size() != tiles.count) return std::nullopt;
  for (const std::size_t number : *numbers) {
    if (!is_output(operands, number, 'r')) return std::nullopt;
  }
  text = without_white_space(text);
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  const auto address = operand_number(text.substr(1, text.size() - 2));
  if (!address) return std::nullopt;
  const bool is_wide = is_input(operands, *address, 'l');
  if (!is_wide && !(tiles.from_shared && is_input(operands, *address, 'r'))) return std::nullopt;
  return "::simt::ptx::ldmatrix<" + std::to_string(tiles.count) +
         (tiles.turned ? ", true" : ", false") + ">(" + std::string(kHere) +
         ", ::simt::ptx::" + (tiles.from_shared ? "in_shared_memory(" : "object_at<const void>(") +
         operands.at(*address).text + "), " + joined(operands, *numbers) + ")";
}

/// `cvt.rna.tf32.f32 %0, %1`, by which programs make a tf32 of a float.
std::optional<std::string> call_of_rounding(std::string_view text, const Operands& operands) {
  const auto to = take_numbers(text);
  const auto from = take_numbers(text);
  if (!to || !from || to->size() != 1 || from->size() != 1 || !text.empty() ||
      !is_output(operands, to->front(), 'r') || !is_input(operands, from->front(), 'f')) {
    return std::nullopt;
  }
  return "::simt::ptx::cvt_rna_tf32_f32(" + operands.at(to->front()).text + ", " +
         operands.at(from->front()).text + ")";
}

/// Instructions on matrices that are not computed, by how they begin.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kRefused = {
    {{"wgmma.", "wgmma works on matrices in shared memory, asynchronously"},
     {"tcgen05.", "tcgen05 is for compute capability 10.0, and this is 9.0"},
     {"mma.sp", "a sparse factor is not computed"},
     {"mma.sync", "of mma.sync, types of less than 8 bits, fp8 and other shapes are not computed"},
     {"stmatrix.", "stmatrix is not computed"},
     {"movmatrix.", "movmatrix is not computed"},
     {"wmma.", "wmma is computed as C++ alone, by <mma.h>"},
     {"ldmatrix.", "of ldmatrix, .m8n8 with .b16 alone is computed"},
     {"cp.async.bulk", "bulk copies are not computed"}}};

}  // namespace

std::optional<std::string> call_of_matrix_instruction(std::string_view instruction,
                                                      const Operands& operands) {
  const std::size_t end = std::min(instruction.find_first_of(" \t{"), instruction.size());
  const std::string_view opcode = instruction.substr(0, end);
  const std::string_view rest = instruction.substr(end);
  if (const auto product = product_in(opcode)) return call_of_product(*product, rest, operands);
  if (opcode == "cvt.rna.tf32.f32") return call_of_rounding(rest, operands);
  const auto tiles = loaded_tiles_in(opcode);
  if (!tiles) return std::nullopt;
  return call_of_loaded_tiles(*tiles, rest, operands);
}

std::string_view why_matrix_instruction_is_refused(std::string_view instruction) {
  const auto* const refused = std::find_if(kRefused.begin(), kRefused.end(), [&](const auto& each) {
    return instruction.find(each.first) == 0;
  });
  return refused == kRefused.end() ? std::string_view() : refused->second;
}

}  // namespace simt::translate
