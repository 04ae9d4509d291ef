int main() {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t node;
  cudaMemAllocNodeParams parameters = {};
  cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &parameters);
  return 0;
}
