// cuRAND's functions: what a program may ask is checked here.

#include "simt/include/curand.h"

#include <cmath>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "simt/curand/generator.h"
#include "simt/curand/output.h"
#include "simt/curand/sobol_vectors.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/findings/host_call.h"

namespace {

using namespace simt::curand_host;

/// What `run` throws is what the function returns. Called within SIMT_HOST_CALL.
template <typename Run>
curandStatus_t checked(const char* function, Run run) {
  try {
    run();
  } catch (const Failure& failure) {
    if (!failure.finding.empty()) {
      simt::report(failure.kind, {}, std::string(function) + ": " + failure.finding);
    }
    return failure.status;
  } catch (const std::exception&) {  // no memory for the numbers
    return CURAND_STATUS_ALLOCATION_FAILED;
  }
  return CURAND_STATUS_SUCCESS;
}

// ---- generators -------------------------------------------------------------------------------

void check_type(curandRngType_t type) {
  const auto lacks = [](const char* name) { return not_available(CURAND_STATUS_TYPE_ERROR, name); };
  switch (type) {
    case CURAND_RNG_PSEUDO_MTGP32:
      throw lacks("CURAND_RNG_PSEUDO_MTGP32");
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
      throw lacks("CURAND_RNG_QUASI_SCRAMBLED_SOBOL32");
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
      throw lacks("CURAND_RNG_QUASI_SCRAMBLED_SOBOL64");
    default:
      return;
  }
}

curandStatus_t create(const char* function, curandGenerator_t* generator, curandRngType_t type,
                      bool is_of_host) {
  return checked(function, [=] {
    if (generator == nullptr) throw Failure{CURAND_STATUS_INITIALIZATION_FAILED};
    check_type(type);
    *generator = create_generator(type, is_of_host);
  });
}

bool is_mt19937(const curandGenerator_st& generator) {
  return generator.settings.type == CURAND_RNG_PSEUDO_MT19937;
}

void check_ordering(const curandGenerator_st& generator, curandOrdering_t order) {
  if (!generator.is_pseudo()) {
    if (order != CURAND_ORDERING_QUASI_DEFAULT) throw Failure{CURAND_STATUS_OUT_OF_RANGE};
    return;
  }
  const bool is_xorwow = generator.settings.type == CURAND_RNG_PSEUDO_XORWOW;
  switch (order) {
    case CURAND_ORDERING_PSEUDO_BEST:
      if (is_mt19937(generator)) throw Failure{CURAND_STATUS_OUT_OF_RANGE};
      return;
    case CURAND_ORDERING_PSEUDO_DEFAULT:
    case CURAND_ORDERING_PSEUDO_LEGACY:
      return;
    case CURAND_ORDERING_PSEUDO_SEEDED:
      if (!is_xorwow) throw Failure{CURAND_STATUS_OUT_OF_RANGE};
      throw not_available(CURAND_STATUS_OUT_OF_RANGE, "CURAND_ORDERING_PSEUDO_SEEDED");
    case CURAND_ORDERING_PSEUDO_DYNAMIC:
      if (generator.is_of_host) throw Failure{CURAND_STATUS_OUT_OF_RANGE};
      throw not_available(CURAND_STATUS_OUT_OF_RANGE, "CURAND_ORDERING_PSEUDO_DYNAMIC");
    default:
      throw Failure{CURAND_STATUS_OUT_OF_RANGE};
  }
}

void check_dimensions(const curandGenerator_st& generator, unsigned dimensions) {
  constexpr unsigned kMost = 20000;  // of NVIDIA's library
  if (generator.is_pseudo()) throw Failure{CURAND_STATUS_TYPE_ERROR};
  if (dimensions == 0 || dimensions > kMost) throw Failure{CURAND_STATUS_OUT_OF_RANGE};
  const std::size_t most = direction_vectors<unsigned>().size();
  if (dimensions <= most) return;
  throw not_available(
      CURAND_STATUS_OUT_OF_RANGE,
      std::to_string(dimensions) + " dimensions, more than " + std::to_string(most));
}

// ---- numbers ----------------------------------------------------------------------------------

/// `draw` makes the next numbers of a sequence.
template <typename T, typename Draw>
curandStatus_t generate(const char* function, curandGenerator_t handle, T* output, std::size_t n,
                        Draw draw) {
  return checked(function, [=] {
    curandGenerator_st& generator = find_generator(handle);
    if (n == 0) return;
    if (simt::is_capturing(generator.stream)) {
      throw not_available(CURAND_STATUS_LAUNCH_FAILURE, "in a stream that is captured");
    }
    check_output(generator, output);
    std::vector<T> numbers(n);
    draw(*generator.sequence, std::span(numbers));
    write_output(generator, output, numbers.data(), n * sizeof(T), function);
  });
}

template <typename T>
curandStatus_t generate_uniform(const char* function, curandGenerator_t generator, T* output,
                                std::size_t n) {
  return generate(function, generator, output, n,
                  [](Sequence& sequence, std::span<T> numbers) { sequence.uniform(numbers); });
}

template <typename T>
curandStatus_t generate_normal(const char* function, curandGenerator_t generator, T* output,
                               std::size_t n, T mean, T deviation) {
  return generate(function, generator, output, n, [=](Sequence& sequence, std::span<T> numbers) {
    sequence.normal(numbers);
    for (T& number : numbers)
      number = mean + deviation * number;
  });
}

template <typename T>
curandStatus_t generate_log_normal(const char* function, curandGenerator_t generator, T* output,
                                   std::size_t n, T mean, T deviation) {
  return generate(function, generator, output, n, [=](Sequence& sequence, std::span<T> numbers) {
    sequence.normal(numbers);
    for (T& number : numbers)
      number = std::exp(mean + deviation * number);
  });
}

// ---- direction vectors ------------------------------------------------------------------------

template <typename Word, typename Vectors>
curandStatus_t get_direction_vectors(const char* function, Vectors** vectors,
                                     curandDirectionVectorSet_t set,
                                     curandDirectionVectorSet_t plain,
                                     curandDirectionVectorSet_t scrambled) {
  return checked(function, [=] {
    if (set == scrambled) {
      throw not_available(CURAND_STATUS_OUT_OF_RANGE, "scrambled direction vectors");
    }
    if (set != plain || vectors == nullptr) throw Failure{CURAND_STATUS_OUT_OF_RANGE};
    *vectors = reinterpret_cast<Vectors*>(direction_vectors<Word>().data());
  });
}

}  // namespace

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t rng_type) {
  SIMT_HOST_CALL;
  return create("curandCreateGenerator", generator, rng_type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t rng_type) {
  SIMT_HOST_CALL;
  return create("curandCreateGeneratorHost", generator, rng_type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  return checked("curandDestroyGenerator", [=] { destroy_generator(generator); });
}

curandStatus_t curandGetVersion(int* version) {
  if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  return checked("curandSetStream", [=] { find_generator(generator).stream = stream; });
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) {
  return checked("curandSetPseudoRandomGeneratorSeed", [=] {
    curandGenerator_st& found = find_generator(generator);
    if (!found.is_pseudo()) throw Failure{CURAND_STATUS_TYPE_ERROR};
    Settings settings = found.settings;
    settings.seed = seed;
    found.change(settings);
  });
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  return checked("curandSetGeneratorOffset", [=] {
    curandGenerator_st& found = find_generator(generator);
    if (is_mt19937(found)) throw Failure{CURAND_STATUS_TYPE_ERROR};
    found.sequence = make_sequence(found.settings, {offset});
  });
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  SIMT_HOST_CALL;
  return checked("curandSetGeneratorOrdering", [=] {
    curandGenerator_st& found = find_generator(generator);
    check_ordering(found, order);
    Settings settings = found.settings;
    settings.ordering = order;
    found.change(settings);
  });
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                       unsigned num_dimensions) {
  SIMT_HOST_CALL;
  return checked("curandSetQuasiRandomGeneratorDimensions", [=] {
    curandGenerator_st& found = find_generator(generator);
    check_dimensions(found, num_dimensions);
    Settings settings = found.settings;
    settings.dimensions = num_dimensions;
    found.change(settings);
  });
}

// A sequence begins by itself.
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return checked("curandGenerateSeeds", [=] { find_generator(generator); });
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* output, std::size_t n) {
  SIMT_HOST_CALL;
  return generate("curandGenerate", generator, output, n,
                  [](Sequence& sequence, std::span<unsigned> numbers) { sequence.words(numbers); });
}

curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long* output,
                                      std::size_t n) {
  SIMT_HOST_CALL;
  return generate("curandGenerateLongLong", generator, output, n,
                  [](Sequence& sequence, std::span<unsigned long long> numbers) {
                    sequence.long_words(numbers);
                  });
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* output, std::size_t n) {
  SIMT_HOST_CALL;
  return generate_uniform("curandGenerateUniform", generator, output, n);
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* output,
                                           std::size_t n) {
  SIMT_HOST_CALL;
  return generate_uniform("curandGenerateUniformDouble", generator, output, n);
}

curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* output, std::size_t n,
                                    float mean, float stddev) {
  SIMT_HOST_CALL;
  return generate_normal("curandGenerateNormal", generator, output, n, mean, stddev);
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* output,
                                          std::size_t n, double mean, double stddev) {
  SIMT_HOST_CALL;
  return generate_normal("curandGenerateNormalDouble", generator, output, n, mean, stddev);
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* output, std::size_t n,
                                       float mean, float stddev) {
  SIMT_HOST_CALL;
  return generate_log_normal("curandGenerateLogNormal", generator, output, n, mean, stddev);
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* output,
                                             std::size_t n, double mean, double stddev) {
  SIMT_HOST_CALL;
  return generate_log_normal("curandGenerateLogNormalDouble", generator, output, n, mean, stddev);
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned*, std::size_t, double) {
  SIMT_HOST_CALL;
  return checked("curandGeneratePoisson", [=] {
    find_generator(generator);
    throw not_available(CURAND_STATUS_TYPE_ERROR, "Poisson numbers");
  });
}

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t** vectors,
                                           curandDirectionVectorSet_t set) {
  SIMT_HOST_CALL;
  return get_direction_vectors<unsigned>("curandGetDirectionVectors32", vectors, set,
                                         CURAND_DIRECTION_VECTORS_32_JOEKUO6,
                                         CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6);
}

curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t** vectors,
                                           curandDirectionVectorSet_t set) {
  SIMT_HOST_CALL;
  return get_direction_vectors<unsigned long long>("curandGetDirectionVectors64", vectors, set,
                                                   CURAND_DIRECTION_VECTORS_64_JOEKUO6,
                                                   CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6);
}
