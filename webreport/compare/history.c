/* The order of stored runs: see history.h. */
#include "webreport/compare/history.h"

#include "writer/base/sort.h"
#include "writer/text/format.h"

static int by_label(const void *x, const void *y, const void *context)
{
    const struct tp_history_run *a = x, *b = y;
    (void)context;
    return tp_str_compare(a->label, b->label);
}

static int by_start(const void *x, const void *y, const void *context)
{
    const struct tp_history_run *a = x, *b = y;
    (void)context;
    return (a->items->start_ns > b->items->start_ns) - (a->items->start_ns < b->items->start_ns);
}

void tp_history_sort(struct tp_history_run *runs, size_t count, struct tp_arena *arena)
{
    bool has_times = true;
    for (size_t i = 0; i < count; i++)
        has_times &= tp_text_of_date(arena, runs[i].items->start_ns) != NULL;
    tp_merge_sort(arena, runs, count, sizeof *runs, by_label, NULL);
    if (has_times)
        tp_merge_sort(arena, runs, count, sizeof *runs, by_start, NULL);
}
