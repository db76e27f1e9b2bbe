/* Names of code that programs made while they ran: by the maps that their compilers write, /tmp/perf-PID.map in the
 * process's own root, with the number that it has in its own namespace; for what is not in them by the dump jit-PID.dump
 * that the process mapped.
 *
 * Where a process finds its map is kept when it first makes code, a dump is opened when it is mapped; both are read when
 * the process is over or the recording is.
 * One thread; memory is the arena's, whose guard the caller sets in all calls but release. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_MADE_NAMES_H
#define TP_COLLECTOR_OUTSIDE_CODE_MADE_NAMES_H

#include "collector/outside/code/code_places.h"
#include "collector/outside/events/perf_record.h"
#include "writer/base/buf.h"

struct tp_made_names {
    struct tp_arena *arena;
    struct tp_code_places *places;
    struct tp_id_map ids; /* process: its number in makers */
    struct tp_vec makers; /* struct maker */
    uint32_t open_count;  /* folders and dumps */
    uint64_t left_bytes;
};

void tp_made_names_init(struct tp_made_names *names, struct tp_arena *arena, struct tp_code_places *places);

/* Closes folders; also after the arena's guard was taken. Accepts a zeroed struct. */
void tp_made_names_release(struct tp_made_names *names);

/* A process has mapped code, became another program: by the record that tells it, at once; `text` is room. */
void tp_made_names_take(struct tp_made_names *names, const struct tp_perf_record *record, struct tp_buf *text);

/* The process is over, or the recording is: what it made as `image` gets its names. */
void tp_made_names_read(struct tp_made_names *names, uint32_t pid, uint32_t image);

#endif
