/* Types and functions that the files which unpack a process share. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_UNPACK_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_UNPACK_H

#include "webreport/measure/summary/summary.h"

struct Tp__SummaryProcess; /* the generated type, declared here so that headers need no generated header */

struct tp_unpack {
    const struct Tp__SummaryProcess *from; /* the columns of each list have equal lengths */
    struct tp_summary *to;
    struct tp_arena *arena;
    struct tp_str *texts; /* array of text_count texts */
    size_t text_count;
    bool is_bad; /* the data contradicts itself; the result must not be used */
};

/* Returns the text with a number: 0 is "". */
static inline struct tp_str tp_unpack_text(struct tp_unpack *unpack, uint32_t number)
{
    unpack->is_bad |= number > unpack->text_count;
    return number && number <= unpack->text_count ? unpack->texts[number - 1] : TP_STR("");
}

/* Returns the next value of a column of differences. */
static inline int64_t tp_unpack_delta(int64_t difference, int64_t *before)
{
    return *before = (int64_t)((uint64_t)*before + (uint64_t)difference);
}

/* Returns a number that is not negative. */
static inline int64_t tp_unpack_count(struct tp_unpack *unpack, uint64_t value)
{
    unpack->is_bad |= value > INT64_MAX;
    return (int64_t)(value & INT64_MAX);
}

/* Fills the rows; the steps must be filled. */
void tp_unpack_rows(struct tp_unpack *unpack);

#endif
