/* Decides from the text of an element whether a filter keeps the element: see raw_filter.h. */
#include "webreport/export/chrome/raw_filter.h"

#include "webreport/export/chrome/chrome.h"
#include "webreport/model/steps_part.h"
#include "webreport/trace/decode_parts.h"

void tp_raw_filter_init(struct tp_raw_filter *filter, const struct tp_filter_trace *kept, const struct tp_trace *trace,
                        struct tp_arena *arena)
{
    struct tp_trace *rows = tp_arena_alloc(arena, sizeof *rows);
    filter->kept = *kept;
    filter->has_time = kept->from_ns != INT64_MIN || kept->until_ns != INT64_MAX;
    filter->has_threads = kept->filter->options.thread_count > 0;
    filter->has_categories = kept->filter->options.category_count > 0;
    filter->is_row_kept_by_number = TP_VEC(arena, uint8_t);
    filter->place_size = 0;
    filter->launched_count = 0;
    tp_sink_open(&filter->sink, rows, arena, NULL);
    tp_decoder_init(&filter->rows, &filter->sink, NULL);
    if (filter->has_threads)
        tp_sink_copy_threads(&filter->sink, trace);
}

void tp_raw_filter_add_launched(struct tp_raw_filter *filter, const struct tp_model *model)
{
    const struct tp_trace *trace = model->trace;
    uint8_t *bits = tp_arena_array(model->arena, trace->reading.element_count / 8 + 1, 1);
    bool has_any = false;
    const struct tp_steps_extent extent = {filter->kept.from_ns, filter->kept.until_ns, filter->kept.host_until_ns};
    for (uint32_t i = 0; i < model->devices.count; i++) {
        uint32_t ordinal = tp_device_event(model, i)->ordinal;
        if (!tp_steps_extent_launched(&extent, model, i))
            continue;
        bits[ordinal / 8] |= (uint8_t)(1 << ordinal % 8);
        has_any = true;
    }
    if (!has_any)
        return;
    filter->kept.until_ns = filter->kept.host_until_ns;
    filter->launched = bits;
    filter->launched_count = trace->reading.element_count;
}

void tp_raw_filter_release(struct tp_raw_filter *filter)
{
    tp_decoder_release(&filter->rows);
    tp_sink_release(&filter->sink);
}

static char event_phase(const struct tp_spans *spans)
{
    struct tp_str ph = tp_span_text(spans, TP_FIELD_PH);
    return ph.len == 3 ? ph.ptr[1] : '\0';
}

bool tp_raw_filter_is_row_name(const struct tp_event_text *event)
{
    char phase = event_phase(event->spans);
    return phase == 'M' || phase == '\0';
}

static struct tp_str field_contents(const struct tp_spans *spans, enum tp_field field)
{
    struct tp_str token = tp_span_text(spans, field);
    return tp_token_is_string(token) ? tp_token_contents(token) : TP_STR("");
}

static bool keeps_time(const struct tp_raw_filter *filter, const struct tp_event_text *event, char phase)
{
    const struct tp_spans *spans = event->spans;
    int64_t ts, dur = 0;
    if (!filter->has_time)
        return true;
    if (event->ordinal < filter->launched_count && filter->launched[event->ordinal / 8] >> event->ordinal % 8 & 1)
        return true; /* if the file has grown since it was read, the new elements have no bit in `launched` */
    if (tp_number_parse_time(tp_span_text(spans, TP_FIELD_TS), &ts) != TP_NUMBER_OK)
        return false;
    if (phase == 'X' && (tp_number_parse_time(tp_span_text(spans, TP_FIELD_DUR), &dur) != TP_NUMBER_OK || dur < 0))
        dur = 0;
    return tp_filter_keeps_time(&filter->kept, ts, ts + dur);
}

static bool keeps_thread(struct tp_raw_filter *filter, const struct tp_spans *spans)
{
    if (!filter->has_threads)
        return true;
    uint32_t row =
        tp_rows_thread_number(&filter->rows, tp_span_text(spans, TP_FIELD_PID), tp_span_text(spans, TP_FIELD_TID));
    while (filter->is_row_kept_by_number.count < filter->sink.threads.count) {
        const struct tp_thread *thread =
            TP_AT(&filter->sink.threads, struct tp_thread, filter->is_row_kept_by_number.count);
        bool is_kept = tp_filter_keeps_thread(filter->kept.filter, thread);
        *(uint8_t *)tp_vec_push(&filter->is_row_kept_by_number) = is_kept;
    }
    return *TP_AT(&filter->is_row_kept_by_number, uint8_t, row);
}

/* Returns whether the filter keeps the element's category, or the category that current torch versions write for the
 * same kind of event. The category "kernel" of the option therefore also matches "Kernel" in older traces. */
static bool keeps_category(const struct tp_raw_filter *filter, const struct tp_spans *spans, char phase)
{
    struct tp_str cat = field_contents(spans, TP_FIELD_CAT);
    if (tp_filter_keeps_category(filter->kept.filter, cat))
        return true;
    if (phase == 'C')
        return tp_filter_keeps_category(filter->kept.filter, TP_STR("counter"));
    struct tp_cat_meaning meaning = tp_cat_meaning_by_name(cat);
    const char *usual = tp_chrome_category_of_kind(meaning.kind);
    return usual && !meaning.is_driver && tp_filter_keeps_category(filter->kept.filter, tp_str_of(usual));
}

/* Joins pid, tid and ts to one text with `size` bytes. Returns false if the text is too long. */
static bool join_pid_tid_and_ts(const struct tp_spans *spans, char place[TP_RAW_PLACE], size_t *size)
{
    static const enum tp_field fields[] = {TP_FIELD_PID, TP_FIELD_TID, TP_FIELD_TS};
    *size = 0;
    for (size_t i = 0; i < 3; i++) {
        struct tp_str token = tp_span_text(spans, fields[i]);
        if (token.len + 1 > TP_RAW_PLACE - *size)
            return false;
        memcpy(place + *size, token.ptr, token.len);
        *size += token.len;
        place[(*size)++] = '\n';
    }
    return true;
}

/* Returns whether the element has the same pid, tid and ts as the previous slice, and the filter kept the previous
 * slice. */
static bool follows_kept_slice(const struct tp_raw_filter *filter, const struct tp_spans *spans)
{
    char place[TP_RAW_PLACE];
    size_t size;
    return filter->place_size && join_pid_tid_and_ts(spans, place, &size) && size == filter->place_size &&
           memcmp(place, filter->place, size) == 0;
}

bool tp_raw_filter_keeps(struct tp_raw_filter *filter, const struct tp_event_text *event)
{
    const struct tp_spans *spans = event->spans;
    if (!spans)
        return !filter->has_time && !filter->has_threads && !filter->has_categories;
    char phase = event_phase(spans);
    if (phase == 'M')
        return tp_str_starts(field_contents(spans, TP_FIELD_NAME), "process_") || keeps_thread(filter, spans);
    bool is_kept = keeps_time(filter, event, phase) && keeps_thread(filter, spans) &&
                   (!filter->has_categories || keeps_category(filter, spans, phase));
    if (phase == 's' || phase == 't' || phase == 'f')
        return is_kept || follows_kept_slice(filter, spans);
    if (!is_kept || phase != 'X' || !join_pid_tid_and_ts(spans, filter->place, &filter->place_size))
        filter->place_size = 0;
    return is_kept;
}
