/// \file
/// Large ranges of zeroed memory that cost nothing until they are touched.
#pragma once

#include <cstddef>

namespace simt {

/// Throws std::bad_alloc when the system has no such range. Its text names the bytes and what
/// limits them.
void* reserve_address_space(std::size_t bytes);
/// Gives a whole range of reserve_address_space() back.
void release_address_space(void* begin, std::size_t bytes);
/// Makes a range inaccessible: touching it is a fault.
void forbid_access(void* begin, std::size_t bytes);
/// Gives the memory behind whole pages of a range back to the system; they read as zero afterwards.
void discard_pages(void* begin, std::size_t bytes);
/// The size of a page of the system.
std::size_t page_bytes();

}  // namespace simt
