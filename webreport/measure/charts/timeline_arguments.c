/* Packs the arguments that programs added to slices of the timeline, and the moments of its lanes. Implements a part of
 * timeline_pack.h. */
#include "webreport/measure/charts/timeline_pack.h"

#include <stdlib.h>

#include "writer/base/sort.h"

static int compare_by_place(const void *x, const void *y, const void *context)
{
    const struct tp_moment *a = x, *b = y;
    (void)context;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->ts_ns > b->ts_ns) - (a->ts_ns < b->ts_ns);
}

void tp_pack_arguments_init(struct tp_pack *pack)
{
    const struct tp_trace *trace = pack->timeline->model->trace;
    tp_pack_captured_init(pack);
    if (!trace->argument_count && !trace->moment_count)
        return;
    pack->number_by_argument =
        tp_arena_array(pack->arena, (size_t)trace->argument_texts.count + 1, sizeof *pack->number_by_argument);
    if (!trace->moment_count)
        return;
    size_t bytes = trace->moment_count * sizeof *trace->moments;
    struct tp_moment *moments = tp_arena_alloc(pack->arena, bytes);
    memcpy(moments, trace->moments, bytes);
    tp_merge_sort(pack->arena, moments, trace->moment_count, sizeof *moments, compare_by_place, NULL);
    pack->moments = moments;
}

void tp_pack_arguments_start(struct tp_pack *pack)
{
    const struct tp_trace *trace = pack->timeline->model->trace;
    if (pack->number_by_argument)
        memset(pack->number_by_argument, 0,
               ((size_t)trace->argument_texts.count + 1) * sizeof *pack->number_by_argument);
    tp_pack_captured_start(pack);
    pack->argument_text_count = pack->argument_count = 0;
    pack->last_argument_slice = 0;
    pack->timeline->arguments_left_out = trace->arguments_left_out;
    /* starts with all moments; tp_pack_moments_of_lane subtracts the moments that it packs */
    pack->timeline->omitted_moment_count = trace->moment_count;
}

/* Returns the number that an arguments text has in the data. A new text gets the next number. Returns 0 if there is no
 * text or no space for the text. */
static uint32_t number_text(struct tp_pack *pack, uint32_t id)
{
    if (id == TP_NO_ID || pack->number_by_argument[id])
        return id == TP_NO_ID ? 0 : pack->number_by_argument[id];
    struct tp_str text = tp_strings_get(&pack->timeline->model->trace->argument_texts, id);
    return pack->number_by_argument[id] = tp_pack_add_argument_text(pack, text);
}

/* Appends the number of a text, and a color. color: TP_NO_ID without a color. */
static void put_argument_text(struct tp_pack_column *column, uint32_t number, uint32_t color)
{
    tp_pack_add_number(column, number);
    tp_pack_add_number(column, color == TP_NO_ID ? 0 : color + 1);
}

static int compare_by_event(const void *key, const void *item)
{
    uint32_t event = *(const uint32_t *)key, other = ((const struct tp_argument *)item)->event;
    return (event > other) - (event < other);
}

void tp_pack_arguments_add(struct tp_pack *pack, uint32_t event, uint32_t operation, uint64_t place)
{
    const struct tp_trace *trace = pack->timeline->model->trace;
    unsigned kind = trace->events[event].kind;
    if (kind != TP_KIND_ANNOTATION && !tp_kind_is_device(kind))
        return;
    const struct tp_argument *argument =
        trace->argument_count
            ? bsearch(&event, trace->arguments, trace->argument_count, sizeof *argument, compare_by_event)
            : NULL;
    struct tp_argument_text text = argument ? argument->text : (struct tp_argument_text){TP_NO_ID, TP_NO_ID};
    uint32_t captured = operation == TP_NO_ID ? 0 : tp_pack_captured_text(pack, operation, text.text);
    if (!argument && !captured)
        return;
    struct tp_pack_column *column = &pack->sections[TP_PACK_ARGUMENTS];
    tp_pack_reserve_bytes(pack, TP_PACK_ARGUMENTS, (size_t)3 * TP_PACK_MAX_VARINT);
    tp_pack_add_number(column, place - pack->last_argument_slice);
    put_argument_text(column, captured ? captured : number_text(pack, text.text), text.color);
    pack->last_argument_slice = place;
    pack->argument_count++;
}

/* Returns the index of a thread's first moment. */
static uint32_t first_moment_of_thread(const struct tp_pack *pack, uint32_t thread)
{
    uint32_t low = 0, high = pack->timeline->model->trace->moment_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pack->moments[middle].thread < thread)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool tp_pack_moments_of_lane(struct tp_pack *pack, struct tp_lane *lane)
{
    struct tp_timeline *timeline = pack->timeline;
    struct tp_pack_column *column = &pack->sections[TP_PACK_MOMENTS];
    uint64_t previous = 0;
    bool is_even = true;
    lane->moment_count = 0;
    if (!pack->moments || lane->is_device || pack->folds_short_steps)
        return true;
    for (uint32_t i = first_moment_of_thread(pack, lane->thread); i < timeline->model->trace->moment_count; i++) {
        const struct tp_moment *moment = &pack->moments[i];
        if (moment->thread != lane->thread || column->size > pack->max_name_bytes)
            break;
        uint64_t time = (uint64_t)moment->ts_ns - (uint64_t)timeline->start_ns;
        is_even = is_even && (pack->unit_ns == 1 || pack->rounds || time % pack->unit_ns == 0);
        if (time > pack->end_ns && pack->is_first)
            pack->end_ns = time;
        tp_pack_reserve_bytes(pack, TP_PACK_MOMENTS, (size_t)4 * TP_PACK_MAX_VARINT);
        tp_pack_add_number(column, time / pack->unit_ns - previous / pack->unit_ns);
        tp_pack_add_number(column, tp_pack_name_number(pack, moment->name, TP_SLICE_ANNOTATION));
        put_argument_text(column, number_text(pack, moment->text.text), moment->text.color);
        previous = time;
        lane->moment_count++;
        timeline->omitted_moment_count--;
    }
    return is_even;
}
