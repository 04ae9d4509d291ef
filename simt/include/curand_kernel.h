/// \file
/// Stands in for the device interface of cuRAND: its generators XORWOW, Philox, MRG32k3a and Sobol'
/// with NVIDIA's sequences, seeds and conversions, so that a program gets the numbers that it gets
/// on a GPU. Distributions: uniform, normal, log-normal.
#pragma once

#include <cmath>

#include "simt/include/cuda_runtime.h"
#include "simt/include/curand.h"

namespace simt {

/// The second of two normal numbers, which are made together: it waits for the next call.
struct SpareNormals {
  bool has_float = false;
  bool has_double = false;
  float next_float = 0.0f;
  double next_double = 0.0;
};

/// Moves the five words of a XORWOW generator on by `count` numbers, or by `count` times 2^67.
void skip_xorwow(unsigned* words, unsigned long long count);
void skip_xorwow_sequences(unsigned* words, unsigned long long count);

/// Moves both halves of a MRG32k3a generator on by `count` times 2^`log2_unit` numbers.
void skip_mrg32k3a(unsigned* first, unsigned* second, unsigned long long count, int log2_unit);

/// The x with erfc(x) = `y`, which is above 0 and below 2.
double inverse_erfc(double y);

}  // namespace simt

/// (Marsaglia, "Xorshift RNGs", section 3.1)
struct curandStateXORWOW {
  unsigned d;
  unsigned v[5];
  simt::SpareNormals spare;
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;

/// (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", section 3.3)
struct curandStatePhilox4_32_10 {
  uint4 ctr;
  uint4 output;  ///< of this counter
  uint2 key;
  unsigned used;  ///< words of the output
  simt::SpareNormals spare;
};
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;

/// (L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number
/// generators", figure I)
struct curandStateMRG32k3a {
  unsigned s1[3];
  unsigned s2[3];
  simt::SpareNormals spare;
};
using curandStateMRG32k3a_t = curandStateMRG32k3a;

// ---- XORWOW -----------------------------------------------------------------------------------

SIMT_INLINE void skipahead(unsigned long long count, curandStateXORWOW* state) {
  simt::skip_xorwow(state->v, count);
  state->d += 362437u * static_cast<unsigned>(count);
}
/// Sequences have 2^67 numbers each.
SIMT_INLINE void skipahead_sequence(unsigned long long count, curandStateXORWOW* state) {
  simt::skip_xorwow_sequences(state->v, count);
}

SIMT_INLINE void curand_init(unsigned long long seed, unsigned long long sequence,
                             unsigned long long offset, curandStateXORWOW* state) {
  const unsigned low = 1099087573u * (static_cast<unsigned>(seed) ^ 0xaad26b49u);
  const unsigned high = 2591861531u * (static_cast<unsigned>(seed >> 32) ^ 0xf7dcefddu);
  state->d = 6615241u + high + low;
  state->v[0] = 123456789u + low;
  state->v[1] = 362436069u ^ low;
  state->v[2] = 521288629u + high;
  state->v[3] = 88675123u ^ high;
  state->v[4] = 5783321u + low;
  state->spare = {};
  skipahead_sequence(sequence, state);
  skipahead(offset, state);
}

SIMT_INLINE unsigned curand(curandStateXORWOW* state) {
  const unsigned t = state->v[0] ^ (state->v[0] >> 2);
  const unsigned last = state->v[4];
  state->v[0] = state->v[1];
  state->v[1] = state->v[2];
  state->v[2] = state->v[3];
  state->v[3] = last;
  state->v[4] = (last ^ (last << 4)) ^ (t ^ (t << 1));
  state->d += 362437u;
  return state->v[4] + state->d;
}

// ---- Philox -----------------------------------------------------------------------------------

namespace simt {

SIMT_INLINE uint4 philox4x32_10(uint4 counter, uint2 key) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const unsigned long long a = 0xD2511F53ull * counter.x;
    const unsigned long long b = 0xCD9E8D57ull * counter.z;
    counter =
        make_uint4(static_cast<unsigned>(b >> 32) ^ counter.y ^ key.x, static_cast<unsigned>(b),
                   static_cast<unsigned>(a >> 32) ^ counter.w ^ key.y, static_cast<unsigned>(a));
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

/// Adds to the lower or the upper 64 bits of a counter.
SIMT_INLINE void add_to_counter(uint4* counter, unsigned long long low, unsigned long long high) {
  const unsigned long long old_low = counter->x | static_cast<unsigned long long>(counter->y) << 32;
  const unsigned long long old_high = counter->z | static_cast<unsigned long long>(counter->w)
                                                       << 32;
  const unsigned long long new_low = old_low + low;
  const unsigned long long new_high = old_high + high + (new_low < old_low ? 1 : 0);
  *counter = make_uint4(static_cast<unsigned>(new_low), static_cast<unsigned>(new_low >> 32),
                        static_cast<unsigned>(new_high), static_cast<unsigned>(new_high >> 32));
}

SIMT_INLINE void move_on(curandStatePhilox4_32_10* state, unsigned long long low,
                         unsigned long long high) {
  add_to_counter(&state->ctr, low, high);
  state->output = philox4x32_10(state->ctr, state->key);
}

}  // namespace simt

SIMT_INLINE void skipahead(unsigned long long count, curandStatePhilox4_32_10* state) {
  const unsigned long long words = state->used + count % 4;
  state->used = static_cast<unsigned>(words % 4);
  simt::move_on(state, count / 4 + words / 4, 0);
}
/// Sequences have 2^66 numbers each.
SIMT_INLINE void skipahead_sequence(unsigned long long count, curandStatePhilox4_32_10* state) {
  simt::move_on(state, 0, count);
}

SIMT_INLINE void curand_init(unsigned long long seed, unsigned long long sequence,
                             unsigned long long offset, curandStatePhilox4_32_10* state) {
  state->ctr = make_uint4(0, 0, 0, 0);
  state->key = make_uint2(static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32));
  state->used = 0;
  state->spare = {};
  skipahead_sequence(sequence, state);
  skipahead(offset, state);
}

