// What a function's copy without hooks is made of. The assembly is g++'s, shortened.
#include "simt/run/plain_copies.h"

#include <doctest/doctest.h>
#include <string>

namespace {

using simt::run::with_plain_copies;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// What stands behind the last line of the original.
std::string copy_in(const std::string& copied, const std::string& end_of_original) {
  const std::size_t end = copied.find(end_of_original);
  REQUIRE(end != std::string::npos);
  return copied.substr(end + end_of_original.size());
}

constexpr const char* kKernel = R"(	.text
	.p2align 4
	.globl	kernel
	.type	kernel, @function
kernel:
.LFB1:
	.file 1 "a.cu"
	.loc 1 4 78
	.cfi_startproc
	pushq	%rbp
	call	*__sanitizer_cov_trace_pc@GOTPCREL(%rip)
.L2:
	movq	%r13, %rdi
	call	*__tsan_read4@GOTPCREL(%rip)
	movss	0(%r13), %xmm0
	call	*expf@GOTPCREL(%rip)
	call	*__tsan_volatile_read4@GOTPCREL(%rip)
	call	helper
	leaq	helper(%rip), %rax
	leaq	kernel(%rip), %rax
	movss	.LC0(%rip), %xmm1
	jne	.L2
	popq	%rbp
	jmp	*__tsan_write4@GOTPCREL(%rip)
	.cfi_endproc
.LFE1:
	.size	kernel, .-kernel
)";

constexpr const char* kHelper = R"(	.section	.text.helper,"axG",@progbits,helper,comdat
	.weak	helper
	.type	helper, @function
helper:
	call	*__tsan_unaligned_write8@GOTPCREL(%rip)
	jmp	*.L9(,%rax,8)
	.section	.rodata.helper,"aG",@progbits,helper,comdat
.L9:
	.quad	.L7
	.section	.text.helper,"axG",@progbits,helper,comdat
.L7:
	ret
	.size	helper, .-helper
)";

}  // namespace

TEST_SUITE_BEGIN("plain_copies");

TEST_CASE("a copy has no hooks, but for those at which a waiting thread gives way") {
  const std::string copied = with_plain_copies(std::string(kKernel) + kHelper);
  CHECK(copied.starts_with(kKernel));
  const std::string copy = copy_in(copied, "\t.size\tkernel, .-kernel\n").substr(0, 1200);
  const std::string body = copy.substr(0, copy.find(".Lend_of_kernel.plain:"));
  CHECK(contains(body, "kernel.plain:\n"));
  CHECK_FALSE(contains(body, "__sanitizer_cov_trace_pc"));
  CHECK_FALSE(contains(body, "__tsan_read4"));
  CHECK_FALSE(contains(body, "__tsan_write4"));
  CHECK(contains(body, "\tpopq\t%rbp\n\tret\n"));
  CHECK(contains(body, "\tcall\t*__tsan_volatile_read4@GOTPCREL(%rip)\n"));
  CHECK(contains(body, "\tcall\t*expf@GOTPCREL(%rip)\n"));
  CHECK(contains(body, "\t.loc 1 4 78\n"));
  CHECK_FALSE(contains(body, ".file"));
}

TEST_CASE("a copy calls copies; addresses and constants are those of the original") {
  const std::string copied = with_plain_copies(std::string(kKernel) + kHelper);
  const std::string body = copy_in(copied, "\t.size\tkernel, .-kernel\n");
  CHECK(contains(body, "\tcall\thelper.plain\n"));
  CHECK(contains(body, "\tleaq\thelper(%rip), %rax\n"));
  CHECK(contains(body, "\tleaq\tkernel(%rip), %rax\n"));
  CHECK(contains(body, "\tmovss\t.LC0(%rip), %xmm1\n"));
  CHECK(contains(body, ".L2.plain:\n"));
  CHECK(contains(body, "\tjne\t.L2.plain\n"));
  CHECK(contains(body, "\t.weak\tkernel.plain\n\t.hidden\tkernel.plain\n"));
}

TEST_CASE("what a program keeps once is in one group with its copy, and its table of jumps, too") {
  const std::string copied = with_plain_copies(kHelper);
  CHECK(copied.starts_with(kHelper));
  CHECK(copy_in(copied, "\t.size\thelper, .-helper\n") ==
        R"(	.section	.text.helper,"axG",@progbits,helper,comdat
	.p2align 4
	.section	.text.helper,"axG",@progbits,helper,comdat
	.weak	helper.plain
	.hidden	helper.plain
	.type	helper.plain, @function
helper.plain:
	jmp	*.L9.plain(,%rax,8)
	.section	.rodata.helper,"aG",@progbits,helper,comdat
.L9.plain:
	.quad	.L7.plain
	.section	.text.helper,"axG",@progbits,helper,comdat
.L7.plain:
	ret
	.size	helper.plain, .-helper.plain
	.section	.text.helper,"axG",@progbits,helper,comdat
.Lend_of_helper.plain:
	.section	simt_plain_copies,"aG",@progbits,helper,comdat
	.balign 4
	.long	helper-.
	.long	helper.plain-.
	.long	.Lend_of_helper.plain-.
	.section	.text.helper,"axG",@progbits,helper,comdat
)");
}

TEST_CASE("what runs once has no copy, nor has what is no function") {
  const std::string text = R"(	.section	.text.startup,"ax",@progbits
	.globl	main
	.type	main, @function
main:
	call	*__tsan_read4@GOTPCREL(%rip)
	ret
	.section	.text.unlikely
	.type	main.cold, @function
main.cold:
	call	abort
	.section	.text.startup
	.size	main, .-main
	.section	.text.unlikely
	.size	main.cold, .-main.cold
	.bss
	.type	table, @object
table:
	.zero	4
)";
  CHECK(with_plain_copies(text) == text);
}

TEST_CASE("a function of two names is copied once") {
  const std::string copied = with_plain_copies(std::string(kHelper) +
                                               "\t.weak\tsame\n\t.set\tsame,helper\n\t.text\n"
                                               "\t.type\tcaller, @function\ncaller:\n"
                                               "\tjmp\tsame\n\t.size\tcaller, .-caller\n");
  CHECK(contains(copied, "caller.plain:\n\tjmp\thelper.plain\n"));
  CHECK_FALSE(contains(copied, "same.plain"));
}

TEST_SUITE_END();
