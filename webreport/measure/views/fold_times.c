/* Implements fold_times.h: sums time by the fold of the stack. */
#include "webreport/measure/views/fold_times.h"

#include "writer/base/saturate.h"

void tp_fold_times_init(struct tp_fold_times *times, struct tp_arena *arena)
{
    times->items = TP_VEC(arena, struct tp_fold_time);
    tp_id_map_init(&times->rows, arena);
}

void tp_fold_times_add(void *context, const struct tp_stack_segment *segment)
{
    struct tp_fold_times *times = context;
    uint32_t *row = tp_id_map_find_or_add(&times->rows, tp_id_pair(segment->fold.kind, segment->fold.text));
    if (*row == TP_NO_ID) {
        *row = (uint32_t)times->items.count;
        *(struct tp_fold_time *)tp_vec_push(&times->items) = (struct tp_fold_time){segment->fold, 0};
    }
    struct tp_fold_time *item = TP_AT(&times->items, struct tp_fold_time, *row);
    item->ns = tp_sat_add(item->ns, tp_sat_sub(segment->b, segment->a));
}

struct tp_fold_time tp_fold_times_longest(const struct tp_fold_times *times, const struct tp_model *model)
{
    const struct tp_fold_time *best = NULL;
    for (size_t i = 0; i < times->items.count; i++) {
        const struct tp_fold_time *item = TP_AT(&times->items, struct tp_fold_time, i);
        if (!best || item->ns > best->ns ||
            (item->ns == best->ns && tp_fold_compare(model, item->fold, best->fold) < 0))
            best = item;
    }
    return best ? *best : (struct tp_fold_time){{TP_STACK_NONE, model->trace->frames.no_event}, 0};
}
