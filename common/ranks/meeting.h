/// \file
/// What ranks meet for, and what they say where one of them has failed instead.
#pragma once

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/ranks/group.h"

namespace worklog {

/// What this rank has waited for in vain, or what ranks have that must be the same.
class RankError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "rank 2", "ranks 2 and 5": those that sent nothing.
std::string silent_ranks(const Group::Messages& messages);

/// What ranks exchange messages for. Each message begins with a mark that says which it is, since
/// a rank that fails leaves those out that the others still make.
struct Meeting {
  char mark;           ///< another one for each
  const char* absent;  ///< what is said of a rank that does not come
};

/// The first of all, before ranks have anything.
inline constexpr Meeting kBeginning = {'b', "did not come to the beginning"};
/// What each has: it must be the same.
inline constexpr Meeting kAgreement = {'a', "did not say what it has"};
/// Where the mailboxes are, for kernels that have some.
inline constexpr Meeting kMailboxes = {'m', "did not say where its mailbox is"};
/// All have what a launch needs.
inline constexpr Meeting kReadiness = {'r', "did not get ready"};
/// What came of it.
inline constexpr Meeting kResults = {'h', "did not hand in its results"};
/// How long it took, where times are taken.
inline constexpr Meeting kTimes = {'t', "has no times"};
/// The last of a kernel whose times are taken.
inline constexpr Meeting kEnd = {'e', "did not come to the end of a kernel's times"};

/// The marks of what a rank says once a case is over for it.
inline constexpr char kDone = 'D';     ///< it has results
inline constexpr char kFailed = 'F';   ///< something went wrong in it: a text is behind
inline constexpr char kRefused = 'R';  ///< its kernel does not take the shape: likewise
inline constexpr char kLate = 'L';     ///< it has waited for another in vain: likewise
inline constexpr char kOver = 'O';     ///< it has told its error, and ends

/// What each rank of the group says at a meeting, of `bytes` bytes unless that is negative. Throws
/// RankError that names those which did not come, or one that has failed meanwhile, with what it
/// said of that.
std::vector<std::string> meet(Group& group, const Meeting& meeting, const std::string& message,
                              std::chrono::milliseconds limit, std::ptrdiff_t bytes = -1);

}  // namespace worklog
