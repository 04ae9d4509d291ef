/// \file
/// Stands in for CUDA's math_constants.h: the constants that kernels use.
#pragma once

#include <limits>

inline constexpr float CUDART_INF_F = std::numeric_limits<float>::infinity();
inline constexpr float CUDART_NAN_F = std::numeric_limits<float>::quiet_NaN();
inline constexpr float CUDART_MIN_DENORM_F = std::numeric_limits<float>::denorm_min();
inline constexpr float CUDART_MAX_NORMAL_F = std::numeric_limits<float>::max();
inline constexpr float CUDART_NEG_ZERO_F = -0.0f;
inline constexpr float CUDART_ZERO_F = 0.0f;
inline constexpr float CUDART_ONE_F = 1.0f;
inline constexpr float CUDART_PI_F = 3.141592654f;
inline constexpr float CUDART_L2E_F = 1.442695041f;
inline constexpr float CUDART_LN2_F = 0.693147181f;
inline constexpr double CUDART_INF = std::numeric_limits<double>::infinity();
inline constexpr double CUDART_NAN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double CUDART_PI = 3.1415926535897931e+0;
inline constexpr double CUDART_L2E = 1.4426950408889634e+0;
inline constexpr double CUDART_LN2 = 6.9314718055994529e-1;
