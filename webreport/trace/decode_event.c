/* Decodes events: see decode.h. The order of the checks is the order in section 2 of docs/definitions.md, because
 * each skipped event counts only for the first reason that applies. */
#include "webreport/trace/decode.h"

#include "webreport/trace/copy_class.h"
#include "webreport/trace/decode_parts.h"

/* ---- complete events (phase X) ---- */

/* Returns the kind of an event without a category, known from the process of the event. */
static uint8_t kind_by_process(struct tp_decoder *d, const struct tp_element *e)
{
    const struct tp_process *process = tp_rows_find_process(d, tp_span_text(e->spans, TP_FIELD_PID));
    unsigned kind =
        process ? tp_kind_by_process(process->name, process->labels, tp_strings_get(&d->trace->names, e->name_id),
                                     tp_span_text(e->spans, TP_ARG_TASK_TYPE))
                : TP_KIND_NONE;
    if (!kind)
        tp_decode_ascend_skip(d, process ? process->name : TP_STR(""));
    return (uint8_t)kind;
}

/* Counts an event of an unknown category, with its duration. */
static void count_unknown_category(struct tp_decoder *d, const struct tp_element *e)
{
    int64_t dur = 0;
    if (tp_element_time(d, e, TP_FIELD_DUR, &dur) != TP_NUMBER_OK || dur < 0)
        dur = 0;
    tp_sink_count_unknown_category(d->sink, e->cat_id, dur);
}

/* Returns whether an event of a category whose events are not read is an operation of a Gaudi device. Its profiler
 * uses one category for all events of a device, whose process is not one of the host. */
static bool is_gaudi_operation(struct tp_decoder *d, const struct tp_element *e)
{
    if (!e->cat.is_other_device || !tp_str_equal(tp_strings_get(&d->trace->cats, e->cat_id), TP_STR("hpu_op")))
        return false;
    const struct tp_process *process = tp_rows_find_process(d, tp_span_text(e->spans, TP_FIELD_PID));
    return process && process->labels.len && !tp_str_starts(process->labels, "CPU");
}

/* Returns the kind of an event from its category, name and arguments, or from its process if it has no category. */
static unsigned event_kind(struct tp_decoder *d, const struct tp_element *e, unsigned *flags)
{
    if (is_gaudi_operation(d, e))
        return TP_KIND_KERNEL;
    unsigned kind = tp_sink_event_kind(&e->cat, e->name, tp_span_has_value(e->spans, TP_ARG_MODULE_ID), flags);
    return kind || tp_strings_get(&d->trace->cats, e->cat_id).len ? kind : kind_by_process(d, e);
}

/* Returns the duration in ns. A missing or negative duration is counted and becomes 0. */
static int64_t read_duration(struct tp_decoder *d, const struct tp_element *e, unsigned kind)
{
    struct tp_reading *reading = &d->trace->reading;
    int64_t dur = 0;
    enum tp_number_status status = tp_element_time(d, e, TP_FIELD_DUR, &dur);
    if (status == TP_NUMBER_RANGE)
        tp_sink_count_notice(d->sink, TP_NOTICE_TIME_RANGE, e->offset);
    if (status != TP_NUMBER_OK) {
        reading->missing_dur += kind != TP_KIND_OTHER;
        return 0;
    }
    if (dur >= 0)
        return dur;
    reading->negative_dur += kind != TP_KIND_OTHER;
    tp_sink_count_notice(d->sink, TP_NOTICE_NEGATIVE_DURATION, e->offset);
    return 0;
}

/* Returns true if the arguments of a kernel name a collective or a process group. Recorders write such arguments
 * only for kernels that communicate. */
static bool has_process_group(const struct tp_element *e)
{
    const uint64_t keys = 1ull << TP_ARG_COLLECTIVE | 1ull << TP_ARG_GROUP_NAME | 1ull << TP_ARG_GROUP_DESCRIPTION |
                          1ull << TP_ARG_GROUP_SIZE;
    return e->spans->has & keys || tp_kind_is_communication_task(tp_span_text(e->spans, TP_ARG_TASK_TYPE));
}

