#include "common/ranks/meeting.h"

namespace worklog {

namespace {

std::string rank_text(std::size_t rank) {
  return "rank " + std::to_string(rank);
}

// Throws unless a rank has said something at the meeting itself.
void check_message(std::size_t rank, const std::string& message, const Meeting& meeting) {
  if (!message.empty() && message[0] == meeting.mark) return;
  const bool has_text =
      !message.empty() && (message[0] == kFailed || message[0] == kLate || message[0] == kRefused);
  if (has_text) throw RankError(rank_text(rank) + " says: " + message.substr(1));
  throw RankError(rank_text(rank) + " " + meeting.absent);
}

}  // namespace

std::string silent_ranks(const Group::Messages& messages) {
  std::vector<std::string> silent;
  for (std::size_t rank = 0; rank < messages.size(); ++rank) {
    if (!messages[rank]) silent.push_back(std::to_string(rank));
  }
  std::string text = silent.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < silent.size(); ++i) {
    if (i > 0) text += i + 1 == silent.size() ? " and " : ", ";
    text += silent[i];
  }
  return silent.empty() ? "" : text;
}

std::vector<std::string> meet(Group& group, const Meeting& meeting, const std::string& message,
                              std::chrono::milliseconds limit, std::ptrdiff_t bytes) {
  const Group::Messages messages = group.exchange(meeting.mark + message, limit);
  const std::string silent = silent_ranks(messages);
  if (!silent.empty()) throw RankError(silent + " " + meeting.absent);
  std::vector<std::string> said;
  for (std::size_t rank = 0; rank < messages.size(); ++rank) {
    check_message(rank, *messages[rank], meeting);
    said.push_back(messages[rank]->substr(1));
    if (bytes >= 0 && std::ssize(said.back()) != bytes) {
      throw RankError(rank_text(rank) + " sent " + std::to_string(said.back().size()) +
                      " bytes, not " + std::to_string(bytes));
    }
  }
  return said;
}

}  // namespace worklog
