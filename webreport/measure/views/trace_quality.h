/* Trace quality: numbers of read and skipped events, and flags that lower the confidence of findings (section 14). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_TRACE_QUALITY_H
#define TP_WEBREPORT_MEASURE_VIEWS_TRACE_QUALITY_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum { TP_QUALITY_FLAGS = 11, TP_QUALITY_WEAKENS = 40, TP_QUALITY_READ = 16, TP_QUALITY_SKIPPED = 40 };
enum tp_quality_value { TP_QUALITY_INT, TP_QUALITY_REAL, TP_QUALITY_NULL };

/* The flags F1 to F11, by number - 1. */
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

/* The case of a flag that has several sentences (webreport/document/words/quality_words.c). */
enum tp_quality_case {
    TP_CASE_USUAL,
    TP_CASE_NO_STEPS,     /* F1: no steps are marked */
    TP_CASE_ONE_STEP,     /* F1: one step */
    TP_CASE_WARM_UP,      /* F1: leading steps are left out */
    TP_CASE_NOT_RECORDED, /* F2: no device work is recorded */
    TP_CASE_OWN_DEVICES   /* F2: all devices are the program's own */
};

enum { TP_QUALITY_OPTIONS = 3 };

struct tp_quality_flag {
    const char *id; /* "F1" .. "F11" */
    enum tp_quality_case which;
    int64_t short_count;                         /* F4: overlaps of less than 5 us, part of `count` */
    const char *options_off[TP_QUALITY_OPTIONS]; /* F7: names of the options that were off; `count` of them */
    bool is_raised;
    enum tp_quality_value type;
    int64_t count;  /* value of a flag of kind TP_QUALITY_INT */
    double percent; /* value of a flag of kind TP_QUALITY_REAL */
    const char *unit;
    const char *text; /* sentence: reserved for webreport/document/words, which fills it (tp_word_quality) */
    const char *weakens[TP_QUALITY_WEAKENS]; /* affected rules and views; empty unless the flag is raised */
    unsigned weakens_count;
};

/* Events of one kind that were read, or skipped for one reason. */
struct tp_quality_count {
    const char *name;
    int64_t count;
};

struct tp_quality {
    int64_t events_total, read_total, skipped_total;
    /* only numbers above 0, in order of name */
    struct tp_quality_count read[TP_QUALITY_READ], skipped[TP_QUALITY_SKIPPED];
    unsigned read_count, skipped_count;
    int64_t events_without_dur, events_with_negative_dur, repaired, badly_nested_host_events, out_of_memory_events;
    bool is_truncated, has_gzip_error;
    bool is_fragment;                                 /* the profile has too little work to judge (section 13) */
    struct tp_quality_count notices[TP_NOTICE_COUNT]; /* repairs and omissions of the reader, only numbers above 0 */
    uint64_t notice_offset[TP_NOTICE_COUNT]; /* by notice: position of its first occurrence, as a byte of the inflated
                                              * text */
    unsigned notice_count;
    struct tp_quality_flag flags[TP_QUALITY_FLAGS];
};

void tp_quality_build(struct tp_quality *quality, const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_quality_fields;

#endif
