/// \file
/// What the source translator makes of `kernel<<<grid, block, bytes, stream>>>(arguments)`.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "simt/executor/child_launches.h"
#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/graphs.h"
#include "simt/include/cuda_standin/kernel_call.h"
#include "simt/include/cuda_standin/qualifiers.h"
#include "simt/include/cuda_standin/runtime_types.h"
#include "simt/include/cuda_standin/vector_types.h"

namespace simt {

/// The words of an argument of the next launch, of which some may be pointers.
void note_arguments(const void* bytes, std::size_t size);

constexpr Dim3 to_dim3(dim3 shape) {
  return {shape.x, shape.y, shape.z};
}

/// Whether the stream is one of the calling thread's device. If it is not, the kernel is not
/// launched, and cudaGetLastError() says so.
bool runs_here(const void* stream);

/// Runs `body()` for each of these threads of a launch that runs plain.
template <typename Body>
SIMT_NOT_INSTRUMENTED void run_in_turn(void* pointer, ThreadsInTurn& turns) {
  const Body& body = *static_cast<Body*>(pointer);
  Turn turn(turns);
  do {
    body();
  } while (turn.next());
}

/// The same for one thread of any launch. No lambda: what turns one into a pointer is watched.
template <typename Body>
SIMT_NOT_INSTRUMENTED void run_alone(void* pointer) {
  (*static_cast<Body*>(pointer))();
}

/// Runs `body()` for every thread of the grid. Inlined, as what calls it, so that a finding of the
/// launch names the line of the program.
template <typename Body>
SIMT_INLINE void launch_body(const char* kernel, const LaunchConfig& config, Body& body) {
  if (!runs_here(config.stream)) return;
  launch(kernel, config, run_alone<Body>, &body, run_in_turn<Body>);
}

/// Called with a kernel, its address.
struct AddressOf {
  template <typename... Parameters>
  const void* operator()(void (*kernel)(Parameters...)) const {
    return reinterpret_cast<const void*>(kernel);
  }
};
/// Null for one of several of a name, which only the arguments will tell.
template <typename Address>
const void* address_of_kernel(const Address& address) {
  if constexpr (std::is_invocable_v<Address, AddressOf>) {
    return address(AddressOf{});
  } else {
    return nullptr;
  }
}

/// Called with a kernel, its address and its parameters.
struct PointerTo {
  template <typename... Parameters>
  auto operator()(void (*kernel)(Parameters...)) const {
    return kernel;
  }
};

template <typename... Types>
struct TypeList {};

/// Called with a kernel, its parameters' types.
struct ParametersOf {
  template <typename... Parameters>
  TypeList<std::decay_t<Parameters>...> operator()(void (*)(Parameters...)) const {
    return {};
  }
};
/// Of one of several kernels of a name, which only the arguments will tell.
struct UnknownParameters {};
template <typename Address, bool known = std::is_invocable_v<Address, ParametersOf>>
struct ParametersOfAddress {
  using Type = UnknownParameters;
};
template <typename Address>
struct ParametersOfAddress<Address, true> {
  using Type = std::invoke_result_t<Address, ParametersOf>;
};

/// Whether a parameter is given the number 0 for a pointer. Copied, it would be none any more.
template <typename Parameter, typename Argument>
constexpr bool is_pointer_given_as_number =
    std::is_pointer_v<Parameter>&& std::is_same_v<Argument, int>;

/// How a kernel with these parameters takes these arguments: whether none is left to its default,
/// and whether a pointer is given as a number.
template <bool as_many, typename Parameters, typename Arguments>
struct FitOfLists {
  static constexpr bool names_all = false;
  static constexpr bool has_numbers_for_pointers = false;
};
template <typename... Parameters, typename... Arguments>
struct FitOfLists<true, TypeList<Parameters...>, TypeList<Arguments...>> {
  static constexpr bool names_all = true;
  static constexpr bool has_numbers_for_pointers =
      (is_pointer_given_as_number<Parameters, Arguments> || ...);
};
template <typename Parameters, typename Arguments>
struct Fit : FitOfLists<false, Parameters, Arguments> {};
template <typename... Parameters, typename... Arguments>
struct Fit<TypeList<Parameters...>, TypeList<Arguments...>>
    : FitOfLists<sizeof...(Parameters) == sizeof...(Arguments), TypeList<Parameters...>,
                 TypeList<Arguments...>> {};

template <typename Parameter, typename Argument>
decltype(auto) as_parameter(const Argument& argument) {
  if constexpr (is_pointer_given_as_number<std::decay_t<Parameter>, Argument>) {
    return static_cast<std::decay_t<Parameter>>(nullptr);
  } else {
    return (argument);
  }
}

/// An argument as a kernel's parameter: itself, or converted.
template <typename Parameter, typename Argument>
using Converted =
    std::conditional_t<std::is_same_v<Parameter, Argument>, const Argument&, Parameter>;

/// What a kernel is given may hold pointers: the executor looks which of them no device could use.
template <typename Argument>
void note_argument(const Argument& argument) {
  using Value = std::remove_cv_t<Argument>;
  constexpr bool may_point = sizeof(Value) >= sizeof(void*) && alignof(Value) >= alignof(void*);
  if constexpr (may_point && std::is_trivially_copyable_v<Value> && !std::is_arithmetic_v<Value>) {
    note_arguments(&argument, sizeof(Value));
  }
}

/// The launch of a kernel with copies of its arguments.
template <typename Kernel, typename... Arguments>
KernelLaunch keep_launch(Kernel kernel, std::tuple<Arguments...> arguments) {
  return [kernel, arguments](const char* name, const LaunchConfig& config) {
    std::apply([](const auto&... each) { (note_argument(each), ...); }, arguments);
    auto body = [&]() SIMT_NOT_INSTRUMENTED {
      std::apply([&](const auto&... each) SIMT_NOT_INSTRUMENTED { kernel(each...); }, arguments);
    };
    launch_body(name, config, body);
  };
}
template <typename... Parameters>
KernelLaunch keep_pointer_launch(void (*kernel)(Parameters...),
                                 std::tuple<std::decay_t<Parameters>...> arguments) {
  return keep_launch([kernel](const auto&... each)
                         SIMT_NOT_INSTRUMENTED { call_kernel(kernel, each...); },
                     std::move(arguments));
}
template <typename... Parameters, std::size_t... i>
KernelLaunch bind_kernel(void (*kernel)(Parameters...), void** arguments,
                         std::index_sequence<i...>) {
  return keep_pointer_launch(kernel, std::tuple<std::decay_t<Parameters>...>(
                                         *static_cast<std::decay_t<Parameters>*>(arguments[i])...));
}

template <typename... Parameters>
KernelFunction::KernelFunction(void (*kernel)(Parameters...), const char* name)
    : address_(reinterpret_cast<const void*>(kernel)),
      name_(name),
      bind_([](const void* address, [[maybe_unused]] void** arguments) {
        return bind_kernel(reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(address)),
                           arguments, std::index_sequence_for<Parameters...>{});
      }) {}

