/* Older C may call what nobody has declared. */
int last_error(void) {
  cudaSetDevice(1000);
  return cudaGetLastError();
}