SIMT_INLINE unsigned curand(curandStatePhilox4_32_10* state) {
  const unsigned words[] = {state->output.x, state->output.y, state->output.z, state->output.w};
  const unsigned word = words[state->used++];
  if (state->used == 4) {
    state->used = 0;
    simt::move_on(state, 1, 0);
  }
  return word;
}

/// The next four.
SIMT_INLINE uint4 curand4(curandStatePhilox4_32_10* state) {
  const unsigned x = curand(state);
  const unsigned y = curand(state);
  const unsigned z = curand(state);
  return make_uint4(x, y, z, curand(state));
}

// ---- MRG32k3a ---------------------------------------------------------------------------------

SIMT_INLINE void skipahead(unsigned long long count, curandStateMRG32k3a* state) {
  simt::skip_mrg32k3a(state->s1, state->s2, count, 0);
}
/// Subsequences have 2^76 numbers each, sequences 2^127.
SIMT_INLINE void skipahead_subsequence(unsigned long long count, curandStateMRG32k3a* state) {
  simt::skip_mrg32k3a(state->s1, state->s2, count, 76);
}
SIMT_INLINE void skipahead_sequence(unsigned long long count, curandStateMRG32k3a* state) {
  simt::skip_mrg32k3a(state->s1, state->s2, count, 127);
}

namespace simt {
inline constexpr unsigned long long kMrgModulus1 = 4294967087u;
inline constexpr unsigned long long kMrgModulus2 = 4294944443u;
}  // namespace simt

SIMT_INLINE void curand_init(unsigned long long seed, unsigned long long sequence,
                             unsigned long long offset, curandStateMRG32k3a* state) {
  constexpr unsigned long long kStart = 12345;
  const unsigned long long low = seed == 0 ? 1 : static_cast<unsigned>(seed) ^ 0x55555555u;
  const unsigned long long high = seed == 0 ? 1 : static_cast<unsigned>(seed >> 32) ^ 0xAAAAAAAAu;
  const unsigned long long of_first[] = {low, high, low};
  const unsigned long long of_second[] = {high, low, high};
  for (int i = 0; i < 3; ++i) {
    state->s1[i] = static_cast<unsigned>(of_first[i] * kStart % simt::kMrgModulus1);
    state->s2[i] = static_cast<unsigned>(of_second[i] * kStart % simt::kMrgModulus2);
  }
  state->spare = {};
  skipahead_subsequence(sequence, state);
  skipahead(offset, state);
}

