// A kernel, and what the table of a program's copies without hooks calls its copy (`simt run` makes
// both of one function): here they differ, so that a test can tell which one ran.

extern "C" {

void simt_counted_kernel(int* result) {
  *result = 1;
}

void simt_copy_of_kernel(int* result) {
  *result = 2;
}

}  // extern "C"

#if defined(__ELF__)
__asm__(
    ".pushsection simt_plain_copies,\"a\"\n"
    ".balign 4\n"
    ".long simt_counted_kernel-., simt_copy_of_kernel-., simt_copy_of_kernel-.\n"
    ".popsection\n");
#endif
