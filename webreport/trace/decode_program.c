/* Decodes elements that only recordings of `record --outside` have: states of threads, processes, memory of processes.
 * See decode.h.
 *
 * These elements have many arguments. So the functions scan the text of the event for them, instead of using spans. */
#include "webreport/trace/decode_parts.h"

/* Returns a scan over the members of the event's arguments, to be used with tp_scan_member. */
static struct tp_scan start_args_scan(const struct tp_element *e)
{
    return tp_scan_members(tp_element_args_text(e->text));
}

static int64_t parse_integer(struct tp_decoder *d, const struct tp_element *e, struct tp_str token)
{
    int64_t value;
    enum tp_number_status status = tp_number_parse_int(token, &value);
    if (status == TP_NUMBER_RANGE)
        tp_sink_count_notice(d->sink, TP_NOTICE_ID_RANGE, e->offset);
    return status == TP_NUMBER_OK ? value : TP_NULL_INT;
}

static uint32_t intern_token(struct tp_decoder *d, const struct tp_element *e, struct tp_interner *interner,
                             struct tp_str token)
{
    return tp_token_is_string(token) && token.len > 2 ? tp_element_intern(d, e, interner, tp_token_contents(token))
                                                      : TP_NO_ID;
}

/* Reads the start and the duration, ns. A missing or negative duration becomes 0 and is counted, as for complete
 * events. */
static void read_times(struct tp_decoder *d, const struct tp_element *e, int64_t *ts_ns, int64_t *dur_ns)
{
    *ts_ns = *dur_ns = 0;
    tp_element_time(d, e, TP_FIELD_TS, ts_ns);
    if (tp_element_time(d, e, TP_FIELD_DUR, dur_ns) != TP_NUMBER_OK || *dur_ns < 0)
        *dur_ns = 0;
}

void tp_decode_state(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_state state = {.cause = TP_NO_ID, .stack = TP_NO_ID};
    struct tp_str name = tp_strings_get(&d->trace->names, e->name_id), key, value;
    while (state.state < TP_STATE_COUNT && !tp_str_equal(name, tp_str_of(tp_thread_state_name(state.state))))
        state.state++;
    if (state.state == TP_STATE_COUNT)
        return;
    read_times(d, e, &state.ts_ns, &state.dur_ns);
    if (state.state == TP_STATE_BLOCKED)
        for (struct tp_scan scan = start_args_scan(e); tp_scan_member(&scan, &key, &value);) {
            if (tp_str_equal(key, TP_STR("cause")))
                state.cause = intern_token(d, e, &d->sink->texts, value);
            else if (tp_str_equal(key, TP_STR("stack")))
                state.stack = intern_token(d, e, &d->sink->stacks, value);
            else if (tp_str_equal(key, TP_STR("estimated")))
                state.is_estimated = true;
            else if (tp_str_equal(key, TP_STR("recording")))
                state.is_recording = true;
        }
    state.thread = tp_element_thread(d, e);
    tp_sink_add_state(d->sink, &state);
}

static void read_process_arg(struct tp_decoder *d, const struct tp_element *e, struct tp_recorded_process *process,
                             struct tp_str key, struct tp_str value)
{
    const struct {
        const char *key;
        int64_t *number;
    } numbers[] = {{"ppid", &process->parent_pid},
                   {"exit", &process->exit_code},
                   {"signal", &process->signal},
                   {"peak resident bytes", &process->peak_bytes},
                   {"read bytes", &process->read_bytes},
                   {"written bytes", &process->written_bytes},
                   {"disk read bytes", &process->disk_read_bytes},
                   {"disk written bytes", &process->disk_written_bytes}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (tp_str_equal(key, tp_str_of(numbers[i].key)))
            *numbers[i].number = parse_integer(d, e, value);
    if (tp_str_equal(key, TP_STR("end")))
        process->end = intern_token(d, e, &d->sink->texts, value);
    if (tp_str_equal(key, TP_STR("execs")) && value.ptr[0] == '[')
        process->execs = tp_element_intern(d, e, &d->sink->values, value);
}

void tp_decode_process(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_recorded_process process = {.parent_pid = TP_NULL_INT,
                                          .exit_code = TP_NULL_INT,
                                          .signal = TP_NULL_INT,
                                          .peak_bytes = TP_NULL_INT,
                                          .read_bytes = TP_NULL_INT,
                                          .written_bytes = TP_NULL_INT,
                                          .disk_read_bytes = TP_NULL_INT,
                                          .disk_written_bytes = TP_NULL_INT,
                                          .name = e->name_id,
                                          .end = TP_NO_ID,
                                          .execs = TP_NO_ID};
    struct tp_str key, value;
    read_times(d, e, &process.ts_ns, &process.dur_ns);
    for (struct tp_scan scan = start_args_scan(e); tp_scan_member(&scan, &key, &value);)
        read_process_arg(d, e, &process, key, value);
    process.thread = tp_element_thread(d, e);
    tp_sink_add_recorded_process(d->sink, &process);
}

void tp_decode_process_memory(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_process_memory look = {.bytes = TP_NULL_INT};
    struct tp_str key, value;
    if (!tp_str_equal(tp_span_text(e->spans, TP_FIELD_NAME), TP_STR("\"process memory\"")) ||
        tp_element_time(d, e, TP_FIELD_TS, &look.ts_ns) != TP_NUMBER_OK)
        return;
    for (struct tp_scan scan = start_args_scan(e); tp_scan_member(&scan, &key, &value);)
        if (tp_str_equal(key, TP_STR("resident bytes"))) {
            double bytes = tp_number_parse_real(value);
            look.bytes = bytes >= 0 && bytes < 9e18 ? (int64_t)bytes : TP_NULL_INT;
        }
    if (look.bytes == TP_NULL_INT)
        return;
    look.thread = tp_element_thread(d, e);
    tp_sink_add_process_memory(d->sink, &look);
}
