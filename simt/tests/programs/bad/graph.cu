int main() {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t node;
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, event);
  return 0;
}