/// A launch that has its configuration and waits for its arguments.
template <typename Kernel, typename Address>
class Launcher {
 public:
  Launcher(const char* name, Kernel kernel, Address address, const LaunchConfig& config)
      : name_(name), kernel_(kernel), address_(address), config_(config) {}

  /// The same launch in clusters of that many blocks, as __cluster_dims__ demands.
  Launcher in_clusters(unsigned x, unsigned y = 1, unsigned z = 1) const {
    Launcher clustered = *this;
    clustered.config_.cluster = {x, y, z};
    return clustered;
  }

  /// The arguments are evaluated and copied once, here; every thread gets a copy of its own.
  template <typename... Arguments>
  void operator()(Arguments... arguments) const {
    if (in_kernel()) return order_with(arguments...);
    if (is_capturing(stream_of(config_))) return capture_launch(name_, config_, kept(arguments...));
    (note_argument(arguments), ...);
    constexpr bool trivial = (std::is_trivially_destructible_v<Arguments> && ...);
    using Fit = FitOf<Arguments...>;
    if constexpr (Fit::names_all && (!trivial || Fit::has_numbers_for_pointers)) {
      launch_with_bits(address_(PointerTo{}), arguments...);
    } else {
      auto body = [&]() SIMT_NOT_INSTRUMENTED { kernel_(arguments...); };
      launch_body(name_, config_, body);
    }
  }

 private:
  template <typename... Arguments>
  using FitOf = Fit<typename ParametersOfAddress<Address>::Type, TypeList<Arguments...>>;

  template <typename... Parameters, typename... Arguments>
  static KernelLaunch kept_pointer(void (*kernel)(Parameters...), const Arguments&... arguments) {
    return keep_pointer_launch(kernel, {as_parameter<Parameters>(arguments)...});
  }

  /// With copies of its arguments, for later.
  template <typename... Arguments>
  KernelLaunch kept(const Arguments&... arguments) const {
    if constexpr (FitOf<Arguments...>::names_all) {
      return kept_pointer(address_(PointerTo{}), arguments...);
    } else {
      return keep_launch(kernel_, std::tuple<Arguments...>(arguments...));
    }
  }

  /// By a kernel, for when its grid has ended.
  template <typename... Arguments>
  void order_with(const Arguments&... arguments) const {
    const bool for_the_end = stream_of(config_) == cudaStreamTailLaunch;
    order_launch(
        [launch = kept(arguments...), name = name_, config = config_]() { launch(name, config); },
        for_the_end);
  }

  /// Each thread's copies are bits: their destructors, which host code has, run once, on what the
  /// launch was given.
  template <typename... Parameters, typename... Arguments>
  void launch_with_bits(void (*kernel)(Parameters...), const Arguments&... arguments) const {
    const std::tuple<Converted<Parameters, Arguments>...> converted(
        as_parameter<Parameters>(arguments)...);
    auto body = [&]() SIMT_NOT_INSTRUMENTED {
      std::apply([&](const auto&... each) SIMT_NOT_INSTRUMENTED { call_kernel(kernel, each...); },
                 converted);
    };
    launch_body(name_, config_, body);
  }

  const char* name_;
  Kernel kernel_;
  Address address_;
  LaunchConfig config_;
};

/// `name` is the kernel as the source spells it, `address` returns what it is given that. Launches
/// run at once, in whatever stream.
template <typename Kernel, typename Address>
Launcher<Kernel, Address> launcher(const char* name, Kernel kernel, Address address, dim3 grid,
                                   dim3 block, std::size_t dynamic_shared_bytes = 0,
                                   cudaStream_t stream = nullptr) {
  LaunchConfig config;
  config.grid = to_dim3(grid);
  config.block = to_dim3(block);
  config.dynamic_shared_bytes = dynamic_shared_bytes;
  config.kernel = address_of_kernel(address);
  config.stream = stream;
  return {name, kernel, address, config};
}

}  // namespace simt
