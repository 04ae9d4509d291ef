/// \file
/// Stands in for CUB's header of this name, which writes its stores in PTX. What they say to the
/// caches changes nothing here.
#pragma once

#include <cub/config.cuh>
#include <cub/util_ptx.cuh>
#include <cub/util_type.cuh>
#include <type_traits>

CUB_NAMESPACE_BEGIN

enum CacheStoreModifier {
  STORE_DEFAULT,
  STORE_WB,
  STORE_CG,
  STORE_CS,
  STORE_WT,
  STORE_VOLATILE,
};

/// A value of several words is stored as CUB does, one after the other.
template <typename Word, typename Value>
SIMT_INLINE void store_words(Value* to, const Value& value) {
  constexpr std::size_t kWords = sizeof(Value) / sizeof(Word);
  std::remove_volatile_t<Word> words[kWords];
  __builtin_memcpy(words, static_cast<const void*>(&value), sizeof(Value));
  for (std::size_t i = 0; i < kWords; ++i)
    reinterpret_cast<Word*>(to)[i] = words[i];
}

template <CacheStoreModifier kModifier, typename Iterator, typename Stored>
SIMT_INLINE void ThreadStore(Iterator to, Stored stored) {
  constexpr bool is_plain = kModifier == STORE_DEFAULT || !std::is_pointer_v<Iterator>;
  if constexpr (is_plain) {
    *to = stored;
  } else {
    using Value = std::remove_pointer_t<Iterator>;
    const Value value = stored;
    if constexpr (kModifier == STORE_VOLATILE && !Traits<Value>::PRIMITIVE) {
      store_words<volatile typename UnitWord<Value>::VolatileWord, Value>(to, value);
    } else if constexpr (kModifier == STORE_WB || kModifier == STORE_CS) {
      store_words<typename UnitWord<Value>::DeviceWord, Value>(to, value);
    } else {
      // Other blocks may wait for it.
      constexpr std::size_t kBytes = sizeof(typename UnitWord<Value>::DeviceWord);
      store_words<volatile typename WordAtOnce<kBytes>::Type, Value>(to, value);
    }
  }
}

CUB_NAMESPACE_END
