/* Implements time_marks.h. */
#include "webreport/document/report/time_marks.h"

#include "writer/base/buf.h"
#include "writer/base/saturate.h"

/* Counts the intervals that are at least that long, up to most + 1. */
static size_t count_long_intervals(struct tp_intervals spans, int64_t least_ns, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < spans.count && count <= most; i++)
        count += spans.items[i].b - spans.items[i].a >= least_ns;
    return count;
}

/* Returns the least length of which at most `most` intervals are. */
static int64_t find_least_length(struct tp_intervals spans, size_t most)
{
    int64_t low = 0, high = 1;
    while (count_long_intervals(spans, high, most) > most && high < INT64_MAX / 2)
        high *= 2;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (count_long_intervals(spans, middle, most) <= most)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const char *tp_time_marks_text(const struct tp_section *section, struct tp_intervals spans)
{
    enum { MOST_MARKS = 100, NS_PER_US = 1000 };
    struct tp_buf text;
    if (!spans.count)
        return NULL;
    int64_t first_ns = section->profile->model->first_ns, least_ns = find_least_length(spans, MOST_MARKS);
    int64_t end_us = 0;
    size_t left = MOST_MARKS - count_long_intervals(spans, least_ns, MOST_MARKS);
    tp_buf_init(&text, 0);
    for (size_t i = 0; i < spans.count; i++) {
        const struct tp_interval *span = &spans.items[i];
        bool is_long = span->b - span->a >= least_ns, is_next = !is_long && left && span->b - span->a == least_ns - 1;
        left -= is_next;
        if (!is_long && !is_next)
            continue;
        int64_t a = (span->a - first_ns) / NS_PER_US, b = tp_sat_add(span->b - first_ns, NS_PER_US - 1) / NS_PER_US;
        a = a < end_us ? end_us : a; /* the end of the interval before was rounded up */
        b = b < a ? a : b;
        tp_buf_printf(&text, "%s%lld,%lld", text.size ? ";" : "", (long long)(a - end_us), (long long)(b - a));
        end_us = b;
    }
    return tp_buf_move(&text, section->arena);
}