/* Returns the range kind that the argument "kind" of the event names; TP_RANGE_NONE without this argument. */
static enum tp_range_kind declared_range_kind(const struct tp_element *e)
{
    struct tp_str word = tp_span_text(e->spans, TP_ARG_KIND);
    return tp_token_is_string(word) ? tp_range_kind_by_text(tp_token_contents(word)) : TP_RANGE_NONE;
}

/* Delivers the arguments that the program gave to a range or to a work item of a device. Device operations that a
 * profiler recorded have a correlation and are excluded. */
static void deliver_arguments(struct tp_decoder *d, const struct tp_element *e, const struct tp_event *event)
{
    bool is_work = tp_kind_is_device(event->kind) && !tp_spans_has(e->spans, TP_ARG_CORRELATION);
    if (event->kind == TP_KIND_ANNOTATION || is_work)
        tp_decode_arguments(d, e);
}

/* Returns the id of a name that the decoder composed in the buffer `text`. */
static uint32_t intern_generated_name(struct tp_decoder *d, struct tp_buf *text)
{
    uint32_t id;
    /* padding, because the interner reads up to 15 bytes after the end of a text */
    tp_buf_add(text, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 15);
    if (text->failed)
        tp_arena_fail(d->trace->arena, text->failed);
    id = tp_interner_add(&d->sink->names, (struct tp_str){text->data, text->size - 15})->id;
    tp_sink_classify_new_names(d->sink);
    return id;
}

/* Returns the id of the name of a copy or a memory set: the name in Kineto's form if the arguments give it,
 * otherwise the name in the file. */
static uint32_t copy_name_id(struct tp_decoder *d, const struct tp_element *e, unsigned kind)
{
    struct tp_buf *text = &d->row_key;
    d->cuspy.is_recognized |= tp_spans_has(e->spans, kind == TP_KIND_MEMCPY ? TP_ARG_COPY_KIND : TP_ARG_MEMORY_KIND);
    tp_buf_clear(text);
    bool has_name = kind == TP_KIND_MEMCPY
                        ? tp_spans_has(e->spans, TP_ARG_COPY_KIND) &&
                              tp_copy_name_from_args(text, tp_span_text(e->spans, TP_ARG_COPY_KIND),
                                                     tp_span_text(e->spans, TP_ARG_SOURCE_KIND),
                                                     tp_span_text(e->spans, TP_ARG_TARGET_KIND))
                        : tp_spans_has(e->spans, TP_ARG_MEMORY_KIND) &&
                              tp_set_name_from_args(text, tp_span_text(e->spans, TP_ARG_MEMORY_KIND));
    return has_name ? intern_generated_name(d, text) : e->name_id;
}

/* Counts properties of a skipped event that help to recognize the producer of the file. */
static void count_facts_of_skipped_event(struct tp_decoder *d, const struct tp_element *e, unsigned kind, bool has_time)
{
    struct tp_str pid = tp_span_text(e->spans, TP_FIELD_PID);
    d->trace->reading.has_old_autograd_names |=
        tp_str_equal(pid, TP_STR("\"CPU functions\"")) || tp_str_equal(pid, TP_STR("\"CUDA functions\""));
    if (kind == TP_KIND_NONE && has_time && !e->cat.is_state && !e->cat.is_process)
        count_unknown_category(d, e);
}

/* Reads the argument "correlation" of an event into the slice. */
static void read_correlation(struct tp_decoder *d, const struct tp_element *e, struct tp_sink_slice *slice)
{
    slice->has_correlation = tp_spans_has(e->spans, TP_ARG_CORRELATION);
    if (slice->has_correlation && tp_element_parse_int(d, e, TP_ARG_CORRELATION, &slice->correlation) != TP_NUMBER_OK)
        slice->correlation = TP_NULL_INT;
}

/* Returns the event flags that follow from the arguments of an event. */
static unsigned event_flags_by_arguments(const struct tp_element *e)
{
    struct tp_str finished = tp_span_text(e->spans, TP_ARG_FINISHED);
    unsigned flags = finished.len == 5 && memcmp(finished.ptr, "false", 5) == 0 ? TP_EVENT_UNFINISHED : 0;
    bool has_dims = tp_spans_has(e->spans, TP_ARG_INPUT_DIMS) || tp_spans_has(e->spans, TP_ARG_INPUT_DIMS_OLD);
    return has_dims ? flags | TP_EVENT_HAS_INPUT_DIMS : flags;
}

