/* Numbers of names that CUPTI's records carry: kernels by address of their name, calls by CUPTI's number. */
#ifndef TP_COLLECTOR_SOURCE_CUPTI_NAMES_H
#define TP_COLLECTOR_SOURCE_CUPTI_NAMES_H

#include "collector/source/cupti_library.h"

/* Number of a kernel's name. Any thread. */
uint32_t tp_cupti_kernel_name(const char *name);

/* Number of a call's name without its version ("cudaLaunchKernel_v7000" is cudaLaunchKernel); 0 for a call that is not
 * kept, as Kineto does not: they are many and say nothing. Any thread. */
uint32_t tp_cupti_call_name(const struct tp_cupti *cupti, bool is_driver, uint32_t function);

/* What tp_cupti_call_name is made of: cuts the version off a copy of at most `size` bytes; false: not kept. */
bool tp_cupti_clean_call(char *out, size_t size, const char *name, bool is_driver);

#endif
