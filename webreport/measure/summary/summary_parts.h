/* The parts of a summary that have files of their own: each fills its members from the analysed trace. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_PARTS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_PARTS_H

#include "webreport/measure/summary/summary_build.h"
#include "writer/base/keys.h"

/* Everything while one summary is built. */
struct tp_summary_work {
    struct tp_summary *out;
    const struct tp_summary_source *source;
    struct tp_arena *arena;   /* of the summary: what stays */
    struct tp_arena *scratch; /* of the trace: what goes with it */
    struct tp_strings texts;  /* that were copied; each distinct one stands in `arena` once: copies[id] */
    struct tp_vec copies;     /* struct tp_str */
    uint64_t *left_out;       /* by enum tp_summary_cut */
};

/* What had to be left out of a summary, each with a flag that says how many. */
enum tp_summary_cut {
    TP_CUT_STEPS,
    TP_CUT_ROWS, /* added up in rows named "(rest)" */
    TP_CUT_COLLECTIVES,
    TP_CUT_FINDINGS,
    TP_CUT_DEVICES,
    TP_CUT_OWNERS,
    TP_CUT_COUNT
};

/* A copy that stays; long ones are cut and end in a hash, so that different texts stay different. ptr NULL: "". */
struct tp_str tp_summary_text(struct tp_summary_work *work, struct tp_str text);

/* "float, long, " of ["float","long",""], in the scratch. */
struct tp_str tp_summary_dtype_text(struct tp_summary_work *work, struct tp_str types);

/* Fill steps. */
void tp_summary_steps_build(struct tp_summary_work *work);

/* The step in whose host marker `at_ns` (absolute) lies, TP_NO_ID: none that was kept. */
uint32_t tp_summary_step_of_host(const struct tp_summary_work *work, int64_t at_ns);

/* The step of a device event: of its launch, else the one (prolonged by device work) in which it starts. */
uint32_t tp_summary_step_of_device(const struct tp_summary_work *work, uint32_t device);

/* Fill rows; kernel_fingerprint; collectives; facts; findings; memory; flags (last: what others left out). */
void tp_summary_rows_build(struct tp_summary_work *work);
void tp_summary_fingerprint_build(struct tp_summary_work *work);
void tp_summary_collectives_build(struct tp_summary_work *work);
/* Step slots; the steps stand already. */
void tp_summary_slots_build(struct tp_summary_work *work);
void tp_summary_facts_build(struct tp_summary_work *work);
void tp_summary_findings_build(struct tp_summary_work *work);
void tp_summary_memory_build(struct tp_summary_work *work);
void tp_summary_flags_build(struct tp_summary_work *work);

/* Fills the signature. */
void tp_signature_build(struct tp_summary_work *work);

/* ---- rows of one kind ---- */

/* What identifies a row: ids of texts in the gather's own table. */
struct tp_summary_call {
    uint32_t name, owner, shape, dtype; /* TP_NO_ID: "" */
    int64_t ns, bytes;                  /* bytes: TP_NULL_INT: none */
    uint32_t step;                      /* TP_NO_ID: none */
};

/* Calls of one kind on their way to rows. */
struct tp_summary_gather {
    struct tp_summary_work *work;
    enum tp_summary_kind kind;
    struct tp_strings texts; /* of the identities; names of paths are made by `path_text` */
    struct tp_keys keys;     /* (name, owner, shape, dtype) */
    struct tp_vec samples;   /* struct tp_summary_sample */
    struct tp_vec rows;      /* struct tp_summary_group, as keys */
    /* text of a name that is no id in texts; NULL: it is one */
    struct tp_str (*name_text)(const struct tp_summary_gather *gather, uint32_t name);
    const void *context; /* of name_text */
};

void tp_summary_gather_open(struct tp_summary_gather *gather, struct tp_summary_work *work, enum tp_summary_kind kind);
void tp_summary_gather_add(struct tp_summary_gather *gather, const struct tp_summary_call *call);

/* Appends the rows to `rows` (struct tp_summary_row) in their order, at most TP_MAX_SUMMARY_ROWS. */
void tp_summary_gather_close(struct tp_summary_gather *gather, struct tp_vec *rows);

#endif
