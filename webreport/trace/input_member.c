/* Reads the member "tracepress_input": see input_member.h. The member is an object such as
 *   {"producer": "Nsight Systems 2026.2.1", "missing": ["occupancy"], "notes": [], "dropped": {"device rows": 3},
 *    "counters": [{"device": 0, "name": "Power (W)", "time_ns": 1000, "value": 300.5}]}
 * Instead of time and value, a counter may have statistics of all samples: {"samples": 60, "min": 300, "mean": 320,
 * "max": 350}. */
#include "webreport/trace/input_member.h"

#include <math.h>

#include "webreport/trace/json/number.h"
#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"

/* Numbers that dropped rows affect, by the text of the rows. Rows without a match affect no number, because the reader
 * dropped them on purpose. */
static const struct {
    const char *what;
    unsigned needs;
} damage[] = {
    {"device rows", TP_NEED_DEVICE},
    {"host rows", TP_NEED_HOST | TP_NEED_RUNTIME},
    {"end before start", TP_NEED_HOST | TP_NEED_DEVICE | TP_NEED_RUNTIME},
    {"ends without a begin", TP_NEED_HOST},
    {"slices without an end", TP_NEED_HOST},
    {"packets that need lost state", TP_NEED_ALL},
    {"packets with a broken field", TP_NEED_ALL},
    {"sequences with lost packets", TP_NEED_ALL},
    {"events with an unknown clock", TP_NEED_ALL},
};

static unsigned needs_of_dropped_rows(struct tp_str what)
{
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++)
        if (tp_str_equal(what, tp_str_of(damage[i].what)))
            return damage[i].needs;
    return 0;
}

static void read_unknown_kinds(struct tp_sink *sink, struct tp_str list)
{
    struct tp_str item;
    for (size_t at = 0; tp_value_starts_with(list, '[') && tp_value_next(list, &at, NULL, &item);)
        tp_sink_add_unknown(sink, tp_unknown_by_word(tp_value_text(sink->trace->arena, item)));
}

static void read_notes(struct tp_sink *sink, struct tp_str list)
{
    struct tp_str item;
    for (size_t at = 0; tp_value_starts_with(list, '[') && tp_value_next(list, &at, NULL, &item);)
        if (tp_value_starts_with(item, '"'))
            tp_sink_add_note(sink, tp_value_text(sink->trace->arena, item));
}

static void read_dropped_rows(struct tp_sink *sink, struct tp_str object)
{
    struct tp_arena *arena = sink->trace->arena;
    struct tp_str key, item;
    for (size_t at = 0; tp_value_starts_with(object, '{') && tp_value_next(object, &at, &key, &item);) {
        int64_t count = tp_value_int(item);
        struct tp_str what = tp_value_text(arena, key);
        if (count > 0)
            tp_sink_count_dropped(sink, tp_arena_copy(arena, what.ptr, what.len), (uint64_t)count,
                                  needs_of_dropped_rows(what));
    }
}

/* Reads the statistics of a counter, which a converter writes in place of the samples. name: JSON string. */
static void read_counter_stats(struct tp_sink *sink, struct tp_str name, struct tp_str object)
{
    struct tp_device_counter_stats stats = {.device = tp_value_int(tp_value_member(object, "device")),
                                            .sample_count = tp_value_int(tp_value_member(object, "samples")),
                                            .min = tp_number_parse_real(tp_value_member(object, "min")),
                                            .mean = tp_number_parse_real(tp_value_member(object, "mean")),
                                            .max = tp_number_parse_real(tp_value_member(object, "max"))};
    if (stats.sample_count <= 0 || !isfinite(stats.min) || !isfinite(stats.mean) || !isfinite(stats.max))
        return;
    stats.name = tp_sink_intern_text(sink, &sink->texts, tp_value_text(sink->trace->arena, name));
    tp_sink_add_device_counter_stats(sink, &stats);
}

static void read_counters(struct tp_sink *sink, struct tp_str list)
{
    struct tp_arena *arena = sink->trace->arena;
    struct tp_str item;
    for (size_t at = 0; tp_value_starts_with(list, '[') && tp_value_next(list, &at, NULL, &item);) {
        struct tp_str name = tp_value_member(item, "name"), value = tp_value_member(item, "value");
        struct tp_device_counter counter = {.ts_ns = tp_value_int(tp_value_member(item, "time_ns")),
                                            .device = tp_value_int(tp_value_member(item, "device")),
                                            .value = tp_number_parse_real(value)};
        if (!tp_value_starts_with(name, '"') || counter.device == TP_NULL_INT)
            continue;
        if (counter.ts_ns == TP_NULL_INT || !isfinite(counter.value)) {
            read_counter_stats(sink, name, item);
            continue;
        }
        counter.name = tp_sink_intern_text(sink, &sink->texts, tp_value_text(arena, name));
        tp_sink_add_device_counter(sink, &counter);
    }
}

/* Returns whether torch.profiler wrote the events of a converted file. */
static bool is_producer_torch(struct tp_str producer)
{
    return tp_str_starts(producer, "PyTorch, Cuspy") || tp_str_starts(producer, "merged ranks");
}

void tp_input_member_read(struct tp_sink *sink)
{
    struct tp_str member = {NULL, 0};
    for (size_t i = 0; i < sink->members.count; i++) {
        const struct tp_header_value *value = TP_AT(&sink->members, struct tp_header_value, i);
        member = tp_str_equal(value->key, TP_STR("tracepress_input")) ? value->value : member;
    }
    if (!tp_value_starts_with(member, '{'))
        return;
    struct tp_str producer = tp_value_member(member, "producer");
    if (tp_value_starts_with(producer, '"')) {
        producer = tp_value_text(sink->trace->arena, producer);
        tp_sink_set_producer(sink, producer);
        sink->trace->input.is_of_torch_profiler = is_producer_torch(producer);
    }
    read_unknown_kinds(sink, tp_value_member(member, "missing"));
    read_notes(sink, tp_value_member(member, "notes"));
    read_dropped_rows(sink, tp_value_member(member, "dropped"));
    read_counters(sink, tp_value_member(member, "counters"));
}