/* Counts a time as one with exactly three decimals or as one with another number of decimals. */
static void count_decimals(struct tp_reading *reading, struct tp_str time)
{
    bool has_three = time.len > 4 && time.ptr[time.len - 4] == '.';
    reading->with_decimals += has_three;
    reading->times_with_unexpected_decimals += !has_three;
}

/* Counts a complete event that is skipped. */
static void count_skipped_event(struct tp_decoder *d, const struct tp_element *e, unsigned kind, bool has_time)
{
    struct tp_reading *reading = &d->trace->reading;
    reading->misspelled_cats += kind == TP_KIND_NONE && e->cat.is_misspelled;
    reading->skipped_without_cat += kind == TP_KIND_NONE && !tp_spans_has(e->spans, TP_FIELD_CAT);
    tp_sink_count_skipped(d->sink, kind == TP_KIND_NONE ? TP_SKIP_UNKNOWN_CATEGORY : TP_SKIP_NO_TIME);
    count_facts_of_skipped_event(d, e, kind, has_time);
    if (has_time)
        /* the recorder numbers events of new categories too; without this call, the number would seem to be missing */
        tp_decode_number(d, e);
}

/* Counts unusual spellings in the text of a complete event: odd decimals, a missing category. */
static void count_unusual_spellings(struct tp_reading *reading, const struct tp_element *e)
{
    count_decimals(reading, tp_span_text(e->spans, TP_FIELD_TS));
    if (tp_spans_has(e->spans, TP_FIELD_DUR))
        count_decimals(reading, tp_span_text(e->spans, TP_FIELD_DUR));
    reading->read_without_cat += !tp_spans_has(e->spans, TP_FIELD_CAT);
}

/* Decodes a complete event (phase X) that is not a memory record. */
static void decode_complete_event(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_sink_slice slice = {.event = {.name = e->name_id, .ordinal = e->ordinal}, .cat = e->cat_id};
    struct tp_event *event = &slice.event;
    unsigned flags = 0, kind = event_kind(d, e, &flags);
    enum tp_number_status ts = tp_element_time(d, e, TP_FIELD_TS, &event->ts_ns);
    if (ts != TP_NUMBER_OK)
        tp_sink_count_notice(d->sink, ts == TP_NUMBER_RANGE ? TP_NOTICE_TIME_RANGE : TP_NOTICE_EVENT_SKIPPED,
                             e->offset);
    if (ts == TP_NUMBER_OK && e->cat.is_state)
        tp_decode_state(d, e);
    if (ts == TP_NUMBER_OK && e->cat.is_process)
        tp_decode_process(d, e);
    d->trace->reading.nameless +=
        !e->has_name || !tp_spans_has(e->spans, TP_FIELD_PID) || !tp_spans_has(e->spans, TP_FIELD_TID);
    if (kind == TP_KIND_NONE || ts != TP_NUMBER_OK) {
        count_skipped_event(d, e, kind, ts == TP_NUMBER_OK);
        return;
    }
    count_unusual_spellings(&d->trace->reading, e);
    event->dur_ns = read_duration(d, e, kind);
    event->kind = kind & 15;
    if (kind == TP_KIND_MEMCPY || kind == TP_KIND_MEMSET)
        event->name = copy_name_id(d, e, kind);
    tp_decode_cuspy_signs(d, e, kind);
    slice.declared_kind = declared_range_kind(e);
    slice.is_communication = kind == TP_KIND_KERNEL && has_process_group(e);
    tp_decode_number(d, e);
    slice.has_number = tp_spans_has(e->spans, TP_ARG_EVENT_NUMBER);
    read_correlation(d, e, &slice);
    event->flags = (flags | event_flags_by_arguments(e)) & 15;
    event->thread = tp_element_thread(d, e);
    if (d->lists_ranks)
        tp_decode_rank(d, e, event->thread);
    event->detail = tp_decode_detail(d, e, event);
    if (d->sink->wants_arguments && e->spans->has_own_args)
        deliver_arguments(d, e, event);
    if (d->sink->wants_captures || (tp_kind_is_device(kind) && tp_spans_has(e->spans, TP_ARG_GRAPH_ID)) ||
        (kind == TP_KIND_OPERATOR && e->name & TP_NAME_TRITON))
        tp_decode_capture_arguments(d, e, kind);
    tp_sink_slice(d->sink, &slice);
}

