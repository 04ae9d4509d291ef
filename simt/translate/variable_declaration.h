/// \file
/// Declarations of variables with one of CUDA's keywords, such as `__shared__`, taken apart.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simt/translate/token.h"

namespace simt::translate {

/// One variable of a declaration.
struct DeclaredVariable {
  std::string name;          ///< as declared
  std::string type;          ///< a type-id, such as `float[kWarps]`
  bool initialized = false;  ///< whether it has an initializer
  /// Whether the declarator is a name with nothing but `*`, `[...]` and an initializer around it,
  /// or a pointer in parentheses: what follows a template or a macro may only look like a variable.
  bool understood = false;
};

/// A class, structure or union that a declaration of variables defines as well.
struct DefinedType {
  std::size_t key;   ///< the position of `struct`, `class` or `union`
  std::size_t end;   ///< the position of the closing `}`
  std::string name;  ///< made up if it has none
  bool named;        ///< whether the source names it
};

/// The declaration around a keyword.
class VariableDeclaration {
 public:
  /// `keyword` is the position of the keyword. If it does not declare variables but, say, a
  /// function, then no variable is understood or the last token is no `;`.
  VariableDeclaration(const Tokens& code, std::size_t keyword);

  /// The first token of the declaration.
  const Token& first() const { return code_[begin_]; }
  /// Its last token: `;` if it is one of variables.
  const Token& last() const { return code_[end_]; }
  /// The position of first().
  std::size_t begin() const { return begin_; }
  /// The position of last().
  std::size_t end() const { return end_; }
  /// Whether that word is among those that say how the variables are stored: `extern`, `static`,
  /// `__constant__` and the like.
  bool has(std::string_view storage) const;
  /// What `alignas` has in parentheses, with them; empty without one.
  const std::string& alignment() const { return alignment_; }
  /// The type that it defines, if it does.
  const std::optional<DefinedType>& defined_type() const { return defined_type_; }
  /// Those that have names, in their order.
  const std::vector<DeclaredVariable>& variables() const { return variables_; }
  /// Whether some declarator has no name; it is none of variables().
  bool lacks_name() const { return lacks_name_; }

 private:
  void find_ends();
  bool precedes_keyword(std::size_t at) const;
  bool inside_alignment(std::size_t at) const;
  std::size_t after_brackets(std::size_t at) const;
  void find_defined_type();
  void read_storage();
  void read_type();
  void skip_qualified_name();
  void skip_arguments();
  void read_variables();
  void read_variable(std::size_t begin, std::size_t end);
  std::size_t initializer_in(std::size_t begin, std::size_t end) const;
  bool is_understood(std::size_t begin, std::size_t name, std::size_t end) const;

  const Tokens& code_;
  std::size_t keyword_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;                    ///< the `;`
  std::vector<std::string_view> storage_;  ///< words that are not part of the type
  Tokens rest_;                            ///< the type and the declarators
  std::size_t at_ = 0;                     ///< in rest_
  std::string alignment_;
  std::optional<DefinedType> defined_type_;
  std::string type_;
  std::vector<DeclaredVariable> variables_;
  bool lacks_name_ = false;
};

}  // namespace simt::translate
