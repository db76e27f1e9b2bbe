/* Records the activity of NVIDIA GPUs in a CUDA program through CUPTI, which is attached while the program is recorded.
 *
 * CUPTI serves one client per process. In a process with libtorch this source does nothing, because Kineto is the
 * client there. If another tool uses CUPTI, or there is no GPU, the source prints one line and the program runs
 * normally. */
#ifndef TP_COLLECTOR_SOURCE_CUPTI_H
#define TP_COLLECTOR_SOURCE_CUPTI_H

#include <stdbool.h>

/* Starts recording if the process uses CUDA. Otherwise recording starts when CUDA calls InitializeInjection. Call this
 * function after a recording has started. */
void tp_cupti_begin(void);

/* Stops recording. The recording contains all GPU work that has finished. must_wait: first waits until the GPUs are
 * idle. Call this function before a recording ends, without a lock that writing a record may need. */
void tp_cupti_end(bool must_wait);

/* Switches the source off in a child after fork, where CUPTI does not work. */
void tp_cupti_disable_in_child(void);

/* Returns 1. The CUDA driver calls this entry point in cuInit if CUDA_INJECTION64_PATH names this library. */
int InitializeInjection(void);

#endif
