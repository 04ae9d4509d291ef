{__shared__ cudaLaunchKernel(k
}
