/* Declares the functions that build the parts of a summary. Each part has its own file, and fills its members from the
 * analyzed trace. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_PARTS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_PARTS_H

#include "webreport/measure/summary/summary_build.h"
#include "writer/base/keys.h"

/* State while one summary is built. */
struct tp_summary_work {
    struct tp_summary *out;
    const struct tp_summary_source *source;
    struct tp_arena *arena;   /* memory for the results */
    struct tp_arena *scratch; /* temporary memory for work on the trace */
    struct tp_strings texts; /* texts that were copied into `arena`, with an id for each text; copies[id] is the copy */
    struct tp_vec copies;    /* elements: struct tp_str */
    uint64_t *left_out;      /* for each enum tp_summary_cut: number of items that the summary leaves out */
};

/* Kinds of data that a summary may leave out. Each kind has a flag with the number of left out items. */
enum tp_summary_cut {
    TP_CUT_STEPS,
    TP_CUT_ROWS, /* rows whose values were added to rows named "(rest)" */
    TP_CUT_COLLECTIVES,
    TP_CUT_FINDINGS,
    TP_CUT_DEVICES,
    TP_CUT_OWNERS,
    TP_CUT_RANGES,
    TP_CUT_GENERATED,
    TP_CUT_COUNT
};

/* Returns a copy of the text in the summary; "" if ptr is NULL. A long text is shortened and ends in a hash, so that
 * different texts stay different. */
struct tp_str tp_summary_intern_text(struct tp_summary_work *work, struct tp_str text);

/* Returns types such as ["float","long",""] as "float, long, ", in scratch memory. */
struct tp_str tp_summary_dtype_text(struct tp_summary_work *work, struct tp_str types);

/* Fills the steps of the summary. */
void tp_summary_steps_build(struct tp_summary_work *work);

/* Returns the step of the summary whose host marker contains `at_ns` (absolute time, ns), or TP_NO_ID. */
uint32_t tp_summary_step_of_host(const struct tp_summary_work *work, int64_t at_ns);

/* Returns the step of a device operation: the step of its launch. Without a launch, returns the step (extended by
 * device work) in which the operation starts. */
uint32_t tp_summary_step_of_device(const struct tp_summary_work *work, uint32_t device);

/* Fill rows, kernel_fingerprint, collectives, facts, findings, memory, ranges, generated kernels and flags. Flags must
 * be filled last, because they report the data that the other functions left out. */
void tp_summary_rows_build(struct tp_summary_work *work);
void tp_summary_fingerprint_build(struct tp_summary_work *work);
void tp_summary_collectives_build(struct tp_summary_work *work);
/* Fills the step slots. The caller must have filled the steps. */
void tp_summary_slots_build(struct tp_summary_work *work);
void tp_summary_facts_build(struct tp_summary_work *work);
void tp_summary_findings_build(struct tp_summary_work *work);
void tp_summary_memory_build(struct tp_summary_work *work);
void tp_summary_ranges_build(struct tp_summary_work *work);
void tp_summary_generated_build(struct tp_summary_work *work);
void tp_summary_gains_build(struct tp_summary_work *work);
void tp_summary_flags_build(struct tp_summary_work *work);

/* Fills the signature. */
void tp_signature_build(struct tp_summary_work *work);

/* ---- rows of one kind ---- */

/* The identity and the measured values of a call. The identity consists of ids in the gather's own table of texts. */
struct tp_summary_call {
    uint32_t name, owner, shape, dtype; /* ids of texts; TP_NO_ID: "" */
    uint32_t line;                      /* id of the text of the source line; TP_NO_ID: unknown */
    int64_t ns, bytes;                  /* ns: duration, ns; bytes: bytes moved, TP_NULL_INT if the call moves none */
    uint32_t step;                      /* index of the step in the summary's steps; TP_NO_ID: outside the steps */
};

/* Calls of one kind, collected before rows are made. */
struct tp_summary_gather {
    struct tp_summary_work *work;
    enum tp_summary_kind kind;
    struct tp_strings texts; /* texts of the identities, except names whose text name_text returns */
    struct tp_keys keys;     /* keys of (name, owner, shape, dtype) */
    struct tp_keys lines;    /* pairs (key, line) */
    struct tp_vec line_ns;   /* for each pair: time of its calls, ns; elements: int64_t */
    struct tp_vec samples;   /* elements: struct sample of summary_gather.c */
    struct tp_vec rows;      /* elements: struct group of summary_gather.c, one for each key, in the order of `keys` */
    /* returns the text of a name if names are not ids in `texts`; NULL: every name is an id in `texts` */
    struct tp_str (*name_text)(const struct tp_summary_gather *gather, uint32_t name);
    const void *context; /* data for name_text */
};

void tp_summary_gather_init(struct tp_summary_gather *gather, struct tp_summary_work *work, enum tp_summary_kind kind);
void tp_summary_gather_add_call(struct tp_summary_gather *gather, const struct tp_summary_call *call);

/* Appends the rows to `rows` (elements: struct tp_summary_row), sorted by time; at most TP_MAX_SUMMARY_ROWS. */
void tp_summary_gather_make_rows(struct tp_summary_gather *gather, struct tp_vec *rows);

#endif
