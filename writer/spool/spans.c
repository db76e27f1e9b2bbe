/* Implements address ranges: see spans.h. */
#include "writer/spool/spans.h"

struct order {
    tp_compare tie;
    const void *context;
};

static int compare_by_start(const void *left, const void *right, const void *context)
{
    const struct tp_span *x = left, *y = right;
    const struct order *order = context;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return order->tie ? order->tie(x, y, order->context) : (x->item > y->item) - (x->item < y->item);
}

struct tp_spans tp_spans_sort(struct tp_vec *spans, tp_compare tie, const void *context)
{
    const struct order order = {tie, context};
    struct tp_span *items = spans->data;
    tp_merge_sort(spans->arena, items, spans->count, sizeof *items, compare_by_start, &order);
    for (uint32_t i = 0; i < spans->count; i++) {
        uint32_t before = i;
        while (before && items[before - 1].end <= items[i].end)
            before = items[before - 1].enclosing_range;
        items[i].enclosing_range = before;
    }
    return (struct tp_spans){items, spans->count};
}

size_t tp_spans_count_begun(struct tp_spans spans, uint64_t address)
{
    size_t low = 0, high = spans.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans.items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct tp_span *tp_spans_find(struct tp_spans spans, uint64_t address, uint64_t *reach)
{
    size_t last = tp_spans_count_begun(spans, address);
    uint64_t highest = 0;
    for (; last && spans.items[last - 1].end <= address; last = spans.items[last - 1].enclosing_range)
        highest = spans.items[last - 1].end;
    if (reach)
        *reach = highest;
    return last ? &spans.items[last - 1] : NULL;
}
