/// \file
/// What the checkers of global memory share: how an access is kept until the launch ends, and how
/// it is told of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "simt/executor/findings/findings.h"
#include "simt/executor/log/access_log.h"

namespace simt {

struct Launch;
class StoredValues;
class Tally;

/// What an access to global memory does.
enum class GlobalAccess : std::uint8_t {
  kStore,   ///< writes
  kLoad,    ///< reads
  kAtomic,  ///< does both at once
};

/// Of an access's place in the code only so many low bits are kept.
constexpr unsigned kKeptCodeBits = 24;
/// Those of a request's place.
constexpr std::uint32_t kept_code(Event site) {
  return address_bits(site) & ((1u << kKeptCodeBits) - 1);
}

/// "store", say.
const char* name_of(GlobalAccess access);

/// Where the access is in the source, of which these bits were kept.
Place place_of(const Launch& launch, const Tally& tally, GlobalAccess access, std::uint32_t code);

/// What to say of a race between a load and a store, or of stores beside which there is such a
/// load, where all lie on one line of the source: a fence or a barrier does not mend `x += 1`.
inline constexpr char kMayBeUpdate[] =
    "; if the line updates a value there, as += does, that has to be one atomic operation, such as "
    "atomicAdd()";
/// Whether two places are on one line of the source.
bool are_on_one_line(const Place& a, const Place& b);

/// What lies at a place behind the arena's beginning, if values that are stored there are noted;
/// else null.
const void* noted_memory(const Launch& launch, std::size_t offset);

/// Whether all stores of the launch to these bytes are known to have stored the same.
bool all_stored_the_same(const Launch& launch, const StoredValues& values, std::size_t offset,
                         std::size_t bytes);

}  // namespace simt
