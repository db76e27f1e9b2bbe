/* Trace quality: numbers of read and skipped events, and flags that lower the confidence of findings (section 14). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_TRACE_QUALITY_H
#define TP_WEBREPORT_MEASURE_VIEWS_TRACE_QUALITY_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum { TP_QUALITY_FLAGS = 11, TP_QUALITY_WEAKENS = 40, TP_QUALITY_READ = 16, TP_QUALITY_SKIPPED = 40 };
enum tp_quality_value { TP_QUALITY_INT, TP_QUALITY_REAL, TP_QUALITY_NULL };

struct tp_quality_flag {
    const char *id; /* "F1" .. "F11" */
    bool is_raised;
    enum tp_quality_value type;
    int64_t count;  /* value of a flag of kind TP_QUALITY_INT */
    double percent; /* value of a flag of kind TP_QUALITY_REAL */
    const char *unit, *text;
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
