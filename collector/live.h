/* Writes scalars of each step to a TensorBoard event file while the program trains.
 *
 * Each process has its own file and appends complete records with one write, at most a few times a second. Written
 * records are never changed. The file is in the recording's folder. If other ranks or an earlier run use that folder,
 * the file is in a subfolder named after the worker. So two processes never write files of the same TensorBoard run.
 * `tracepress export --to tfevents` into the folder replaces the file. If writing fails, the file is closed after its
 * last complete record, one line reports the failure, and the program continues.
 *
 * Steps are counted whether or not the schedule records them. The functions take a lock of this module, never the
 * session's. tp_live_store_counter and tp_live_store_memory are for hot paths and take no lock. */
#ifndef TP_COLLECTOR_LIVE_H
#define TP_COLLECTOR_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/tracepress.h"

/* Switches the live file on. The first write is at the end of the first step. has_peers: other ranks use the folder
 * too. */
void tp_live_start(const char *directory, const char *worker, bool has_peers);
/* Writes pending records and switches the live file off. A later start in the same folder appends to the same file. */
void tp_live_stop(void);
/* Writes pending records and switches the live file off while the process exits. Does nothing if another thread is
 * inside this module. */
void tp_live_close_at_exit(void);
/* Switches the live file off in a child after fork, because the file belongs to the parent. */
void tp_live_reset_in_child(void);

/* Ends the step with this number. tp_live_begin_step starts the next step, after the recorder's own work between
 * steps. */
void tp_live_end_step(uint64_t number);
void tp_live_begin_step(void);

/* Stores metadata of the run. The keys batch_size and tokens_per_step add rates to the file; other keys are ignored. */
void tp_live_store_fact(const char *key, const char *value);

/* tp_live_store_counter stores the last value of a counter; only the first value takes a lock. tp_live_store_memory
 * stores the memory totals of a device. */
void tp_live_store_counter(tracepress_name name, double value);
void tp_live_store_memory(const struct tracepress_memory *note);

#endif
