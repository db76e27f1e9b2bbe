/* Between a summary and the bytes of one process in a `.tps` file (writer/proto/summary.proto). */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_FORMAT_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_FORMAT_H

#include "webreport/measure/summary/summary_file.h"
#include "writer/base/error.h"

enum {
    TP_SUMMARY_MAGIC = 0x31535054, /* "TPS1" */
    TP_SUMMARY_MAJOR = 1,          /* another one cannot be read */
    TP_SUMMARY_MINOR = 7           /* grows with what may be ignored */
};

/* Values of SummaryProcess.decision. */
enum { TP_DECISION_PASS = 1, TP_DECISION_FAIL = 2 };

/* Where protobuf-c unpacks: blocks of an arena (guard set), which stay; or of the heap, which are given back. */
struct tp_message_memory {
    struct tp_arena *arena; /* NULL: the heap */
    uint64_t left_bytes;    /* of the arena */
    bool is_used_up;        /* more was asked for than there is */
};

/* Members of a ProtobufCAllocator whose data is a struct tp_message_memory. */
void *tp_message_take(void *memory, size_t size);
void tp_message_give_back(void *memory, void *block);

/* A SummaryEntry of the summary, in `arena`, whose guard is set. Equal summaries have equal bytes. */
struct tp_str tp_summary_entry(const struct tp_summary *summary, struct tp_arena *arena);

/* The key and the number of events of an entry; texts in `arena`, whose guard is set. TP_EFORMAT. */
int tp_summary_entry_key(struct tp_summary_key *key, int64_t *event_count, struct tp_str entry, struct tp_arena *arena,
                         struct tp_error *err);

/* Members of the summary but for its key and number of events, from an inflated SummaryProcess. What is made stays in
 * `arena`, what is not needed afterwards in `scratch`; both guards are set. TP_EFORMAT. */
int tp_summary_process_read(struct tp_summary *summary, struct tp_str process, struct tp_arena *arena,
                            struct tp_arena *scratch, struct tp_error *err);

/* ---- sets, for whoever fills them from files ---- */

/* Appends an entry whose bytes are the set's already; not yet in order. TP_EFORMAT, TP_ELIMIT. */
int tp_summary_set_add_entry(struct tp_summary_set *set, struct tp_str entry, struct tp_error *err);

/* Records from `first` on are new: puts all in order and keeps the best one of each process. */
void tp_summary_set_settle(struct tp_summary_set *set, size_t first);

#endif
