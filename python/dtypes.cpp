#include "python/dtypes.h"

#include <cstddef>
#include <nanobind/stl/string.h>
#include <optional>
#include <string>
#include <string_view>

namespace nb = nanobind;

namespace worklog::python {
namespace {

struct Named {
  std::string_view code;
  std::string_view name;
};

constexpr Named kTypes[] = {{"f32", "float32"}, {"f16", "float16"}, {"bf16", "bfloat16"}};

std::optional<std::string> code_of(std::string_view text) {
  for (const Named& type : kTypes) {
    if (text == type.code || text == type.name) return std::string(type.code);
  }
  return std::nullopt;
}

// NumPy's own name for what it takes for a type.
std::optional<std::string> name_by_numpy(nb::handle given) {
  try {
    return nb::cast<std::string>(nb::module_::import_("numpy").attr("dtype")(given).attr("name"));
  } catch (const nb::python_error& error) {
    // TypeError, and of strange texts ValueError or SyntaxError.
    if (error.matches(PyExc_Exception)) return std::nullopt;
    throw;  // Ctrl-C
  }
}

// PyTorch is not imported here: whoever has such a type has done so.
bool is_of_torch(nb::handle given) {
  const nb::handle type = given.type();
  return nb::cast<std::string>(type.attr("__module__")) == "torch" &&
         nb::cast<std::string>(type.attr("__name__")) == "dtype";
}

// What NumPy would take None, a list or an array for is no type that anybody has meant.
bool may_be_numpys(nb::handle given) {
  return PyType_Check(given.ptr()) != 0 ||
         nb::isinstance(given, nb::module_::import_("numpy").attr("dtype"));
}

[[noreturn]] void refuse(const std::string& given) {
  const std::string text = "dtype is " + given +
                           ": must be float32, float16 or bfloat16, as a name or as the type of "
                           "NumPy or PyTorch (or f32, f16 or bf16)";
  throw nb::type_error(text.c_str());
}

std::string of_text(nb::handle given) {
  const auto text = nb::cast<std::string>(given);
  if (const auto code = code_of(text)) return *code;
  const auto name = name_by_numpy(given);
  const auto code = name ? code_of(*name) : std::nullopt;
  if (!code) refuse("'" + text + "'");
  return *code;
}

std::string name_of_type(nb::handle given) {
  constexpr std::size_t kBehindTorch = std::string_view("torch.").size();
  if (is_of_torch(given)) return std::string(nb::str(given).c_str()).substr(kBehindTorch);
  if (may_be_numpys(given)) {
    if (const auto name = name_by_numpy(given)) return *name;
  }
  if (given.is_none()) return "None";
  return "of the type " + nb::cast<std::string>(given.type().attr("__name__"));
}

}  // namespace

std::string step_dtype_of(nb::handle given) {
  if (nb::isinstance<nb::str>(given)) return of_text(given);
  const std::string name = name_of_type(given);
  const auto code = code_of(name);
  if (!code) refuse(name);
  return *code;
}

}  // namespace worklog::python
