/* Finds names for code that programs generated at run time. The names come from the map files that JIT compilers write,
 * /tmp/perf-PID.map in the root and PID namespace of the process. Missing names come from the dump jit-PID.dump that
 * the process mapped.
 *
 * The folder of the map file is opened when the process first generates code, and the dump when it is mapped. Both
 * files are read at the exit of the process or at the end of the recording. Only one thread may use this module. Memory
 * is in the arena, whose guard the caller sets in all calls except release. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_JIT_NAMES_H
#define TP_COLLECTOR_OUTSIDE_CODE_JIT_NAMES_H

#include "collector/outside/code/code_places.h"
#include "collector/outside/events/perf_record.h"
#include "writer/base/buf.h"

struct tp_jit_names {
    struct tp_arena *arena;
    struct tp_code_places *places;
    struct tp_id_map ids; /* key: process id; value: index in `makers` */
    struct tp_vec makers; /* processes that generate code; elements: struct maker */
    uint32_t open_count;  /* number of open folders and dumps of all processes */
    uint64_t left_bytes;
};

void tp_jit_names_init(struct tp_jit_names *names, struct tp_arena *arena, struct tp_code_places *places);

/* Closes files and folders, also after the arena was released. Accepts a zeroed struct. */
void tp_jit_names_release(struct tp_jit_names *names);

/* Processes the record of a code mapping or of an exec. Call it immediately, because the files may disappear. text:
 * scratch buffer. */
void tp_jit_names_handle_record(struct tp_jit_names *names, const struct tp_perf_record *record, struct tp_buf *text);

/* Reads the names for all code of the process image `image`. Call it when the process has exited or the recording
 * ends. */
void tp_jit_names_read(struct tp_jit_names *names, uint32_t pid, uint32_t image);

#endif
