#include "simt/translate/async_copy_ptx.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace simt::translate {
namespace {

/// What stands between commas, without blanks.
std::vector<std::string_view> listed(std::string_view text) {
  std::vector<std::string_view> parts;
  if (without_white_space(text).empty()) return parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(without_white_space(text.substr(at, end - at)));
    at = end + 1;
  }
  return parts;
}

/// What the input `%N` is, if it has one of these constraints.
std::optional<std::string> input_in(std::string_view text, const Operands& operands,
                                    std::string_view constraints) {
  const auto number = operand_number(text);
  if (!number || *number >= operands.count() || *number < operands.outputs.size())
    return std::nullopt;
  const std::string_view given = operands.at(*number).constraint;
  constexpr std::size_t kLength = 3;  // a letter between quotes
  if (given.size() != kLength || constraints.find(given[1]) == std::string_view::npos)
    return std::nullopt;
  return operands.at(*number).text;
}

/// `[%N]`
std::optional<std::string> address_in(std::string_view text, const Operands& operands,
                                      std::string_view constraints) {
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  return input_in(text.substr(1, text.size() - 2), operands, constraints);
}

/// A number, or an input that is one.
std::optional<std::string> number_in(std::string_view text, const Operands& operands,
                                     std::string_view constraints) {
  const bool is_number = !text.empty() && std::all_of(text.begin(), text.end(), [](char each) {
    return '0' <= each && each <= '9';
  });
  return is_number ? std::string(text) : input_in(text, operands, constraints);
}

/// Whether it is `cp.async.ca.shared.global` or the like.
bool is_copy(std::string_view opcode) {
  std::vector<std::string_view> parts = parts_of_opcode(opcode);
  constexpr std::size_t kFewest = 5;
  const bool has_prefetch = parts.size() == kFewest + 1 && parts.back().starts_with("L2::") &&
                            parts.back().ends_with('B');
  if (has_prefetch) parts.pop_back();
  return parts.size() == kFewest && parts[0] == "cp" && parts[1] == "async" &&
         (parts[2] == "ca" || parts[2] == "cg") &&
         (parts[3] == "shared" || parts[3] == "shared::cta") && parts[4] == "global";
}

}  // namespace

std::optional<std::string> call_of_async_copy(std::string_view instruction,
                                              const Operands& operands) {
  const std::size_t space = std::min(instruction.find(' '), instruction.size());
  const std::string_view opcode = instruction.substr(0, space);
  const std::vector<std::string_view> arguments = listed(instruction.substr(space));
  if (!operands.outputs.empty()) return std::nullopt;
  if (opcode == "cp.async.commit_group" && arguments.empty())
    return "::simt::commit_async_copies()";
  if (opcode == "cp.async.wait_all" && arguments.empty())
    return "(::simt::commit_async_copies(), ::simt::wait_for_async_copies(0))";
  if (opcode == "cp.async.wait_group" && arguments.size() == 1) {
    const auto left = number_in(arguments[0], operands, "n");
    if (!left) return std::nullopt;
    return "::simt::wait_for_async_copies(" + *left + ")";
  }
  constexpr std::size_t kFewest = 3;
  if (!is_copy(opcode) || arguments.size() < kFewest || arguments.size() > kFewest + 1)
    return std::nullopt;
  const auto to = address_in(arguments[0], operands, "rl");
  const auto from = address_in(arguments[1], operands, "l");
  const auto bytes = number_in(arguments[2], operands, "n");
  const auto read = arguments.size() > kFewest ? number_in(arguments[3], operands, "nr") : bytes;
  if (!to || !from || !bytes || !read) return std::nullopt;
  return "::simt::start_async_copy(::simt::ptx::in_shared_memory(" + *to +
         "), ::simt::ptx::object_at<const void>(" + *from + "), " + *bytes + ", (" + *bytes +
         ") - (" + *read + "), ::simt::Location::current())";
}

}  // namespace simt::translate
