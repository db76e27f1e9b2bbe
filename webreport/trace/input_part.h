/* Defines a part of an input file with several processes or ranks. Each part becomes a worker of one run, as if
 * each process had a file of its own.
 *
 * A format has parts if its row in the table of input formats has a function `list_parts`. The search for traces
 * (rundir.c) lists the parts of each file (file_parts.h), and puts one tp_run_file per part into the run. Each of them
 * is read with tp_trace_options.part. The reader of the format then delivers only the events of this part. Numbers that
 * link events, such as correlations, are therefore never compared between parts. */
#ifndef TP_WEBREPORT_TRACE_INPUT_PART_H
#define TP_WEBREPORT_TRACE_INPUT_PART_H

#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

/* The events of a part of a merged trace in JSON (merged_ranks.h): those whose pid begins with `label`, or is one of
 * `pids`. */
struct tp_part_rows {
    struct tp_str label; /* text with brackets, such as "[TP00]"; empty if `pids` selects the events */
    const int64_t *pids; /* ascending */
    size_t pid_count;
    int64_t rank, world_size; /* TP_NULL_INT if the file does not contain ranks */
    const char *producer;     /* static text for messages */
    const char *refusal;      /* why the file cannot be read; NULL if it can */
};

/* Returns the index of the first of several ascending pids that is not below `pid`; `count` if none exists. */
static inline size_t tp_part_pid_index(const int64_t *pids, size_t count, int64_t pid)
{
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (pids[middle] < pid)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

struct tp_input_part {
    int64_t number;     /* number that the reader uses to select the part, and that the user gives: a pid or a rank */
    struct tp_str name; /* words that are added to the name of the worker: "process 4242" */
    const struct tp_part_rows *rows; /* the events of the part in a trace in JSON (merged_ranks.h); otherwise NULL */
};

/* Appends the parts of the file `path` to `parts` (elements: struct tp_input_part, texts in parts->arena), at most
 * TP_MAX_INPUT_PARTS. Appends nothing if the whole file is one trace. Returns 0, or a negative code with *err. The
 * guard of parts->arena is set; a reader with memory outside the arena sets its own guard (tp_arena_run). */
typedef int tp_input_parts_lister(struct tp_vec *parts, const char *path, struct tp_error *err);

#endif
