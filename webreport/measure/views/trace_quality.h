/* The quality of a trace: counts of read and skipped events, and flags that lower the confidence of findings
 * (docs/definitions.md, section 14). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_TRACE_QUALITY_H
#define TP_WEBREPORT_MEASURE_VIEWS_TRACE_QUALITY_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum { TP_QUALITY_FLAGS = 11, TP_QUALITY_WEAKENS = 40, TP_QUALITY_READ = 16, TP_QUALITY_SKIPPED = 40 };
enum tp_quality_value { TP_QUALITY_INT, TP_QUALITY_REAL, TP_QUALITY_NULL };

/* flags F1 to F11 in this order */
enum tp_quality_fault {
    TP_FAULT_STEPS,
    TP_FAULT_UNLINKED,
    TP_FAULT_GRAPHS,
    TP_FAULT_OVERLAPS,
    TP_FAULT_ABSURD,
    TP_FAULT_CLOCKS,
    TP_FAULT_OPTIONS,
    TP_FAULT_OVERHEAD,
    TP_FAULT_DAMAGE,
    TP_FAULT_LEADING,
    TP_FAULT_SLOWDOWN
};

/* selects the sentence of a flag that has several sentences (webreport/document/words/quality_words.c) */
enum tp_quality_case {
    TP_CASE_USUAL,
    TP_CASE_NO_STEPS,     /* F1: the trace has no marked steps */
    TP_CASE_ONE_STEP,     /* F1: only one step of the trace is used */
    TP_CASE_WARM_UP,      /* F1: steps at the start are excluded as warm-up */
    TP_CASE_NOT_RECORDED, /* F2: the trace has no device work */
    TP_CASE_OWN_DEVICES   /* F2: the program itself registered all devices */
};

enum { TP_QUALITY_OPTIONS = 3 };

struct tp_quality_flag {
    const char *id; /* "F1" to "F11" */
    enum tp_quality_case which;
    int64_t short_count; /* F4: number of overlaps shorter than 5 us; these overlaps are included in `count` */
    /* F7: names of the recording options that were off; the first `count` entries are valid */
    const char *options_off[TP_QUALITY_OPTIONS];
    bool is_raised;
    bool is_statement; /* the text is complete without the value */
    enum tp_quality_value type;
    int64_t count;  /* value of the flag if `type` is TP_QUALITY_INT */
    double percent; /* value of the flag if `type` is TP_QUALITY_REAL */
    const char *unit;
    /* sentence that explains the flag; only tp_fill_quality_texts in webreport/document/words fills this member */
    const char *text;
    const char *weakens[TP_QUALITY_WEAKENS]; /* rules and views that the flag affects; empty unless is_raised */
    unsigned weakens_count;
};

/* number of events of one kind that were read, or number of events that were skipped for one reason */
struct tp_quality_count {
    const char *name;
    int64_t count;
};

struct tp_quality {
    int64_t events_total, read_total, skipped_total;
    /* numbers of read and skipped events, only numbers above 0, sorted by name */
    struct tp_quality_count read[TP_QUALITY_READ], skipped[TP_QUALITY_SKIPPED];
    unsigned read_count, skipped_count;
    int64_t events_without_dur, events_with_negative_dur, repaired, badly_nested_host_events, out_of_memory_events;
    bool is_truncated, has_gzip_error;
    /* true if the profile has too little work for a verdict (docs/definitions.md, section 13, fragment.h) */
    bool is_fragment;
    /* numbers of the reader's repairs and omissions, only numbers above 0 */
    struct tp_quality_count notices[TP_NOTICE_COUNT];
    /* for each notice: offset of its first occurrence in the inflated text, bytes */
    uint64_t notice_offset[TP_NOTICE_COUNT];
    unsigned notice_count;
    struct tp_quality_flag flags[TP_QUALITY_FLAGS];
};

void tp_quality_build(struct tp_quality *quality, const struct tp_model *model, struct tp_arena *arena);

/* Returns whether recording took much time of the host: flag F8, or Python calls or stacks in the trace. Temporary
 * memory comes from `arena`, whose guard must be set. */
bool tp_is_host_slowed_by_recording(const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_quality_fields;

#endif
