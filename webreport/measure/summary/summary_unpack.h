/* What the files that unpack a process share. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_UNPACK_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_UNPACK_H

#include "webreport/measure/summary/summary.h"

struct Tp__SummaryProcess; /* the generated type, named so that headers need no generated one */

struct tp_unpack {
    const struct Tp__SummaryProcess *from; /* columns of a list are of one length */
    struct tp_summary *to;
    struct tp_arena *arena;
    struct tp_str *texts; /* text_count of them */
    size_t text_count;
    bool is_bad; /* something contradicted itself; what was made must not be used */
};

/* Text of a number: 0 is "". */
static inline struct tp_str tp_unpack_text(struct tp_unpack *unpack, uint32_t number)
{
    unpack->is_bad |= number > unpack->text_count;
    return number && number <= unpack->text_count ? unpack->texts[number - 1] : TP_STR("");
}

/* The next value of a column of differences. */
static inline int64_t tp_unpack_delta(int64_t difference, int64_t *before)
{
    return *before = (int64_t)((uint64_t)*before + (uint64_t)difference);
}

/* A number that is not negative. */
static inline int64_t tp_unpack_count(struct tp_unpack *unpack, uint64_t value)
{
    unpack->is_bad |= value > INT64_MAX;
    return (int64_t)(value & INT64_MAX);
}

/* Fills the rows; steps stand already. */
void tp_unpack_rows(struct tp_unpack *unpack);

#endif
