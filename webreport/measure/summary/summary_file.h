/* `.tps` files: summaries of any number of processes, mergeable.
 *
 * A file is a protobuf message (writer/proto/summary.proto): a version, and per process its key and a gzip of its
 * Process message. Merging is the union of processes in the order of their keys, each kept as the bytes it came in:
 * associative, commutative, the same process twice is one, and what a newer minor version added survives. Two different
 * records of one key: the one with more events wins, then the greater bytes. A newer major version is refused. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_FILE_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_FILE_H

#include "webreport/measure/summary/summary.h"
#include "writer/base/buf.h"
#include "writer/base/error.h"
#include "writer/base/number_set.h"

/* One process of a file, packed. All of it belongs to the set's arena. */
struct tp_summary_record {
    struct tp_summary_key key;
    int64_t event_count;
    struct tp_str bytes; /* the SummaryEntry as it stands in the file */
};

/* Processes by key, each once. */
struct tp_summary_set {
    struct tp_arena *arena; /* guard set by the caller before any call */
    struct tp_summary_record *records;
    size_t count, capacity;
    uint32_t minor; /* the highest of what was read and of what was added */
    /* records that came again and did not stay: equal ones, different ones */
    size_t again_count, other_count;
};

/* -1, 0, 1: the order of records in a file: job, rank (none last), worker when there is no rank, span. */
int tp_summary_key_order(const struct tp_summary_key *a, const struct tp_summary_key *b);

void tp_summary_set_open(struct tp_summary_set *set, struct tp_arena *arena);

/* Packs a summary into the set. TP_ELIMIT. */
int tp_summary_set_add(struct tp_summary_set *set, const struct tp_summary *summary, struct tp_error *err);

/* True when the bytes (5 are enough) are the beginning of a `.tps` file. */
bool tp_summary_is_file(const void *bytes, size_t size);

/* Adds every process of a file's bytes, which are copied. Damage anywhere in them is found by checksums. TP_EFORMAT
 * with byte and reason, TP_EUNSUPPORTED (a newer major version), TP_ELIMIT: nothing of it was added. */
int tp_summary_set_read(struct tp_summary_set *set, const void *bytes, size_t size, struct tp_error *err);

/* Which ranks of a job are in a set. */
struct tp_summary_ranks {
    int64_t present, expected;  /* expected: the world size that a record tells; TP_NULL_INT: none does */
    struct tp_rank_set missing; /* below it; lives in the set's arena */
};

/* Counts the ranks of the set, each once; sets of several jobs, and records without a rank, tell none. */
void tp_summary_set_ranks(struct tp_summary_ranks *ranks, const struct tp_summary_set *set);

/* A file: its head, then each record of the set in its order. `out` has a sticky failure. */
void tp_summary_file_begin(struct tp_buf *out, const struct tp_summary_set *set);
void tp_summary_file_add(struct tp_buf *out, const struct tp_summary_record *record);

/* The whole set as a file. 0 or the buffer's failure. */
int tp_summary_set_write(const struct tp_summary_set *set, struct tp_buf *out, struct tp_error *err);

/* Unpacks one record into `arena` (guard set). TP_EFORMAT, TP_ELIMIT. */
int tp_summary_unpack(struct tp_summary *summary, const struct tp_summary_record *record, struct tp_arena *arena,
                      struct tp_error *err);
/* The same, for many: what is needed meanwhile comes from `scratch`, which is empty afterwards. */
int tp_summary_unpack_with(struct tp_summary *summary, const struct tp_summary_record *record, struct tp_arena *arena,
                           struct tp_arena *scratch, struct tp_error *err);

#endif