/// The next number, from 1 to 4294967087.
SIMT_INLINE double curand_MRG32k3a(curandStateMRG32k3a* state) {
  const unsigned long long first =
      (1403580ull * state->s1[1] + 810728ull * (simt::kMrgModulus1 - state->s1[0])) %
      simt::kMrgModulus1;
  const unsigned long long second =
      (527612ull * state->s2[2] + 1370589ull * (simt::kMrgModulus2 - state->s2[0])) %
      simt::kMrgModulus2;
  state->s1[0] = state->s1[1];
  state->s1[1] = state->s1[2];
  state->s1[2] = static_cast<unsigned>(first);
  state->s2[0] = state->s2[1];
  state->s2[1] = state->s2[2];
  state->s2[2] = static_cast<unsigned>(second);
  return static_cast<double>(first <= second ? first + simt::kMrgModulus1 - second
                                             : first - second);
}

SIMT_INLINE unsigned curand(curandStateMRG32k3a* state) {
  return static_cast<unsigned>(curand_MRG32k3a(state) * 1.000000048662);
}

// ---- Sobol' ------------------------------------------------------------------------------------

namespace simt {

/// One dimension. (Antonov and Saleev, "An economic method of computing LP-tau sequences")
template <typename Word>
struct SobolState {
  static constexpr unsigned kBits = 8 * sizeof(Word);
  Word i;  ///< the number of the next word
  Word x;  ///< that word: the vectors where the Gray code of i has ones
  Word direction_vectors[kBits];

  SIMT_INLINE void go_to(Word number) {
    i = number;
    x = 0;
    const Word gray = number ^ (number >> 1);
    for (unsigned bit = 0; bit < kBits; ++bit) {
      if ((gray >> bit & 1) != 0) x ^= direction_vectors[bit];
    }
  }
  /// The Gray code of the next number differs where this one has its lowest zero.
  SIMT_INLINE Word next() {
    const Word word = x;
    unsigned bit = 0;
    while (bit + 1 < kBits && (i >> bit & 1) != 0)
      ++bit;
    x ^= direction_vectors[bit];
    ++i;
    return word;
  }
};

}  // namespace simt

using curandStateSobol32 = simt::SobolState<unsigned>;
using curandStateSobol32_t = curandStateSobol32;
using curandStateSobol64 = simt::SobolState<unsigned long long>;
using curandStateSobol64_t = curandStateSobol64;

SIMT_INLINE void curand_init(const unsigned* vectors, unsigned offset, curandStateSobol32* state) {
  for (unsigned bit = 0; bit < curandStateSobol32::kBits; ++bit)
    state->direction_vectors[bit] = vectors[bit];
  state->go_to(offset);
}
SIMT_INLINE void curand_init(const unsigned long long* vectors, unsigned long long offset,
                             curandStateSobol64* state) {
  for (unsigned bit = 0; bit < curandStateSobol64::kBits; ++bit)
    state->direction_vectors[bit] = vectors[bit];
  state->go_to(offset);
}

SIMT_INLINE void skipahead(unsigned count, curandStateSobol32* state) {
  state->go_to(state->i + count);
}
SIMT_INLINE void skipahead(unsigned long long count, curandStateSobol64* state) {
  state->go_to(state->i + count);
}

SIMT_INLINE unsigned curand(curandStateSobol32* state) {
  return state->next();
}
SIMT_INLINE unsigned long long curand(curandStateSobol64* state) {
  return state->next();
}

// ---- uniform: above 0, up to 1 ----------------------------------------------------------------

