/* The event file that grows while the program trains: scalars of each step for TensorBoard.
 *
 * One file per process, whole records appended by one write at most a few times a second; nothing is ever rewritten. It
 * lies in the recording's directory; where ranks or an earlier run share that, in a folder named after the worker, so
 * that no two processes write the same run. `tracepress export --to tfevents` into the directory replaces it. A file
 * that cannot be written on is left whole and closed, which is said once; the program does not notice.
 *
 * Steps are counted whether or not the schedule records them. Functions take a lock of this module, never the
 * session's, but for the two at the end, which are for hot paths. */
#ifndef TP_COLLECTOR_LIVE_H
#define TP_COLLECTOR_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/tracepress.h"

/* Switches it on; nothing is written before the end of the first step. has_peers: other ranks use the directory too. */
void tp_live_start(const char *directory, const char *worker, bool has_peers);
/* Writes what waits and switches it off. A later start in the same directory goes on in the same file. */
void tp_live_stop(void);
/* The same while the process exits: it does not wait for a thread that is in here. */
void tp_live_exit(void);
/* In a child after fork: the file is the parent's. */
void tp_live_in_child(void);

/* Step `number` ends now; the next begins with tp_live_step_begins, after what the recorder itself had to do. */
void tp_live_step_ends(uint64_t number);
void tp_live_step_begins(void);

/* A fact about the run: batch_size and tokens_per_step give rates. */
void tp_live_fact(const char *key, const char *value);

/* The last value of a counter, the totals of a device. No lock, but for the first value of each counter. */
void tp_live_counter(tracepress_name name, double value);
void tp_live_memory(const struct tracepress_memory *note);

#endif
