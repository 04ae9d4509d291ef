/// \file
/// For programs that a signal ends, such as an alarm's or that of Ctrl-C.
#pragma once

#include <functional>

namespace simt {

/// Where a signal would end the program by default, what it has printed is written out first, and
/// `last_words` is called; then the signal ends it as it would have. Both happen in a thread of
/// their own, so that they may do anything; whoever the signal interrupts waits for them, and goes
/// on only where it holds what they need. Signals that the program handles or ignores are its own,
/// and so are those of crashes. Call it once.
void speak_before_ending_signals(std::function<void()> last_words);

}  // namespace simt
