/* A classifier's loss and gradients by the C interface: follows the gradients of its logits
 * downhill. */

#include <softmax_worklog/c.h>
#include <stdio.h>
#include <stdlib.h>

#include "device_memory.h"

enum { kRows = 6, kClasses = 10, kSteps = 5 };

static void check(softmax_worklog_status status) {
  if (status == SOFTMAX_WORKLOG_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", softmax_worklog_status_name(status), softmax_worklog_last_error());
  exit(1);
}

int main(void) {
  float logits[kRows * kClasses];
  float gradients[kRows * kClasses];
  int32_t labels[kRows];
  for (int row = 0; row < kRows; ++row) {
    labels[row] = row;
    for (int col = 0; col < kClasses; ++col)
      logits[row * kClasses + col] = 0.1f * (float)((row + 1) * col % 7);
  }
  void* of_logits = device_memory(sizeof(logits));
  void* of_gradients = device_memory(sizeof(gradients));
  void* of_labels = device_memory(sizeof(labels));
  float* of_loss = device_memory(sizeof(float));
  copy_to_device(of_labels, labels, sizeof(labels));

  size_t bytes = 0;
  check(softmax_worklog_workspace_bytes(SOFTMAX_WORKLOG_CROSS_ENTROPY, SOFTMAX_WORKLOG_FLOAT32,
                                        kRows, kClasses, 0, &bytes));
  void* workspace = bytes > 0 ? device_memory(bytes) : NULL;
  const softmax_worklog_cross_entropy_options options = {.ignore_index = -100,
                                                         .reduction = SOFTMAX_WORKLOG_SUM};
  float before = 1e9f;
  for (int step = 0; step < kSteps; ++step) {
    copy_to_device(of_logits, logits, sizeof(logits));
    check(softmax_worklog_cross_entropy(SOFTMAX_WORKLOG_FLOAT32, of_logits, of_labels,
                                        SOFTMAX_WORKLOG_INT32, NULL, of_loss, of_gradients, kRows,
                                        kClasses, &options, workspace, bytes, NULL));
    float loss = 0.0f;
    copy_to_host(&loss, of_loss, sizeof(loss));
    copy_to_host(gradients, of_gradients, sizeof(gradients));
    printf("step %d: loss %.3f\n", step, (double)loss);
    if (!(loss < before)) return 1;
    before = loss;
    for (int i = 0; i < kRows * kClasses; ++i)
      logits[i] -= gradients[i];
  }
  void* all[] = {of_logits, of_gradients, of_labels, of_loss, workspace};
  for (int i = 0; i < 5; ++i)
    free_device_memory(all[i]);
  return 0;
}
