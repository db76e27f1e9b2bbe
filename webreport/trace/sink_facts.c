/* Stores what a reader reports about its input: see sink.h and input_facts.h. */
#include <math.h>
#include <string.h>

#include "webreport/trace/sink.h"
#include "writer/base/limits.h"

static struct tp_str copy(struct tp_sink *sink, struct tp_str text)
{
    return (struct tp_str){tp_arena_copy(sink->trace->arena, text.ptr, text.len), text.len};
}

void tp_sink_set_producer(struct tp_sink *sink, struct tp_str producer)
{
    sink->trace->input.producer = copy(sink, producer);
}

void tp_sink_add_unknown(struct tp_sink *sink, uint32_t unknown)
{
    sink->trace->input.unknown |= unknown;
}

void tp_sink_add_note(struct tp_sink *sink, struct tp_str note)
{
    for (size_t i = 0; i < sink->notes.count; i++)
        if (tp_str_equal(*TP_AT(&sink->notes, struct tp_str, i), note))
            return;
    if (sink->notes.count < TP_MAX_INPUT_NOTES)
        *(struct tp_str *)tp_vec_push(&sink->notes) = copy(sink, note);
}

void tp_sink_count_dropped(struct tp_sink *sink, const char *what, uint64_t count, unsigned needs)
{
    struct tp_dropped_rows *row = NULL;
    for (size_t i = 0; i < sink->dropped.count && !row; i++) {
        struct tp_dropped_rows *other = TP_AT(&sink->dropped, struct tp_dropped_rows, i);
        row = tp_str_equal(other->what, tp_str_of(what)) ? other : NULL;
    }
    if (!row && sink->dropped.count == TP_MAX_INPUT_NOTES)
        row = TP_AT(&sink->dropped, struct tp_dropped_rows, TP_MAX_INPUT_NOTES - 1);
    if (!row) {
        row = tp_vec_push(&sink->dropped);
        *row = (struct tp_dropped_rows){.what = copy(sink, tp_str_of(what))};
    }
    row->count += count;
    row->needs |= needs;
}

void tp_sink_add_device_counter(struct tp_sink *sink, const struct tp_device_counter *counter)
{
    if (!isfinite(counter->value)) {
        tp_sink_count_dropped(sink, "samples of counters without a number", 1, 0);
        return;
    }
    *(struct tp_device_counter *)tp_vec_push(&sink->device_counters) = *counter;
}

void tp_sink_add_device_counter_stats(struct tp_sink *sink, const struct tp_device_counter_stats *stats)
{
    *(struct tp_device_counter_stats *)tp_vec_push(&sink->device_counter_stats) = *stats;
}
