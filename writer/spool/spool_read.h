/* Reads spools. Any file is safe to open: the spool of a killed process or of a process that still writes, or the file
 * of another program.
 *
 * Reading of a chunk ends at its first damaged record, which is counted. The other chunks are still read. The file
 * is mapped, and all results point into it. */
#ifndef TP_WRITER_SPOOL_SPOOL_READ_H
#define TP_WRITER_SPOOL_SPOOL_READ_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"
#include "writer/spool/spool_format.h"

/* One recorded thread. Its chunks are adjacent in tp_spool_file.chunks, ordered by their sequence numbers. */
struct tp_spool_thread {
    uint64_t tid;
    uint32_t number;
    struct tp_str name; /* name of the thread; "" if unknown */
    uint32_t first, end;
};

struct tp_spool_fact {
    struct tp_str key, value;
    bool is_json;
};

/* A loaded program or library; see struct tp_spool_loaded. */
struct tp_spool_module {
    /* start, end: addresses in memory; bias: address in memory minus address in the file; since: time of the load,
     * ticks */
    uint64_t start, end, bias, since;
    struct tp_str path;
};

struct tp_spool_file {
    const char *bytes;
    size_t size;
    int source; /* descriptor of the open file, plus 1; 0: `bytes` is a copy */
    struct tp_spool_head head;
    const struct tp_spool_chunk **chunks;
    struct tp_spool_thread *threads; /* threads in the order of their first records */
    uint32_t thread_count;
    struct tp_str *names; /* texts of names, by the number of the name; "" if a number has no name */
    uint32_t name_count;
    struct tp_spool_clock *clocks; /* clock notes, sorted by ticks */
    uint32_t clock_count;
    struct tp_spool_fact *facts;
    uint32_t fact_count;
    struct tp_spool_module *modules; /* loaded programs and libraries, in the order of their records */
    uint32_t module_count;
    bool was_stopped;      /* true if the recording was stopped in the regular way; false if the process was killed */
    uint64_t broken_count; /* number of records whose size is impossible */
};

/* Returns whether a program still records into this spool. The program locks the file until the end of the recording or
 * of the process. On file systems without locks, checks the process instead. Returns false if the file is not a
 * spool. */
bool tp_spool_is_live(const char *path);

/* Opens a spool. Its tables are in `arena`, whose guard the caller sets. Returns 0, TP_EIO, or TP_EFORMAT if the file
 * is not a spool. The caller calls tp_spool_release also after an error. */
int tp_spool_open(struct tp_spool_file *file, const char *path, struct tp_arena *arena, struct tp_error *err);
void tp_spool_release(struct tp_spool_file *file);

/* Returns the offset of the first byte that could not be read since the spool was opened, rounded to a page. The bytes
 * from this offset on read as zeros. Returns SIZE_MAX if all bytes could be read. */
size_t tp_spool_cut_offset(const struct tp_spool_file *file);

/* Position in the records of one thread. */
struct tp_spool_walk {
    const struct tp_spool_file *file;
    uint32_t chunk, end;
    const char *at, *chunk_end;
    uint64_t broken_count;
};

void tp_spool_walk(struct tp_spool_walk *walk, const struct tp_spool_file *file, const struct tp_spool_thread *thread);

/* Copies the next finished record to *record, and sets *payload to its record->slots slots of payload. Returns false at
 * the end. */
bool tp_spool_next_record(struct tp_spool_walk *walk, struct tp_spool_record *record, const char **payload);

/* Returns the name of a record: the text of its name number, or else the text at the end of the record. The result
 * is borrowed. */
struct tp_str tp_spool_record_name(const struct tp_spool_file *file, const struct tp_spool_record *record,
                                   const char *payload);

/* Returns the time of a record as ns of CLOCK_REALTIME, interpolated between the two nearest clock notes. */
int64_t tp_spool_realtime_ns(const struct tp_spool_file *file, uint64_t ticks);

#endif
