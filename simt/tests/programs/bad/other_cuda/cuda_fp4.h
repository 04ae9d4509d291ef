#error "a header of another CUDA"
