#include "common/simt/run/options.h"

#include <cstdlib>
#include <stdexcept>

namespace simt::run {
namespace {

constexpr int kLongestTimeLimit = 86400;

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& words) : words_(words) {}

  Options read() {
    if (const char* limit = std::getenv("WORKLOG_TIME_LIMIT")) set_time_limit(limit);
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (word == "--") {
        options_.arguments.assign(words_.begin() + static_cast<std::ptrdiff_t>(at_) + 1,
                                  words_.end());
        break;
      }
      read_word(word);
    }
    if (!options_.help && options_.sources.empty()) {
      throw std::invalid_argument("no file to run is named");
    }
    return options_;
  }

 private:
  void read_word(const std::string& word) {
    if (word == "--help" || word == "-h") {
      options_.help = true;
    } else if (word == "--json") {
      options_.json = value_of(word);
    } else if (word == "--time-limit") {
      set_time_limit(value_of(word));
    } else if (word.starts_with("-I")) {
      options_.include_folders.emplace_back(joined_or_next(word));
    } else if (word.starts_with("-D")) {
      options_.definitions.push_back(joined_or_next(word));
    } else if (word.starts_with("-")) {
      throw std::invalid_argument("unknown option '" + word +
                                  "'; the program's own arguments follow --");
    } else {
      options_.sources.emplace_back(word);
    }
  }

  /// -IDIR or -I DIR
  std::string joined_or_next(const std::string& word) {
    return word.size() > 2 ? word.substr(2) : value_of(word);
  }

  std::string value_of(const std::string& option) {
    if (at_ + 1 == words_.size()) throw std::invalid_argument(option + " lacks its value");
    return words_[++at_];
  }

  void set_time_limit(const std::string& text) {
    std::size_t read = 0;
    int seconds = -1;
    try {
      seconds = std::stoi(text, &read);
    } catch (const std::exception&) {
    }
    if (seconds < 0 || seconds > kLongestTimeLimit || read != text.size()) {
      throw std::invalid_argument("the time limit '" + text +
                                  "' is not a number of seconds from 0 to " +
                                  std::to_string(kLongestTimeLimit));
    }
    options_.time_limit = seconds;
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  Options options_;
};

}  // namespace

const char* const kUsage =
    "usage: ./worklog run [OPTION..] FILE.cu [FILE.cpp ..] [-- ARGUMENT..]\n"
    "\n"
    "Compiles a CUDA program for the CPU executor, runs it, and shows what each launch asked of "
    "the\n"
    "memory system and what is wrong with its kernels.\n"
    "\n"
    "  -I DIR            look for included files in DIR, too\n"
    "  -D NAME[=VALUE]   define a macro\n"
    "  --json FILE       write all counters and findings to FILE\n"
    "  --time-limit S    end a program that takes longer than S seconds (300; 0: never)\n"
    "  -- ARGUMENT..     the program's own arguments\n"
    "\n"
    "Exit code: the program's own if that is not 0; else 1 if there is a finding; 2 for a wrong\n"
    "command line.\n";

Options read_options(const std::vector<std::string>& words) {
  return Reader(words).read();
}

}  // namespace simt::run