/* ---- decoding of one element ---- */

static void read_category(struct tp_decoder *d, struct tp_element *e)
{
    struct tp_str token = tp_span_text(e->spans, TP_FIELD_CAT);
    e->cat_id = tp_element_intern_field(d, e, &d->sink->cats, TP_FIELD_CAT,
                                        tp_token_is_string(token) ? tp_token_contents(token) : TP_STR(""));
    tp_sink_classify_new_cats(d->sink);
    e->cat = *tp_sink_cat_meaning(d->sink, e->cat_id);
}

static void read_name(struct tp_decoder *d, struct tp_element *e)
{
    struct tp_str token = tp_span_text(e->spans, TP_FIELD_NAME);
    e->has_name = tp_token_is_string(token);
    e->name_id = tp_element_intern_field(d, e, &d->sink->names, TP_FIELD_NAME,
                                         e->has_name ? tp_token_contents(token) : TP_STR(""));
    tp_sink_classify_new_names(d->sink);
    e->name = tp_sink_name_meaning(d->sink, e->name_id);
}

static void count_phase(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_reading *reading = &d->trace->reading;
    if (e->ph && strchr("MsftiIRCBEbenPNOD", e->ph))
        reading->skipped_by_phase[(unsigned char)e->ph & 127]++;
    else
        reading->skipped[TP_SKIP_PHASE_UNKNOWN]++;
    if (!e->ph)
        tp_sink_count_notice(d->sink, TP_NOTICE_EVENT_SKIPPED, e->offset);
    d->begin_events += e->ph == 'B';
    d->end_event_count += e->ph == 'E';
}

/* Returns true if an instant has the arguments of a memory record but another name. */
static bool is_lost_memory_record(const struct tp_element *e, struct tp_str cat)
{
    const uint64_t members = 1ull << TP_ARG_MEMORY_BYTES | 1ull << TP_ARG_DEVICE_TYPE | 1ull << TP_ARG_DEVICE_ID;
    bool may_be_memory = !cat.len || tp_str_equal(cat, TP_STR("\"cpu_instant_event\""));
    bool has_its_name = e->name & (TP_NAME_MEMORY | TP_NAME_OUT_OF_MEMORY);
    return may_be_memory && !has_its_name && (e->spans->has & members) == members;
}

/* Decodes an instant that is not a memory record. */
static void decode_instant(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_reading *reading = &d->trace->reading;
    struct tp_str cat = tp_span_text(e->spans, TP_FIELD_CAT);
    if (tp_str_equal(cat, TP_STR("\"tensor\"")))
        tp_decode_tensor(d, e);
    else if (d->sink->wants_arguments && tp_str_equal(cat, TP_STR("\"user_annotation\"")))
        tp_decode_moment(d, e);
    if (e->name & TP_NAME_WINDOW_END)
        reading->has_window_end = tp_element_time(d, e, TP_FIELD_TS, &reading->window_end_ns) == TP_NUMBER_OK;
    reading->misnamed_memory_records += is_lost_memory_record(e, cat);
}

/* Counts the start or the end of a link between a call and a device operation. */
static void count_device_link(struct tp_decoder *d, const struct tp_element *e)
{
    int64_t number, ts_ns;
    if (tp_element_parse_int(d, e, TP_FIELD_ID, &number) != TP_NUMBER_OK ||
        tp_element_time(d, e, TP_FIELD_TS, &ts_ns) != TP_NUMBER_OK)
        number = ts_ns = TP_NULL_INT;
    if (e->ph != 't')
        tp_sink_add_device_link(d->sink, e->ph == 's', number, ts_ns);
    else
        d->trace->reading.link_sums.is_unreadable |= number == TP_NULL_INT;
}

/* Returns true for a link between nodes of a graph. torch's CUPTI backend numbers such links from 2^40 on; links of
 * launches have smaller numbers. */
