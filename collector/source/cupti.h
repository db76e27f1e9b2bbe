/* What the GPUs of a CUDA program do, by CUPTI: attached to the program while it is recorded.
 *
 * CUPTI serves one client per process. In a process with libtorch nothing is done (Kineto is that client there); when
 * another tool has it, or there is no GPU, one line says so and the program runs as it would without us. */
#ifndef TP_COLLECTOR_SOURCE_CUPTI_H
#define TP_COLLECTOR_SOURCE_CUPTI_H

#include <stdbool.h>

/* Starts recording, when the process uses CUDA; else waits for InitializeInjection. After a recording has begun. */
void tp_cupti_begin(void);

/* Stops, with all that the GPUs have done until now: with must_wait, waits for what they are doing. Before a recording
 * ends; not with a lock that a record may need. */
void tp_cupti_end(bool must_wait);

/* In a child after fork: what its parent began does not work here. */
void tp_cupti_in_child(void);

/* Called by the CUDA driver in cuInit when CUDA_INJECTION64_PATH names this library. Returns 1. */
int InitializeInjection(void);

#endif
