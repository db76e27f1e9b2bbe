/* Converts a summary to the bytes of one process in a `.tps` file and back (writer/proto/summary.proto). */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_FORMAT_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_FORMAT_H

#include "webreport/measure/summary/summary_file.h"
#include "writer/base/error.h"

enum {
    TP_SUMMARY_MAGIC = 0x31535054, /* "TPS1" in little-endian order */
    TP_SUMMARY_MAJOR = 1,          /* files with another major version cannot be read */
    TP_SUMMARY_MINOR = 9           /* increases with each addition that older readers may ignore */
};

/* Returns the summary as a SummaryEntry, in `arena`, whose guard the caller sets. Equal summaries have equal bytes. */
struct tp_str tp_summary_pack_entry(const struct tp_summary *summary, struct tp_arena *arena);

/* Reads the key and the number of events of an entry. Texts are in `arena`, whose guard the caller sets. Returns
 * TP_EFORMAT on errors. */
int tp_summary_entry_key(struct tp_summary_key *key, int64_t *event_count, struct tp_str entry, struct tp_arena *arena,
                         struct tp_error *err);

/* Reads an inflated SummaryProcess into all members of the summary except its key and its number of events. Results are
 * in `arena`, temporary memory is in `scratch`; the caller sets both guards. Returns TP_EFORMAT on errors. */
int tp_summary_process_read(struct tp_summary *summary, struct tp_str process, struct tp_arena *arena,
                            struct tp_arena *scratch, struct tp_error *err);

/* ---- functions that fill sets from files ---- */

/* Appends an entry without sorting. The set already owns the bytes of the entry. Returns TP_EFORMAT or TP_ELIMIT on
 * errors. */
int tp_summary_set_add_entry(struct tp_summary_set *set, struct tp_str entry, struct tp_error *err);

/* Sorts the records of the set and keeps the best record of each process. first: index of the first new record. */
void tp_summary_set_sort_and_merge(struct tp_summary_set *set, size_t first);

#endif
