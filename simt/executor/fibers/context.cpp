#include "simt/executor/fibers/context.h"

#if defined(SIMT_OWN_JUMP)

#include <cstdint>
#include <cstring>

// The registers that a function preserves stay on its stack, below the address that it returns to.
// The Handover travels in the registers of a result and in those of arguments: for one that comes
// back from its own jump, and for one that begins.
asm(R"(
    .text
    .globl simt_jump
    .hidden simt_jump
    .type simt_jump, @function
    .p2align 4
simt_jump:
    pushq %rbp
    pushq %rbx
    pushq %r15
    pushq %r14
    pushq %r13
    pushq %r12
    movq %rsp, %rax
    movq %rdi, %rsp
    popq %r12
    popq %r13
    popq %r14
    popq %r15
    popq %rbx
    popq %rbp
    popq %rcx
    movq %rsi, %rdx
    movq %rax, %rdi
    jmpq *%rcx
    .size simt_jump, .-simt_jump
)");

namespace simt {

// As simt_jump leaves a stack, if a function had called `entry` whose own caller is nowhere.
Context make_context(char* top, std::size_t, void (*entry)(Handover)) {
  constexpr std::size_t kRegisters = 6;
  std::uintptr_t words[kRegisters + 2] = {};
  words[kRegisters] = reinterpret_cast<std::uintptr_t>(entry);
  char* const begin = top - sizeof words;
  std::memcpy(begin, words, sizeof words);
  return begin;
}

}  // namespace simt

#endif
