// A data structure with pointers, in managed memory: a binary tree that threads search.

#include <cstdio>
#include <new>

struct Node {
  int key;
  Node *left;
  Node *right;
};

class Managed {
 public:
  void *operator new(size_t bytes) {
    void *p = nullptr;
    if (cudaMallocManaged(&p, bytes) != cudaSuccess) throw std::bad_alloc();
    cudaDeviceSynchronize();
    return p;
  }
  void operator delete(void *p) {
    cudaDeviceSynchronize();
    cudaFree(p);
  }
};

struct Tree : Managed {
  Node nodes[128];
  int used = 0;
  Node *root = nullptr;

  void insert(int key) {
    Node *node = &nodes[used++];
    *node = Node{key, nullptr, nullptr};
    Node **at = &root;
    while (*at != nullptr) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = node;
  }
  __host__ __device__ bool contains(int key) const {
    for (const Node *at = root; at != nullptr; at = key < at->key ? at->left : at->right)
      if (at->key == key) return true;
    return false;
  }
};

__managed__ int found_count = 0;

__global__ void search(const Tree *tree, int limit, bool *found) {
  const int key = blockIdx.x * blockDim.x + threadIdx.x;
  if (key >= limit) return;
  found[key] = tree->contains(key);
  if (found[key]) atomicAdd(&found_count, 1);
}

int main() {
  Tree *tree = new Tree;
  for (int i = 0; i < 100; ++i) tree->insert(i * 37 % 211);
  const int limit = 211;
  bool *found;
  cudaMallocManaged(&found, limit * sizeof(bool));
  search<<<(limit + 63) / 64, 64>>>(tree, limit, found);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int key = 0; key < limit; ++key) wrong += found[key] != tree->contains(key);
  printf("%d found, %d wrong\n", found_count, wrong);
  const bool ok = found_count == 100 && wrong == 0;
  cudaFree(found);
  delete tree;
  return ok ? 0 : 1;
}
