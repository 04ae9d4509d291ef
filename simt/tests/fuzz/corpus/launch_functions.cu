void f() {
  cudaLaunchKernel((void*)
      kernel<float, 4>, 1, 2, args);
  cudaLaunchKernelEx(&config, k<a < b, c>, x);
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&k
      ), 1, 2, args, 0, s);
  cudaLaunchKernel();  cudaLaunchKernelEx(,); cudaLaunchKernel((void*)); cudaLaunchKernel(static_cast<void*>());
}
