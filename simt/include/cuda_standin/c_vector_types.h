/// \file
/// What vector_types.h has, for sources in C: the same members, sizes and alignments.
#pragma once

#define SIMT_C_VECTORS(Name, Element, alignment4)                                    \
  typedef struct Name##1 Name##1;                                                    \
  typedef struct Name##2 Name##2;                                                    \
  typedef struct Name##3 Name##3;                                                    \
  typedef struct Name##4 Name##4;                                                    \
  struct Name##1 {                                                                   \
    Element x;                                                                       \
  };                                                                                 \
  struct __attribute__((aligned(2 * sizeof(Element)))) Name##2 {                     \
    Element x, y;                                                                    \
  };                                                                                 \
  struct Name##3 {                                                                   \
    Element x, y, z;                                                                 \
  };                                                                                 \
  struct __attribute__((aligned(alignment4))) Name##4 {                              \
    Element x, y, z, w;                                                              \
  };                                                                                 \
  static inline Name##1 make_##Name##1(Element x) {                                  \
    const Name##1 vector = {x};                                                      \
    return vector;                                                                   \
  }                                                                                  \
  static inline Name##2 make_##Name##2(Element x, Element y) {                       \
    const Name##2 vector = {x, y};                                                   \
    return vector;                                                                   \
  }                                                                                  \
  static inline Name##3 make_##Name##3(Element x, Element y, Element z) {            \
    const Name##3 vector = {x, y, z};                                                \
    return vector;                                                                   \
  }                                                                                  \
  static inline Name##4 make_##Name##4(Element x, Element y, Element z, Element w) { \
    const Name##4 vector = {x, y, z, w};                                             \
    return vector;                                                                   \
  }

SIMT_C_VECTORS(char, signed char, 4)
SIMT_C_VECTORS(uchar, unsigned char, 4)
SIMT_C_VECTORS(short, short, 8)
SIMT_C_VECTORS(ushort, unsigned short, 8)
SIMT_C_VECTORS(int, int, 16)
SIMT_C_VECTORS(uint, unsigned, 16)
SIMT_C_VECTORS(long, long, 16)
SIMT_C_VECTORS(ulong, unsigned long, 16)
SIMT_C_VECTORS(longlong, long long, 16)
SIMT_C_VECTORS(ulonglong, unsigned long long, 16)
SIMT_C_VECTORS(float, float, 16)
SIMT_C_VECTORS(double, double, 16)
#undef SIMT_C_VECTORS

typedef struct dim3 {
  unsigned x, y, z;
} dim3;
