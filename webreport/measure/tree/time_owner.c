/* Assigns each nanosecond of device work to one operation, the owner of this time. Implements a part of
 * time_parts.h. */
#include "webreport/measure/tree/time_parts.h"
#include "writer/base/sort.h"

/* The operations of one class in order of start. All operations before index `head` have ended. */
struct line {
    uint32_t *items; /* indexes of device operations */
    uint32_t count, head;
};

enum tp_time_class tp_time_class_of_work(enum tp_work work)
{
    return work == TP_WORK_COMMUNICATION ? TP_TIME_COMMUNICATION
           : work == TP_WORK_COPY        ? TP_TIME_COPY
           : work == TP_WORK_WAIT        ? TP_TIME_WAIT
                                         : TP_TIME_COMPUTE;
}

static int64_t operation_end_ns(const struct tp_model *model, uint32_t device)
{
    return tp_event_end(tp_device_event(model, device));
}

/* Orders operations by start. Of operations with the same start, the longest comes first; of equally long ones, the
 * first in the file. */
static int compare_by_start(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_event *a = tp_device_event(context, x), *b = tp_device_event(context, y);
    if (a->ts_ns != b->ts_ns)
        return a->ts_ns < b->ts_ns ? -1 : 1;
    if (a->dur_ns != b->dur_ns)
        return a->dur_ns > b->dur_ns ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void fill_lines(struct line lines[TP_TIME_CLASSES], const struct tp_time_builder *maker)
{
    const struct tp_gpu *gpu = maker->gpu;
    const uint8_t *work = maker->kinds->of_device;
    for (uint32_t i = 0; i < gpu->count; i++)
        lines[tp_time_class_of_work(work[gpu->events[i]])].count++;
    for (unsigned c = 0; c < TP_TIME_CLASSES; c++) {
        lines[c].items = tp_arena_array(maker->arena, lines[c].count, sizeof(uint32_t));
        lines[c].count = 0;
    }
    for (uint32_t i = 0; i < gpu->count; i++) {
        struct line *line = &lines[tp_time_class_of_work(work[gpu->events[i]])];
        line->items[line->count++] = gpu->events[i];
    }
    for (unsigned c = 0; c < TP_TIME_CLASSES; c++)
        tp_sort_rows(lines[c].items, lines[c].count, compare_by_start, maker->model, maker->arena);
}

/* Returns the class whose operation at `head` owns the time from `now` on; TP_TIME_CLASSES if no operation runs. Sets
 * *until to the next time at which the result can change; INT64_MAX if no operation follows. */
static unsigned find_owner_at(struct line lines[TP_TIME_CLASSES], const struct tp_model *model, int64_t now,
                              int64_t *until)
{
    *until = INT64_MAX;
    for (unsigned c = 0; c < TP_TIME_CLASSES; c++) {
        struct line *line = &lines[c];
        while (line->head < line->count && operation_end_ns(model, line->items[line->head]) <= now)
            line->head++;
        if (line->head == line->count)
            continue;
        const struct tp_event *e = tp_device_event(model, line->items[line->head]);
        if (e->ts_ns <= now) {
            *until = tp_event_end(e) < *until ? tp_event_end(e) : *until;
            return c;
        }
        *until = e->ts_ns < *until ? e->ts_ns : *until;
    }
    return TP_TIME_CLASSES;
}

void tp_time_visit_owners(const struct tp_time_builder *maker, void (*own)(void *context, uint32_t device, int64_t ns),
                          void *context)
{
    struct line lines[TP_TIME_CLASSES] = {0};
    int64_t now = INT64_MIN, until;
    size_t at = 0;
    fill_lines(lines, maker);
    for (;;) {
        unsigned c = find_owner_at(lines, maker->model, now, &until);
        if (c < TP_TIME_CLASSES) {
            int64_t ns = tp_window_length_within(maker->model, &at, now, until);
            if (ns > 0)
                own(context, lines[c].items[lines[c].head], ns);
        } else if (until == INT64_MAX) {
            break;
        }
        now = until;
    }
    for (unsigned c = 0; c < TP_TIME_CLASSES; c++)
        tp_arena_free_item(maker->arena, lines[c].items, lines[c].count * sizeof(uint32_t));
}