static bool is_graph_dependency(const struct tp_spans *spans)
{
    enum { LEAST_DIGITS = 13 };
    int64_t id;
    struct tp_str token = tp_span_text(spans, TP_FIELD_ID);
    return token.len >= LEAST_DIGITS && tp_number_parse_int(token, &id) == TP_NUMBER_OK && id >= INT64_C(1) << 40;
}

static void decode_element(struct tp_decoder *d, struct tp_str text, const struct tp_spans *spans, uint32_t ordinal,
                           uint64_t offset)
{
    struct tp_element e = {.text = text, .spans = spans, .offset = offset, .ordinal = ordinal};
    struct tp_str ph = tp_span_text(spans, TP_FIELD_PH);
    e.ph = ph.len == 3 && ph.ptr[0] == '"' && ph.ptr[1] > 0 ? ph.ptr[1] : '\0';
    if (spans->has_bare_word)
        tp_sink_count_notice(d->sink, TP_NOTICE_NOT_A_NUMBER, offset);
    d->trace->reading.unknown_or_duplicate_keys += spans->has_odd_key;
    if (spans->is_nested_too_deep)
        tp_sink_count_notice(d->sink, TP_NOTICE_DEPTH, offset);
    if (e.ph == 'M') {
        count_phase(d, &e);
        tp_rows_read_metadata(d, spans);
        return;
    }
    if (e.ph == 'P') {
        struct tp_str cat = tp_span_text(spans, TP_FIELD_CAT);
        count_phase(d, &e);
        if (tp_str_equal(cat, TP_STR("\"cpu_sample\"")))
            tp_decode_sample(d, &e);
        return;
    }
    /* links are tested first, because most files have many links of category ac2g, which are only counted */
    if (e.ph == 's' || e.ph == 'f' || e.ph == 't') {
        read_category(d, &e);
        if (e.cat.is_device_link && is_graph_dependency(spans))
            d->cuspy.graph_dependencies++;
        else if (e.cat.is_device_link)
            count_device_link(d, &e);
        if (e.cat.is_link && e.ph != 't' && tp_span_has_value(spans, TP_FIELD_ID))
            tp_decode_flow(d, &e);
        else
            count_phase(d, &e);
        tp_decode_ascend_link(d, &e);
        d->trace->reading.nameless += (e.cat.is_link || e.cat.is_device_link) && !tp_spans_has(spans, TP_FIELD_ID);
        return;
    }
    read_name(d, &e);
    bool is_memory =
        e.has_name && e.name & (TP_NAME_MEMORY | TP_NAME_OUT_OF_MEMORY) &&
        (e.ph == 'i' || e.ph == 'I' || e.ph == 'R' || (e.ph == 'X' && tp_spans_has(spans, TP_ARG_MEMORY_BYTES)));
    if (is_memory) {
        tp_decode_memory(d, &e);
    } else if (e.ph == 'X') {
        read_category(d, &e);
        decode_complete_event(d, &e);
    } else {
        count_phase(d, &e);
    }
    if (e.ph == 'C') {
        if (!tp_decode_device_counter(d, &e))
            tp_decode_counter(d, &e);
        tp_decode_process_memory(d, &e);
    }
    if (e.ph == 'B') /* reads the category, because it can show that the producer's files are refused */
        read_category(d, &e);
    if (e.ph == 'b' || e.ph == 'e') {
        read_category(d, &e);
        tp_decode_task_end(d, &e);
    }
    if (e.ph == 'i')
        decode_instant(d, &e);
}

void tp_decoder_event(struct tp_decoder *d, struct tp_str text, const struct tp_spans *spans, uint32_t ordinal,
                      uint64_t offset)
{
    if (!d->part) {
        decode_element(d, text, spans, ordinal, offset);
        return;
    }
    struct tp_spans own = *spans;
    if (tp_decode_selects_event(d, &own))
        decode_element(d, text, &own, ordinal, offset);
    else
        d->other_part_events++;
}

void tp_decoder_finish(struct tp_decoder *d)
{
    if (d->begin_events || d->end_event_count)
        d->trace->reading.notices[TP_NOTICE_UNBALANCED] = d->begin_events + d->end_event_count;
    tp_decode_cuspy_finish(d);
    tp_decode_part_finish(d);
    tp_decode_ranks_finish(d);
    tp_decode_ascend_finish(d);
}
