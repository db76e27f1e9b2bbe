/* `.tps` files: mergeable summaries of any number of processes.
 *
 * A file is a protobuf message (writer/proto/summary.proto). It contains a version, and for each process the key and a
 * gzip of the Process message. A merge is the union of processes in the order of their keys, with unchanged bytes.
 * Merging is associative and commutative, includes the same process only once, and keeps additions of newer minor
 * versions. When two different records have the same key, the merge keeps the record with more events; if the numbers
 * are equal, the record with the greater bytes. A newer major version is refused. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_FILE_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_FILE_H

#include "webreport/measure/summary/summary.h"
#include "writer/base/buf.h"
#include "writer/base/error.h"
#include "writer/base/number_set.h"

/* One packed process of a file. The set's arena owns all memory. */
struct tp_summary_record {
    struct tp_summary_key key;
    int64_t event_count;
    struct tp_str bytes; /* bytes of the SummaryEntry, unchanged from the file */
};

/* A set of processes, sorted by key. Each key occurs once. */
struct tp_summary_set {
    struct tp_arena *arena; /* memory of the set; the caller sets the arena's guard before any call */
    struct tp_summary_record *records;
    size_t count, capacity;
    uint32_t minor; /* highest minor version that was read or added */
    /* numbers of dropped records whose key was already in the set; repeated_record_count: equal records; other_count:
     * different records */
    size_t repeated_record_count, other_count;
};

/* Compares two keys by job, rank (unknown ranks last), worker if there is no rank, then span. Returns -1, 0 or 1. */
int tp_summary_key_compare(const struct tp_summary_key *a, const struct tp_summary_key *b);

void tp_summary_set_init(struct tp_summary_set *set, struct tp_arena *arena);

/* Packs a summary into the set. Returns TP_OK or TP_ELIMIT. */
int tp_summary_set_add(struct tp_summary_set *set, const struct tp_summary *summary, struct tp_error *err);

/* Returns whether the bytes begin like a `.tps` file. Needs at least 5 bytes. */
bool tp_summary_is_file(const void *bytes, size_t size);

/* Adds every process in the bytes of a file; copies the bytes. Checksums detect damage anywhere in the file. Returns
 * TP_EFORMAT with byte position and reason, TP_EUNSUPPORTED for a newer major version, or TP_ELIMIT. After an error,
 * the set is unchanged. */
int tp_summary_set_read(struct tp_summary_set *set, const void *bytes, size_t size, struct tp_error *err);

/* The ranks of a job in a set. */
struct tp_summary_ranks {
    /* present: number of present ranks; expected: number of ranks in the job (world size in the records); TP_NULL_INT
     * if unknown */
    int64_t present, expected;
    struct tp_rank_set missing; /* missing ranks below `expected`; in the set's arena */
};

/* Finds the present and the missing ranks of the set. All records of the set must have a rank and belong to one job. */
void tp_summary_set_count_ranks(struct tp_summary_ranks *ranks, const struct tp_summary_set *set);

/* Write a file: the first function writes the head of the file, the second writes a record. The caller passes each
 * record of the set in order. `out` keeps the first failure. */
void tp_summary_file_begin(struct tp_buf *out, const struct tp_summary_set *set);
void tp_summary_file_add(struct tp_buf *out, const struct tp_summary_record *record);

/* Writes the whole set as a file. Returns 0 or the error of the buffer. */
int tp_summary_set_write(const struct tp_summary_set *set, struct tp_buf *out, struct tp_error *err);

/* Unpacks one record into `arena`, whose guard the caller sets. Returns TP_EFORMAT or TP_ELIMIT on errors. */
int tp_summary_unpack(struct tp_summary *summary, const struct tp_summary_record *record, struct tp_arena *arena,
                      struct tp_error *err);
/* Unpacks one of many records. Temporary memory comes from `scratch`, which is empty again on return. */
int tp_summary_unpack_in_arena(struct tp_summary *summary, const struct tp_summary_record *record,
                               struct tp_arena *arena, struct tp_arena *scratch, struct tp_error *err);

#endif
