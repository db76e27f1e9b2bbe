/* Reading side of the spool: any file is safe to open, also one of a process that was killed, is still writing, or was
 * never ours.
 *
 * What is damaged ends the chunk it is in; the rest is used and the damage counted. The file is mapped, and everything
 * handed out points into it. */
#ifndef TP_WRITER_SPOOL_SPOOL_READ_H
#define TP_WRITER_SPOOL_SPOOL_READ_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"
#include "writer/spool/spool_format.h"

/* The chunks of one thread stand together in tp_spool_file.chunks, in the order of their sequence. */
struct tp_spool_thread {
    uint64_t tid;
    uint32_t number;
    struct tp_str name; /* "" when unknown */
    uint32_t first, end;
};

struct tp_spool_fact {
    struct tp_str key, value;
    bool is_json;
};

/* A program or library that was loaded; see struct tp_spool_loaded. */
struct tp_spool_module {
    uint64_t start, end, bias, since; /* since: ticks */
    struct tp_str path;
};

struct tp_spool_file {
    const char *bytes;
    size_t size;
    int source; /* the open file's descriptor + 1; 0: bytes are a copy */
    struct tp_spool_head head;
    const struct tp_spool_chunk **chunks;
    struct tp_spool_thread *threads; /* in the order of their first records */
    uint32_t thread_count;
    struct tp_str *names; /* by number; "" where a number has none */
    uint32_t name_count;
    struct tp_spool_clock *clocks; /* by ticks */
    uint32_t clock_count;
    struct tp_spool_fact *facts;
    uint32_t fact_count;
    struct tp_spool_module *modules; /* in the order of their notes */
    uint32_t module_count;
    bool was_stopped;      /* in order, not killed */
    uint64_t broken_count; /* records whose sizes cannot be */
};

/* True when the program that writes this spool still records into it: it holds a lock on the file, which ends with the
 * recording or the program. Where files have no locks, its process is asked for. False for what is no spool. */
bool tp_spool_is_live(const char *path);

/* Opens a spool; its tables come from `arena` (guard set by the caller). Returns 0; TP_EIO; TP_EFORMAT when it is none.
 * tp_spool_release unmaps it, also after an error. */
int tp_spool_open(struct tp_spool_file *file, const char *path, struct tp_arena *arena, struct tp_error *err);
void tp_spool_release(struct tp_spool_file *file);

/* The first byte, to a page, that could not be read since it was opened: what was missing was read as zeros. SIZE_MAX:
 * none. */
size_t tp_spool_cut_at(const struct tp_spool_file *file);

/* Walks the records of one thread. */
struct tp_spool_walk {
    const struct tp_spool_file *file;
    uint32_t chunk, end;
    const char *at, *chunk_end;
    uint64_t broken_count;
};

void tp_spool_walk(struct tp_spool_walk *walk, const struct tp_spool_file *file, const struct tp_spool_thread *thread);

/* The next finished record, copied to *record, and its payload (record->slots slots); false at the end. */
bool tp_spool_next(struct tp_spool_walk *walk, struct tp_spool_record *record, const char **payload);

/* Name of a record: its number's, or its own text. Borrowed. */
struct tp_str tp_spool_name(const struct tp_spool_file *file, const struct tp_spool_record *record,
                            const char *payload);

/* Nanoseconds of CLOCK_REALTIME for the time of a record: linear between the two clock notes around it. */
int64_t tp_spool_time(const struct tp_spool_file *file, uint64_t ticks);

#endif
