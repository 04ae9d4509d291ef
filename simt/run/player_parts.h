/// \file
/// The files of the folder player/, as CMake puts them into the program.
#pragma once

namespace simt::run {

extern const char* const kPlayerPage;    ///< page.html, with marks for what goes into it
extern const char* const kPlayerStyle;   ///< style.css
extern const char* const kPlayerScript;  ///< the scripts, one after the other

}  // namespace simt::run
