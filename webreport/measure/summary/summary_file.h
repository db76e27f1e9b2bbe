/* `.tps` files: summaries of any number of processes, mergeable.
 *
 *
 * A file is a protobuf message (writer/proto/summary.proto): a version, and for each process its key and a gzip of its
 * Process message. A merge is the union of processes in the order of their keys, with their bytes unchanged: it is
 * associative and commutative, the same process twice counts once, and additions of newer minor versions are kept. Of
 * two different records of one key, the one with more events wins, then the greater bytes. A newer major version is
 * refused. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_FILE_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_FILE_H

#include "webreport/measure/summary/summary.h"
#include "writer/base/buf.h"
#include "writer/base/error.h"
#include "writer/base/number_set.h"

/* One packed process of a file. Everything belongs to the set's arena. */
struct tp_summary_record {
    struct tp_summary_key key;
    int64_t event_count;
    struct tp_str bytes; /* the SummaryEntry as in the file */
};

/* Processes by key, each once. */
struct tp_summary_set {
    struct tp_arena *arena; /* guard set by the caller before any call */
    struct tp_summary_record *records;
    size_t count, capacity;
    uint32_t minor; /* highest minor version that was read or added */
    /* Repeated records that were dropped: equal ones, different ones. */
    size_t again_count, other_count;
};

/* Returns -1, 0 or 1 by the order of records in a file: job, rank (absent ones last), worker if there is no rank,
 * span. */
int tp_summary_key_order(const struct tp_summary_key *a, const struct tp_summary_key *b);

void tp_summary_set_open(struct tp_summary_set *set, struct tp_arena *arena);

/* Packs a summary into the set. TP_ELIMIT. */
int tp_summary_set_add(struct tp_summary_set *set, const struct tp_summary *summary, struct tp_error *err);

/* Returns whether the bytes (5 are enough) are the start of a `.tps` file. */
bool tp_summary_is_file(const void *bytes, size_t size);

/* Adds every process of a file's bytes, which are copied. Checksums find damage anywhere in them. TP_EFORMAT with byte
 * and reason, TP_EUNSUPPORTED (a newer major version), TP_ELIMIT: then nothing was added. */
int tp_summary_set_read(struct tp_summary_set *set, const void *bytes, size_t size, struct tp_error *err);

/* The ranks of a job in a set. */
struct tp_summary_ranks {
    int64_t present, expected;  /* expected: the world size in a record; TP_NULL_INT: unknown */
    struct tp_rank_set missing; /* missing ranks below expected; in the set's arena */
};

/* Counts the ranks of the set, each once; not for sets of several jobs or records without a rank. */
void tp_summary_set_ranks(struct tp_summary_ranks *ranks, const struct tp_summary_set *set);

/* Write a file: its head, then each record of the set in order. `out` has a sticky failure. */
void tp_summary_file_begin(struct tp_buf *out, const struct tp_summary_set *set);
void tp_summary_file_add(struct tp_buf *out, const struct tp_summary_record *record);

/* Writes the whole set as a file. Returns 0 or the buffer's failure. */
int tp_summary_set_write(const struct tp_summary_set *set, struct tp_buf *out, struct tp_error *err);

/* Unpacks one record into `arena` (guard set). TP_EFORMAT, TP_ELIMIT. */
int tp_summary_unpack(struct tp_summary *summary, const struct tp_summary_record *record, struct tp_arena *arena,
                      struct tp_error *err);
/* Unpacks one record of many: temporary memory is from `scratch`, which is empty afterwards. */
int tp_summary_unpack_with(struct tp_summary *summary, const struct tp_summary_record *record, struct tp_arena *arena,
                           struct tp_arena *scratch, struct tp_error *err);

#endif
