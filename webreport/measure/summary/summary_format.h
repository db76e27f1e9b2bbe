/* Converts a summary to the bytes of one process in a `.tps` file and back (writer/proto/summary.proto). */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_FORMAT_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_FORMAT_H

#include "webreport/measure/summary/summary_file.h"
#include "writer/base/error.h"

enum {
    TP_SUMMARY_MAGIC = 0x31535054, /* "TPS1" */
    TP_SUMMARY_MAJOR = 1,          /* other major versions cannot be read */
    TP_SUMMARY_MINOR = 7           /* grows with additions that older readers may ignore */
};

/* Returns a SummaryEntry of the summary, in `arena`, whose guard is set. Equal summaries have equal bytes. */
struct tp_str tp_summary_entry(const struct tp_summary *summary, struct tp_arena *arena);

/* Reads the key and the number of events of an entry; texts in `arena`, whose guard is set. TP_EFORMAT. */
int tp_summary_entry_key(struct tp_summary_key *key, int64_t *event_count, struct tp_str entry, struct tp_arena *arena,
                         struct tp_error *err);

/* Reads all members of the summary except its key and number of events from an inflated SummaryProcess. Results are in
 * `arena`, temporary memory in `scratch`; both guards are set. TP_EFORMAT. */
int tp_summary_process_read(struct tp_summary *summary, struct tp_str process, struct tp_arena *arena,
                            struct tp_arena *scratch, struct tp_error *err);

/* ---- sets: functions to fill them from files ---- */

/* Appends an entry whose bytes already belong to the set, without sorting. TP_EFORMAT, TP_ELIMIT. */
int tp_summary_set_add_entry(struct tp_summary_set *set, struct tp_str entry, struct tp_error *err);

/* Sorts the records after those from `first` on were added, and keeps the best one of each process. */
void tp_summary_set_settle(struct tp_summary_set *set, size_t first);

#endif
