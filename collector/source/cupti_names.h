/* Maps the names in CUPTI's records to numbers: kernels by the address of their name, calls by CUPTI's number. */
#ifndef TP_COLLECTOR_SOURCE_CUPTI_NAMES_H
#define TP_COLLECTOR_SOURCE_CUPTI_NAMES_H

#include "collector/source/cupti_library.h"

/* Returns the number of a kernel's name. Any thread may call it. */
uint32_t tp_cupti_kernel_name(const char *name);

/* Returns the number of a call's name without its version ("cudaLaunchKernel_v7000" becomes cudaLaunchKernel). Returns
 * 0 for frequent calls without meaning for users, which Kineto drops too. is_driver: true for a call of the driver,
 * false for a call of the runtime. function: CUPTI's number. Any thread may call it. */
uint32_t tp_cupti_call_name(const struct tp_cupti *cupti, bool is_driver, uint32_t function);

/* Copies the name of a call without its version to `out` (`size` bytes). Returns false if calls with this name are not
 * recorded. */
bool tp_cupti_copy_call_name(char *out, size_t size, const char *name, bool is_driver);

#endif
