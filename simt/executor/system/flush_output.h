/// \file
/// Writes out what a program has printed so far, before it is ended from within.
#pragma once

namespace simt {

/// Flushes the standard output of C and of C++, then all other open files of C. Returns after a
/// second at the latest: whoever holds a file's lock may wait for something that never comes.
/// Callable from any thread; not from a signal's handler.
void flush_output();

/// The same from the handler of a signal that is about to end the program: only what no other
/// thread holds the lock of, and only the standard output.
void flush_output_of_crash();

}  // namespace simt
