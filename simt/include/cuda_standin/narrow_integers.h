/// \file
/// Conversions between 16-bit floating-point formats and integers, which CUDA names after both.
#pragma once

#include "simt/include/cuda_standin/narrow_float.h"

/// __int2half_rn and so on: `name` is the integer's in such names, `format` the format's.
#define SIMT_FROM_INTEGER(format, Narrow, name, Integer)                                           \
  SIMT_INLINE Narrow __##name##2##format##_rn(Integer value) {                                     \
    return value;                                                                                  \
  }                                                                                                \
  SIMT_INLINE Narrow __##name##2##format##_rz(Integer value) {                                     \
    return simt::from_float<Narrow>(simt::to_roundable_float(value), simt::Rounding::kTowardZero); \
  }                                                                                                \
  SIMT_INLINE Narrow __##name##2##format##_rd(Integer value) {                                     \
    return simt::from_float<Narrow>(simt::to_roundable_float(value), simt::Rounding::kDown);       \
  }                                                                                                \
  SIMT_INLINE Narrow __##name##2##format##_ru(Integer value) {                                     \
    return simt::from_float<Narrow>(simt::to_roundable_float(value), simt::Rounding::kUp);         \
  }

/// __half2int_rn and so on.
#define SIMT_TO_INTEGER(format, Narrow, name, Integer)                     \
  SIMT_INLINE Integer __##format##2##name##_rn(Narrow value) {             \
    return simt::to_integer<Integer>(value, simt::Rounding::kNearestEven); \
  }                                                                        \
  SIMT_INLINE Integer __##format##2##name##_rz(Narrow value) {             \
    return simt::to_integer<Integer>(value, simt::Rounding::kTowardZero);  \
  }                                                                        \
  SIMT_INLINE Integer __##format##2##name##_rd(Narrow value) {             \
    return simt::to_integer<Integer>(value, simt::Rounding::kDown);        \
  }                                                                        \
  SIMT_INLINE Integer __##format##2##name##_ru(Narrow value) {             \
    return simt::to_integer<Integer>(value, simt::Rounding::kUp);          \
  }

#define SIMT_INTEGER(format, Narrow, name, Integer) \
  SIMT_FROM_INTEGER(format, Narrow, name, Integer)  \
  SIMT_TO_INTEGER(format, Narrow, name, Integer)

/// All of a format: SIMT_INTEGERS(half, __half).
#define SIMT_INTEGERS(format, Narrow)                                           \
  SIMT_INTEGER(format, Narrow, short, short)                                    \
  SIMT_INTEGER(format, Narrow, ushort, unsigned short)                          \
  SIMT_INTEGER(format, Narrow, int, int)                                        \
  SIMT_INTEGER(format, Narrow, uint, unsigned)                                  \
  SIMT_INTEGER(format, Narrow, ll, long long)                                   \
  SIMT_INTEGER(format, Narrow, ull, unsigned long long)                         \
  SIMT_INLINE signed char __##format##2char_rz(Narrow value) {                  \
    return simt::to_integer<signed char>(value, simt::Rounding::kTowardZero);   \
  }                                                                             \
  SIMT_INLINE unsigned char __##format##2uchar_rz(Narrow value) {               \
    return simt::to_integer<unsigned char>(value, simt::Rounding::kTowardZero); \
  }
