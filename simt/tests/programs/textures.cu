// What the texture unit does with coordinates: address modes, filters, layers, cubes, and surfaces.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                    \
  do {                                                                 \
    const cudaError_t error = (call);                                  \
    if (error != cudaSuccess) {                                        \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error));       \
      std::exit(1);                                                    \
    }                                                                  \
  } while (false)

constexpr int kWidth = 8;
constexpr int kHeight = 4;
constexpr int kDepth = 3;
constexpr int kFaces = 6;

struct Places {
  int count;
  float at[24][3];
};

__global__ void read_1d(cudaTextureObject_t texture, Places places, float* results) {
  results[threadIdx.x] = tex1D<float>(texture, places.at[threadIdx.x][0]);
}
__global__ void read_2d(cudaTextureObject_t texture, Places places, float* results) {
  results[threadIdx.x] =
      tex2D<float>(texture, places.at[threadIdx.x][0], places.at[threadIdx.x][1]);
}
__global__ void read_3d(cudaTextureObject_t texture, Places places, float* results) {
  results[threadIdx.x] = tex3D<float>(texture, places.at[threadIdx.x][0],
                                      places.at[threadIdx.x][1], places.at[threadIdx.x][2]);
}
__global__ void read_layers(cudaTextureObject_t texture, Places places, float* results) {
  results[threadIdx.x] =
      tex2DLayered<float>(texture, places.at[threadIdx.x][0], places.at[threadIdx.x][1],
                          static_cast<int>(places.at[threadIdx.x][2]));
}
__global__ void read_cube(cudaTextureObject_t texture, Places places, float* results) {
  results[threadIdx.x] = texCubemap<float>(texture, places.at[threadIdx.x][0],
                                           places.at[threadIdx.x][1], places.at[threadIdx.x][2]);
}
__global__ void fetch(cudaTextureObject_t texture, uchar4* results) {
  results[threadIdx.x] = tex1Dfetch<uchar4>(texture, static_cast<int>(threadIdx.x) - 1);
}
__global__ void twice(cudaSurfaceObject_t surface) {
  float value;
  surf2Dread(&value, surface, threadIdx.x * sizeof(float), threadIdx.y);
  surf2Dwrite(2 * value, surface, threadIdx.x * sizeof(float), threadIdx.y);
}

bool all_right = true;
int compared = 0;

template <typename Kernel>
void expect(const char* name, Kernel kernel, cudaTextureObject_t texture, const Places& places,
            const std::vector<float>& expected) {
  float* results = nullptr;
  CHECK(cudaMallocManaged(&results, sizeof(float) * places.count));
  kernel<<<1, places.count>>>(texture, places, results);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < places.count; ++i) {
    ++compared;
    if (std::fabs(results[i] - expected[i]) <= 1e-6f) continue;
    std::printf("%s at (%g, %g, %g): %.7g, not %.7g\n", name, places.at[i][0], places.at[i][1],
                places.at[i][2], results[i], expected[i]);
    all_right = false;
  }
  CHECK(cudaFree(results));
}

// Its element (x, y, z) is x + 10 y + 100 z.
cudaArray_t make_array(int width, int height, int depth, unsigned flags) {
  std::vector<float> values;
  for (int z = 0; z < (depth > 0 ? depth : 1); ++z)
    for (int y = 0; y < (height > 0 ? height : 1); ++y)
      for (int x = 0; x < width; ++x)
        values.push_back(static_cast<float>(x + 10 * y + 100 * z));
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth), flags));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(values.data(), width * sizeof(float), width,
                                    height > 0 ? height : 1);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, height > 0 ? height : 1, depth > 0 ? depth : 1);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}

cudaTextureObject_t make_texture(cudaArray_t array, cudaTextureAddressMode address,
                                 cudaTextureFilterMode filter, bool normalized) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  for (cudaTextureAddressMode& mode : description.addressMode)
    mode = address;
  description.filterMode = filter;
  description.readMode = cudaReadModeElementType;
  description.normalizedCoords = normalized;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

void check_one_dimension() {
  const cudaArray_t array = make_array(kWidth, 0, 0, 0);
  const Places texels = {6, {{0.0f}, {0.99f}, {3.5f}, {7.99f}, {-2.0f}, {9.0f}}};
  const auto clamped = make_texture(array, cudaAddressModeClamp, cudaFilterModePoint, false);
  expect("point, clamped", read_1d, clamped, texels, {0, 0, 3, 7, 0, 7});
  const auto bordered = make_texture(array, cudaAddressModeBorder, cudaFilterModePoint, false);
  expect("point, border", read_1d, bordered, texels, {0, 0, 3, 7, 0, 0});
  const auto linear = make_texture(array, cudaAddressModeClamp, cudaFilterModeLinear, false);
  // 3.6 lies 0.1 behind the center of element 3; 0.1 is 26/256 in the unit's eight bits.
  expect("linear, clamped", read_1d, linear, {4, {{3.5f}, {3.75f}, {3.6f}, {0.2f}}},
         {3.0f, 3.25f, 3.0f + 26.0f / 256.0f, 0.0f});
  const Places shares = {5, {{0.0625f}, {1.0625f}, {-0.0625f}, {1.1875f}, {-0.25f}}};
  const auto wrapped = make_texture(array, cudaAddressModeWrap, cudaFilterModePoint, true);
  expect("point, wrapped", read_1d, wrapped, shares, {0, 0, 7, 1, 6});
  const auto mirrored = make_texture(array, cudaAddressModeMirror, cudaFilterModePoint, true);
  expect("point, mirrored", read_1d, mirrored, shares, {0, 7, 0, 6, 1});
  const auto wrapped_linear = make_texture(array, cudaAddressModeWrap, cudaFilterModeLinear, true);
  expect("linear, wrapped", read_1d, wrapped_linear, {2, {{0.0f}, {0.25f}}}, {3.5f, 1.5f});
  for (const auto texture : {clamped, bordered, linear, wrapped, mirrored, wrapped_linear})
    CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
}

