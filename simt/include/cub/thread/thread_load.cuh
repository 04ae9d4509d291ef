/// \file
/// Stands in for CUB's header of this name, which writes its loads in PTX. What they say to the
/// caches changes nothing here.
#pragma once

#include <cub/config.cuh>
#include <cub/util_ptx.cuh>
#include <cub/util_type.cuh>
#include <iterator>
#include <type_traits>

CUB_NAMESPACE_BEGIN

enum CacheLoadModifier {
  LOAD_DEFAULT,
  LOAD_CA,
  LOAD_CG,
  LOAD_CS,
  LOAD_CV,
  LOAD_LDG,
  LOAD_VOLATILE,
};

/// A value of several words is loaded as CUB does, one after the other.
template <typename Word, typename Value>
SIMT_INLINE Value load_words(const Value* from) {
  constexpr std::size_t kWords = sizeof(Value) / sizeof(Word);
  std::remove_volatile_t<Word> words[kWords];
  for (std::size_t i = 0; i < kWords; ++i)
    words[i] = reinterpret_cast<const Word*>(from)[i];
  Value value;
  __builtin_memcpy(static_cast<void*>(&value), words, sizeof(Value));
  return value;
}

template <CacheLoadModifier kModifier, typename Iterator>
SIMT_INLINE cub::detail::value_t<Iterator> ThreadLoad(Iterator from) {
  using Value = cub::detail::value_t<Iterator>;
  constexpr bool is_plain = kModifier == LOAD_DEFAULT || !std::is_pointer_v<Iterator>;
  if constexpr (is_plain) {
    return *from;
  } else if constexpr (kModifier == LOAD_VOLATILE && !Traits<Value>::PRIMITIVE) {
    return load_words<volatile typename UnitWord<Value>::VolatileWord, Value>(from);
  } else if constexpr (kModifier == LOAD_CA || kModifier == LOAD_CS || kModifier == LOAD_LDG) {
    return load_words<typename UnitWord<Value>::DeviceWord, Value>(from);
  } else {
    // It does not come from the SM's own cache: another block may have stored it just now.
    constexpr std::size_t kBytes = sizeof(typename UnitWord<Value>::DeviceWord);
    return load_words<volatile typename WordAtOnce<kBytes>::Type, Value>(from);
  }
}

CUB_NAMESPACE_END
