/* Implements gate_items.h. */
#include "webreport/compare/gate/gate_items.h"

#include <math.h>

#include "writer/base/sort.h"

struct tp_check_item *tp_check_add_item(struct tp_vec *items, const struct tp_budget_line *line, struct tp_str subject)
{
    struct tp_check_item *item = tp_vec_push(items);
    *item = (struct tp_check_item){.line = line,
                                   .subject = subject,
                                   .value = NAN,
                                   .base_value = NAN,
                                   .change = NAN,
                                   .low = NAN,
                                   .high = NAN,
                                   .detectable = NAN,
                                   .chance = NAN,
                                   .reason = ""};
    return item;
}

static int compare_by_status(const void *x, const void *y, const void *context)
{
    const struct tp_check_item *a = x, *b = y;
    (void)context;
    if (a->status != b->status)
        return (int)b->status - (int)a->status;
    return (a->line > b->line) - (a->line < b->line);
}

void tp_check_take_items(struct tp_check *check, struct tp_vec *items, struct tp_arena *arena)
{
    tp_merge_sort(arena, items->data, items->count, sizeof(struct tp_check_item), compare_by_status, NULL);
    check->items = items->data;
    check->count = items->count;
    check->verdict = check->count ? check->items[0].status : TP_CHECK_PASS;
    for (size_t i = 0; i < check->count; i++) {
        const struct tp_check_item *item = &check->items[i];
        check->counts[item->status]++;
        check->lacks_baseline |= check->verdict == TP_CHECK_INCONCLUSIVE && item->status == TP_CHECK_INCONCLUSIVE &&
                                 item->cause == TP_CAUSE_NO_BASELINE;
    }
}
