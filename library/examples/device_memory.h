/* Memory of the device for programs in C. NVIDIA's cuda_runtime_api.h has cudaMalloc for C, too;
 * the CPU executor's is for C++ alone, so that this is in a file of C++. */
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* So many bytes; ends the program if there are none left. */
void* device_memory(size_t bytes);
/* Gives it back; null is nothing. */
void free_device_memory(void* memory);
/* Copies to the device, or back once the work that was put on the default stream is done. */
void copy_to_device(void* device, const void* host, size_t bytes);
void copy_to_host(void* host, const void* device, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