namespace simt {

inline constexpr float kPerWord = 2.3283064e-10f;  // 2^-32
inline constexpr double kPerWordDouble = 2.3283064365386963e-10;
inline constexpr double kPer53Bits = 1.1102230246251565e-16;  // 2^-53
inline constexpr double kMrgUnit = 2.3283065498378288e-10;    // 1 / 4294967088

SIMT_INLINE float uniform_float(unsigned word) {
  return static_cast<float>(word) * kPerWord + kPerWord / 2.0f;
}
SIMT_INLINE unsigned long long bits_53(unsigned low, unsigned high) {
  return low ^ static_cast<unsigned long long>(high) << 21;
}
SIMT_INLINE double uniform_double(unsigned low, unsigned high) {
  return static_cast<double>(bits_53(low, high)) * kPer53Bits + kPer53Bits / 2.0;
}

/// Of one word alone, of 32 or 64 bits.
SIMT_INLINE float uniform_of_word(unsigned word) {
  return uniform_float(word);
}
SIMT_INLINE float uniform_of_word(unsigned long long word) {
  return uniform_float(static_cast<unsigned>(word >> 32));
}
SIMT_INLINE double uniform_double_of_word(unsigned word) {
  return word * kPerWordDouble + kPerWordDouble;
}
SIMT_INLINE double uniform_double_of_word(unsigned long long word) {
  return static_cast<double>(word >> 11) * kPer53Bits + kPer53Bits / 2.0;
}

}  // namespace simt

SIMT_INLINE float curand_uniform(curandStateXORWOW* state) {
  return simt::uniform_float(curand(state));
}
SIMT_INLINE float curand_uniform(curandStatePhilox4_32_10* state) {
  return simt::uniform_float(curand(state));
}
SIMT_INLINE float curand_uniform(curandStateMRG32k3a* state) {
  return static_cast<float>(curand_MRG32k3a(state) * simt::kMrgUnit);
}
template <typename Word>
SIMT_INLINE float curand_uniform(simt::SobolState<Word>* state) {
  return simt::uniform_of_word(state->next());
}
SIMT_INLINE float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  const uint4 words = curand4(state);
  return make_float4(simt::uniform_float(words.x), simt::uniform_float(words.y),
                     simt::uniform_float(words.z), simt::uniform_float(words.w));
}

/// Of 53 random bits from XORWOW and Sobol64, of 32 from the others.
SIMT_INLINE double curand_uniform_double(curandStateXORWOW* state) {
  const unsigned low = curand(state);
  return simt::uniform_double(low, curand(state));
}
SIMT_INLINE double curand_uniform_double(curandStatePhilox4_32_10* state) {
  return simt::uniform_double_of_word(curand(state));
}
SIMT_INLINE double curand_uniform_double(curandStateMRG32k3a* state) {
  return curand_MRG32k3a(state) * simt::kMrgUnit;
}
template <typename Word>
SIMT_INLINE double curand_uniform_double(simt::SobolState<Word>* state) {
  return simt::uniform_double_of_word(state->next());
}
SIMT_INLINE double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
  const uint4 words = curand4(state);
  return make_double2(simt::uniform_double(words.x, words.y),
                      simt::uniform_double(words.z, words.w));
}

// ---- normal: two at a time, of Sobol' one -----------------------------------------------------

