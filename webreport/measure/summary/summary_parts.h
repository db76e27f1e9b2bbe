/* The parts of a summary that have their own files: each fills its members from the analyzed trace. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_PARTS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_PARTS_H

#include "webreport/measure/summary/summary_build.h"
#include "writer/base/keys.h"

/* The state while one summary is built. */
struct tp_summary_work {
    struct tp_summary *out;
    const struct tp_summary_source *source;
    struct tp_arena *arena;   /* for the summary: results */
    struct tp_arena *scratch; /* for the trace: temporary memory */
    struct tp_strings texts;  /* copied texts; each distinct one is in `arena` once: copies[id] */
    struct tp_vec copies;     /* struct tp_str */
    uint64_t *left_out;       /* by enum tp_summary_cut */
};

/* Data that was left out of a summary; each kind has a flag with the number. */
enum tp_summary_cut {
    TP_CUT_STEPS,
    TP_CUT_ROWS, /* added up in rows named "(rest)" */
    TP_CUT_COLLECTIVES,
    TP_CUT_FINDINGS,
    TP_CUT_DEVICES,
    TP_CUT_OWNERS,
    TP_CUT_COUNT
};

/* Returns a copy in the summary; long texts are cut and end in a hash, so that different texts stay different. ptr
 * NULL: "". */
struct tp_str tp_summary_text(struct tp_summary_work *work, struct tp_str text);

/* Returns "float, long, " for ["float","long",""], in the scratch. */
struct tp_str tp_summary_dtype_text(struct tp_summary_work *work, struct tp_str types);

/* Fills steps. */
void tp_summary_steps_build(struct tp_summary_work *work);

/* Returns the step whose host marker contains `at_ns` (absolute); TP_NO_ID: no kept step. */
uint32_t tp_summary_step_of_host(const struct tp_summary_work *work, int64_t at_ns);

/* Returns the step of a device event: of its launch, else the one (extended by device work) in which it starts. */
uint32_t tp_summary_step_of_device(const struct tp_summary_work *work, uint32_t device);

/* Fill rows; kernel_fingerprint; collectives; facts; findings; memory; flags (last: they report what others left
 * out). */
void tp_summary_rows_build(struct tp_summary_work *work);
void tp_summary_fingerprint_build(struct tp_summary_work *work);
void tp_summary_collectives_build(struct tp_summary_work *work);
/* Fills the step slots; the steps must be filled. */
void tp_summary_slots_build(struct tp_summary_work *work);
void tp_summary_facts_build(struct tp_summary_work *work);
void tp_summary_findings_build(struct tp_summary_work *work);
void tp_summary_memory_build(struct tp_summary_work *work);
void tp_summary_flags_build(struct tp_summary_work *work);

/* Fills the signature. */
void tp_signature_build(struct tp_summary_work *work);

/* ---- rows of one kind ---- */

/* The identity and numbers of a call; the identity is ids of texts in the gather's own table. */
struct tp_summary_call {
    uint32_t name, owner, shape, dtype; /* TP_NO_ID: "" */
    int64_t ns, bytes;                  /* bytes: TP_NULL_INT: none */
    uint32_t step;                      /* TP_NO_ID: none */
};

/* Calls of one kind before they become rows. */
struct tp_summary_gather {
    struct tp_summary_work *work;
    enum tp_summary_kind kind;
    struct tp_strings texts; /* texts of the identities; `name_text` makes names of paths */
    struct tp_keys keys;     /* (name, owner, shape, dtype) */
    struct tp_vec samples;   /* struct tp_summary_sample */
    struct tp_vec rows;      /* struct tp_summary_group, in the order of keys */
    /* Returns the text of a name that is no id in texts; NULL: every name is one. */
    struct tp_str (*name_text)(const struct tp_summary_gather *gather, uint32_t name);
    const void *context; /* for name_text */
};

void tp_summary_gather_open(struct tp_summary_gather *gather, struct tp_summary_work *work, enum tp_summary_kind kind);
void tp_summary_gather_add(struct tp_summary_gather *gather, const struct tp_summary_call *call);

/* Appends the rows to `rows` (struct tp_summary_row) in their order, at most TP_MAX_SUMMARY_ROWS. */
void tp_summary_gather_close(struct tp_summary_gather *gather, struct tp_vec *rows);

#endif
