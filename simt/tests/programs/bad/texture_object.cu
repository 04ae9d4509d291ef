__global__ void read(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2DLod<float>(texture, threadIdx.x, 0.0f, 1.0f);
}
int main() { return 0; }