namespace simt {

// (Box and Muller, "A note on the generation of random normal deviates")
SIMT_INLINE float2 box_muller(float uniform, float angle) {
  const float radius = std::sqrt(-2.0f * std::log(uniform));
  return make_float2(std::sin(angle) * radius, std::cos(angle) * radius);
}
SIMT_INLINE float2 box_muller(unsigned x, unsigned y) {
  constexpr float kAngle = kPerWord * 6.2831855f;
  return box_muller(uniform_float(x), static_cast<float>(y) * kAngle + kAngle / 2.0f);
}
/// Of an angle in units of pi.
SIMT_INLINE double2 box_muller_double(double uniform, double half_turns) {
  const double radius = std::sqrt(-2.0 * std::log(uniform));
  return make_double2(::sinpi(half_turns) * radius, ::cospi(half_turns) * radius);
}
SIMT_INLINE double2 box_muller_double(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  return box_muller_double(uniform_double(x0, x1),
                           static_cast<double>(bits_53(y0, y1)) * (kPer53Bits * 2.0) + kPer53Bits);
}

/// Two normal numbers of the next ones of a generator.
template <typename State>
SIMT_INLINE float2 normal_pair(State* state) {
  const unsigned x = curand(state);
  return box_muller(x, curand(state));
}
SIMT_INLINE float2 normal_pair(curandStateMRG32k3a* state) {
  const float uniform = curand_uniform(state);
  return box_muller(uniform, curand_uniform(state) * 6.2831855f);
}
template <typename State>
SIMT_INLINE double2 normal_pair_double(State* state) {
  const unsigned x0 = curand(state);
  const unsigned x1 = curand(state);
  const unsigned y0 = curand(state);
  return box_muller_double(x0, x1, y0, curand(state));
}
SIMT_INLINE double2 normal_pair_double(curandStateMRG32k3a* state) {
  const double uniform = curand_uniform_double(state);
  return box_muller_double(uniform, curand_uniform_double(state) * 2.0);
}

/// The normal number that is above as many as `word` of all words. Those of the upper half are the
/// others' mirror image, so that their small distance from the end is kept.
SIMT_INLINE float normal_of_word(unsigned word) {
  constexpr float kRoot2 = 1.4142135f;
  const bool is_upper = word > 0x80000000u;
  const float share = uniform_float(is_upper ? ~word : word);
  const auto distance = static_cast<float>(inverse_erfc(2.0f * share));
  return (is_upper ? kRoot2 : -kRoot2) * distance;
}
SIMT_INLINE float normal_of_word(unsigned long long word) {
  return normal_of_word(static_cast<unsigned>(word >> 32));
}
SIMT_INLINE double normal_of_share(double share, bool is_upper) {
  constexpr double kRoot2 = 1.4142135623730951;
  return (is_upper ? kRoot2 : -kRoot2) * inverse_erfc(2.0 * share);
}
SIMT_INLINE double normal_double_of_word(unsigned word) {
  const bool is_upper = word > 0x80000000u;
  const unsigned lower = is_upper ? ~word : word;
  return normal_of_share(lower * kPerWordDouble + kPerWordDouble / 2.0, is_upper);
}
SIMT_INLINE double normal_double_of_word(unsigned long long word) {
  const unsigned long long bits = word >> 11;
  const bool is_upper = bits > 1ull << 52;
  const unsigned long long lower = is_upper ? (1ull << 53) - 1 - bits : bits;
  return normal_of_share(static_cast<double>(lower) * kPer53Bits + kPer53Bits / 2.0, is_upper);
}

}  // namespace simt

template <typename State>
SIMT_INLINE float2 curand_normal2(State* state) {
  return simt::normal_pair(state);
}
template <typename State>
SIMT_INLINE double2 curand_normal2_double(State* state) {
  return simt::normal_pair_double(state);
}
SIMT_INLINE float4 curand_normal4(curandStatePhilox4_32_10* state) {
  const float2 first = simt::normal_pair(state);
  const float2 second = simt::normal_pair(state);
  return make_float4(first.x, first.y, second.x, second.y);
}

template <typename State>
SIMT_INLINE float curand_normal(State* state) {
  simt::SpareNormals& spare = state->spare;
  spare.has_float = !spare.has_float;
  if (!spare.has_float) return spare.next_float;
  const float2 pair = simt::normal_pair(state);
  spare.next_float = pair.y;
  return pair.x;
}
template <typename State>
SIMT_INLINE double curand_normal_double(State* state) {
  simt::SpareNormals& spare = state->spare;
  spare.has_double = !spare.has_double;
  if (!spare.has_double) return spare.next_double;
  const double2 pair = simt::normal_pair_double(state);
  spare.next_double = pair.y;
  return pair.x;
}

template <typename Word>
SIMT_INLINE float curand_normal(simt::SobolState<Word>* state) {
  return simt::normal_of_word(state->next());
}
template <typename Word>
SIMT_INLINE double curand_normal_double(simt::SobolState<Word>* state) {
  return simt::normal_double_of_word(state->next());
}

template <typename State>
SIMT_INLINE float curand_log_normal(State* state, float mean, float deviation) {
  return std::exp(mean + deviation * curand_normal(state));
}
template <typename State>
SIMT_INLINE double curand_log_normal_double(State* state, double mean, double deviation) {
  return std::exp(mean + deviation * curand_normal_double(state));
}
template <typename State>
SIMT_INLINE float2 curand_log_normal2(State* state, float mean, float deviation) {
  const float2 pair = curand_normal2(state);
  return make_float2(std::exp(mean + deviation * pair.x), std::exp(mean + deviation * pair.y));
}