void check_more_dimensions() {
  const cudaArray_t plane = make_array(kWidth, kHeight, 0, 0);
  const auto linear = make_texture(plane, cudaAddressModeClamp, cudaFilterModeLinear, false);
  expect("linear, 2D", read_2d, linear, {3, {{1.0f, 1.5f}, {2.5f, 2.0f}, {100.0f, 100.0f}}},
         {10.5f, 17.0f, 37.0f});
  const cudaArray_t space = make_array(kWidth, kHeight, kDepth, 0);
  const auto point = make_texture(space, cudaAddressModeClamp, cudaFilterModePoint, false);
  expect("point, 3D", read_3d, point, {2, {{2.5f, 1.5f, 2.5f}, {7.9f, 3.9f, -1.0f}}}, {212, 37});
  const auto cubic = make_texture(space, cudaAddressModeClamp, cudaFilterModeLinear, false);
  expect("linear, 3D", read_3d, cubic, {1, {{2.0f, 1.0f, 1.0f}}}, {1.5f + 5.0f + 50.0f});
  const cudaArray_t layers = make_array(kWidth, kHeight, kDepth, cudaArrayLayered);
  const auto layered = make_texture(layers, cudaAddressModeClamp, cudaFilterModeLinear, false);
  expect("layers", read_layers, layered, {3, {{1.0f, 0.5f, 0}, {1.0f, 0.5f, 2}, {1.0f, 0.5f, 7}}},
         {0.5f, 200.5f, 200.5f});
  const cudaArray_t cube = make_array(kHeight, kHeight, kFaces, cudaArrayCubemap);
  const auto faces = make_texture(cube, cudaAddressModeClamp, cudaFilterModePoint, true);
  // The middle of each face is where its elements 2 and 2 begin, but for the sign of what is 0.
  const Places towards = {6,
                          {{1, -0.1f, -0.1f},
                           {-1, -0.1f, 0.1f},
                           {0.1f, 1, 0.1f},
                           {0.1f, -1, -0.1f},
                           {0.1f, -0.1f, 1},
                           {-0.1f, -0.1f, -1}}};
  expect("cube", read_cube, faces, towards, {22, 122, 222, 322, 422, 522});
  for (const auto texture : {linear, point, cubic, layered, faces})
    CHECK(cudaDestroyTextureObject(texture));
  for (const auto array : {plane, space, layers, cube})
    CHECK(cudaFreeArray(array));
}

void check_linear_memory() {
  constexpr int kCount = 30;
  std::vector<uchar4> host(kCount);
  for (int i = 0; i < kCount; ++i)
    host[i] = make_uchar4(i, i + 1, i + 2, 255 - i);
  uchar4* memory = nullptr;
  CHECK(cudaMalloc(&memory, kCount * sizeof(uchar4)));
  CHECK(cudaMemcpy(memory, host.data(), kCount * sizeof(uchar4), cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
  resource.res.linear.sizeInBytes = kCount * sizeof(uchar4);
  cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  uchar4* results = nullptr;
  CHECK(cudaMallocManaged(&results, 32 * sizeof(uchar4)));
  fetch<<<1, 32>>>(texture, results);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i) {
    const bool inside = i > 0 && i <= kCount;
    const uchar4 expected = inside ? host[i - 1] : make_uchar4(0, 0, 0, 0);
    ++compared;
    if (results[i].x != expected.x || results[i].w != expected.w) {
      std::printf("element %d: %d, not %d\n", i - 1, results[i].x, expected.x);
      all_right = false;
    }
  }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFree(memory));
  CHECK(cudaFree(results));
}

void check_normalized_values() {
  const unsigned char host[4] = {0, 51, 102, 255};
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
  cudaArray_t array = nullptr;
  CHECK(cudaMallocArray(&array, &format, 4));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, host, 4, 4, 1, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.addressMode[0] = cudaAddressModeClamp;
  description.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  expect("normalized values", read_1d, texture, {4, {{0.5f}, {1.5f}, {2.5f}, {3.5f}}},
         {0.0f, 0.2f, 0.4f, 1.0f});
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
}

void check_surface() {
  const cudaArray_t array = make_array(kWidth, kHeight, 0, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  twice<<<1, dim3(kWidth, kHeight)>>>(surface);
  CHECK(cudaDeviceSynchronize());
  std::vector<float> results(kWidth * kHeight);
  CHECK(cudaMemcpy2DFromArray(results.data(), kWidth * sizeof(float), array, 0, 0,
                              kWidth * sizeof(float), kHeight, cudaMemcpyDeviceToHost));
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      ++compared;
      all_right = all_right && results[y * kWidth + x] == 2.0f * (x + 10 * y);
    }
  }
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(array));
}

int main() {
  check_one_dimension();
  check_more_dimensions();
  check_linear_memory();
  check_normalized_values();
  check_surface();
  std::printf("textures: %d values, %s\n", compared, all_right ? "passed" : "FAILED");
  return all_right ? 0 : 1;
}
