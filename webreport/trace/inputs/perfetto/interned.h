/* Stores the texts and the clock of each sequence of a Perfetto trace.
 *
 * A producer writes a text once, with a number (iid) that is valid until the producer clears the state of its
 * sequence. Equal texts are stored once, however often producers write them. All memory is in the arena of the trace.
 */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_INTERNED_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_INTERNED_H

#include "webreport/trace/inputs/perfetto/element_builder.h"
#include "writer/base/id_map.h"

enum tp_interned_table {
    TP_INTERNED_CATEGORIES,
    TP_INTERNED_NAMES,
    TP_INTERNED_ANNOTATION_NAMES,
    TP_INTERNED_STRINGS,
    TP_INTERNED_STAGES, /* specifications of GPU stages and of hardware queues */
    TP_INTERNED_KERNELS,
    TP_INTERNED_ARGUMENTS,
    TP_INTERNED_TABLES
};

/* A text with its ids in the sink; TP_NO_ID until the text is used for the purpose. */
struct tp_interned_text {
    struct tp_str json; /* the text as a JSON string; ptr NULL until it is needed */
    uint32_t name, cat, value, stack;
    uint32_t next;     /* text that followed this one last time (tp_interned_add_next); TP_NO_ID if none */
    int64_t registers; /* registers per thread of a kernel; TP_NULL_INT if unknown */
    uint32_t arch;     /* architecture for which a kernel was built, number of an interned text */
    bool has_key;      /* true if `key` is set */
    struct tp_builder_key key;
};

struct tp_own_clock {
    uint64_t id, base_ns, sum_ns, unit_ns;
    bool is_incremental;
    bool has_base; /* true if the snapshot of the clock also has a clock whose time was known */
};

/* The begin or the end of a slice. */
struct tp_slice_edge {
    int64_t ts_ns;
    uint32_t event;           /* event of a begin, index in the trace; TP_NO_ID if the event was skipped */
    unsigned track : 30;      /* number of the track, below TP_MAX_PERFETTO_TRACKS */
    unsigned is_end : 1;      /* 1 for an end, 0 for a begin */
    unsigned is_in_block : 1; /* 1 if the edge is in a block in which times run backwards */
};

/* State of a sequence of packets. */
struct tp_sequence {
    uint32_t generation; /* number of the state; a cleared sequence gets a new number */
    bool has_packets;    /* true after the first packet */
    bool lost_packets;   /* true from a loss of packets until the producer clears the state */
    bool has_default_clock, has_default_track;
    uint64_t default_clock, default_track;
    uint32_t thread_track;                    /* number of the track of the sequence's thread; TP_NO_ID if unknown */
    uint64_t time_us;                         /* time from which the next difference in us counts */
    struct tp_vec tables[TP_INTERNED_TABLES]; /* text of each small iid; elements: uint32_t, TP_NO_ID if missing */
    struct tp_vec clocks;                     /* clocks of the sequence; elements: struct tp_own_clock */
    struct tp_vec begins, ends; /* block of begins and ends that is not paired yet; elements: struct tp_slice_edge */
};

struct tp_interned {
    struct tp_arena *arena;
    struct tp_strings texts;
    struct tp_vec details;          /* details of each text; elements: struct tp_interned_text */
    struct tp_keys sparse;          /* large iids: keys of generation, table and iid */
    struct tp_vec sparse_texts;     /* text of each key in `sparse`; elements: uint32_t */
    struct tp_keys counters;        /* counters of devices: keys of generation, iid of the description and counter id */
    struct tp_vec counter_texts;    /* name of each key in `counters`; elements: uint32_t */
    struct tp_keys counter_devices; /* keys of generation and iid of a description */
    struct tp_vec counter_device_numbers; /* device of each key in `counter_devices`; elements: int64_t */
    struct tp_id_map sequence_numbers;
    struct tp_vec sequences; /* elements: struct tp_sequence */
    uint64_t last_sequence;  /* id of the sequence that was found last, and its number */
    uint32_t last_number;
    uint32_t generation_count;
    uint32_t version; /* number of texts that replaced another text of the same number */
    uint32_t last;    /* result of the last call of tp_interned_add_next; TP_NO_ID before the first call */
};

void tp_interned_init(struct tp_interned *interned, struct tp_arena *arena);

/* Returns the sequence with this id, which is added if it is missing. Valid until the next call. Returns NULL for more
 * than TP_MAX_PERFETTO_SEQUENCES sequences. */
struct tp_sequence *tp_interned_sequence(struct tp_interned *interned, uint64_t id);

/* Forgets all texts, defaults and counters of a sequence. */
void tp_interned_clear(struct tp_interned *interned, struct tp_sequence *sequence);

/* Returns the number of a text, which is added if it is missing. */
uint32_t tp_interned_add_text(struct tp_interned *interned, struct tp_str text);

/* Does the same for names that follow each other in the same order in many events, without searching the name. */
uint32_t tp_interned_add_next(struct tp_interned *interned, struct tp_str text);

/* Sets the text of an iid. Returns the number of the text. */
uint32_t tp_interned_set(struct tp_interned *interned, struct tp_sequence *sequence, enum tp_interned_table table,
                         uint64_t iid, struct tp_str text);

/* Returns the number of the text of an iid; TP_NO_ID if it is missing. */
uint32_t tp_interned_get(const struct tp_interned *interned, const struct tp_sequence *sequence,
                         enum tp_interned_table table, uint64_t iid);

static inline struct tp_str tp_interned_text(const struct tp_interned *interned, uint32_t text)
{
    return tp_strings_get(&interned->texts, text);
}
static inline struct tp_interned_text *tp_interned_details(const struct tp_interned *interned, uint32_t text)
{
    return TP_AT(&interned->details, struct tp_interned_text, text);
}

/* Sets, and returns, the name of a counter in a description of counters; TP_NO_ID if it is missing. */
void tp_interned_set_counter(struct tp_interned *interned, const struct tp_sequence *sequence, uint64_t iid,
                             uint64_t counter, struct tp_str name);
uint32_t tp_interned_counter(const struct tp_interned *interned, const struct tp_sequence *sequence, uint64_t iid,
                             uint64_t counter);

/* Sets, and returns, the device of a description of counters; TP_NULL_INT if it is missing. */
void tp_interned_set_device(struct tp_interned *interned, const struct tp_sequence *sequence, uint64_t iid,
                            int64_t device);
int64_t tp_interned_device(const struct tp_interned *interned, const struct tp_sequence *sequence, uint64_t iid);

#endif
