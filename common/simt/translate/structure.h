/// \file
/// What the tokenizer does not see: dead preprocessor branches and function bodies.
#pragma once

#include "common/simt/translate/token.h"

namespace simt::translate {

/// Leaves out the tokens of branches that are never compiled for the CPU: `#if 0`, and `#ifdef`,
/// `#ifndef`, `#if defined(X)`, `#if !defined(X)` and their `#else`, where X is WORKLOG_SIMT
/// (defined) or __CUDA_ARCH__ (not defined). The directives themselves stay.
Tokens without_dead_branches(const Tokens& tokens);

/// Sets what Token says of functions.
void mark_function_bodies(Tokens& tokens);

}  // namespace simt::translate
