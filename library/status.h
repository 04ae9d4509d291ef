/// \file
/// Errors of the library: thrown within it, and returned by its functions as a status and a text.
#pragma once

#include <stdexcept>
#include <string>

#include "library/include/softmax_worklog/c.h"

namespace worklog::library {

/// Refuses a call. what() names the argument, its value and its limit.
class Refusal : public std::runtime_error {
 public:
  /// `status` is what the function returns.
  Refusal(softmax_worklog_status status, const std::string& what)
      : std::runtime_error(what), status_(status) {}
  /// What the function returns.
  softmax_worklog_status status() const { return status_; }

 private:
  softmax_worklog_status status_;
};

/// Throws a Refusal of an argument: "k = 0: must be 1 or more".
[[noreturn]] void refuse(const std::string& argument, const std::string& value,
                         const std::string& limit);

/// "0x7f00", or "null".
std::string address_text(const void* pointer);

/// To be called within a handler: keeps the text of what was thrown for this thread, and returns
/// the status that stands for it.
softmax_worklog_status status_of_thrown() noexcept;

/// What was kept last for this thread.
const char* last_error();

}  // namespace worklog::library
