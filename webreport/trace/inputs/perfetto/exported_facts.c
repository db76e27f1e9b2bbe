/* Writes and reads the facts of exported files: see exported_facts.h. */
#include "webreport/trace/inputs/perfetto/exported_facts.h"

#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"
#include "writer/base/put.h"

/* ---- rows ---- */

static void write_row_id(struct tp_buf *out, const struct tp_row_id *id)
{
    if (id->is_text)
        tp_put_string(out, id->text, TP_MAX_NAME_BYTES);
    else
        tp_buf_int(out, id->number);
}

static void write_text(struct tp_buf *out, struct tp_str text)
{
    tp_buf_putc(out, ',');
    tp_put_string(out, text, TP_MAX_NAME_BYTES);
}

void tp_exported_rows_write(struct tp_buf *out, const struct tp_trace *trace)
{
    tp_buf_puts(out, "{\"processes\":[");
    for (uint32_t i = 0; i < trace->process_count; i++) {
        const struct tp_process *process = &trace->processes[i];
        tp_buf_puts(out, i ? ",[" : "[");
        write_row_id(out, &process->pid);
        write_text(out, process->name);
        write_text(out, process->labels);
        if (process->sort_index != TP_NULL_INT) {
            tp_buf_putc(out, ',');
            tp_buf_int(out, process->sort_index);
        }
        tp_buf_putc(out, ']');
    }
    tp_buf_puts(out, "],\"threads\":[");
    for (uint32_t i = 0; i < trace->thread_count; i++) {
        const struct tp_thread *thread = &trace->threads[i];
        tp_buf_puts(out, i ? ",[" : "[");
        write_row_id(out, &thread->pid);
        tp_buf_putc(out, ',');
        write_row_id(out, &thread->tid);
        write_text(out, thread->name);
        tp_buf_putc(out, ']');
    }
    tp_buf_puts(out, "]}");
}

/* Returns a copy of a token with readable bytes after it. */
static struct tp_str keep_token(struct tp_sink *sink, struct tp_str token)
{
    enum { PAD = 16 };
    char *copy = tp_arena_alloc(sink->trace->arena, token.len + PAD);
    memcpy(copy, token.ptr, token.len);
    return (struct tp_str){copy, token.len};
}

static struct tp_row_id read_row_id(struct tp_sink *sink, struct tp_str token)
{
    struct tp_row_id id = {.number = tp_value_int(token)};
    if (tp_value_starts_with(token, '"')) {
        id.is_text = true;
        id.text = tp_value_text(sink->trace->arena, token);
    }
    return id;
}

static struct tp_str read_text(struct tp_sink *sink, struct tp_str token)
{
    struct tp_str text = tp_value_starts_with(token, '"') ? tp_value_text(sink->trace->arena, token) : TP_STR("");
    return text.ptr ? text : TP_STR("");
}

/* Reads up to four items of a list. Missing items have ptr NULL. */
static void read_items(struct tp_str list, struct tp_str items[4])
{
    size_t at = 0;
    for (int i = 0; i < 4; i++)
        if (!tp_value_next(list, &at, NULL, &items[i]))
            items[i] = (struct tp_str){NULL, 0};
}

void tp_exported_rows_read(struct tp_sink *sink, struct tp_vec *rows, struct tp_str json)
{
    struct tp_str processes = tp_value_member(json, "processes"), threads = tp_value_member(json, "threads");
    struct tp_str item, parts[4];
    for (size_t at = 0; processes.ptr && tp_value_next(processes, &at, NULL, &item);) {
        read_items(item, parts);
        if (!parts[2].ptr)
            continue;
        struct tp_row_id pid = read_row_id(sink, parts[0]);
        struct tp_str name = read_text(sink, parts[1]), labels = read_text(sink, parts[2]);
        struct tp_process *process = tp_sink_add_process(sink, &pid);
        process->name = name;
        process->labels = labels;
        process->sort_index = parts[3].ptr ? tp_value_int(parts[3]) : TP_NULL_INT;
    }
    for (size_t at = 0; threads.ptr && tp_value_next(threads, &at, NULL, &item);) {
        read_items(item, parts);
        if (!parts[2].ptr)
            continue;
        struct tp_row_id pid = read_row_id(sink, parts[0]), tid = read_row_id(sink, parts[1]);
        uint32_t thread = tp_sink_add_thread(sink, &pid, &tid);
        tp_sink_set_thread_name(sink, thread, read_text(sink, parts[2]));
        *(struct tp_exported_row *)tp_vec_push(rows) =
            (struct tp_exported_row){keep_token(sink, parts[0]), keep_token(sink, parts[1])};
    }
}

/* ---- notes and dropped rows ---- */

void tp_exported_input_write(struct tp_buf *out, const struct tp_input_facts *input)
{
    tp_buf_puts(out, "{\"notes\":[");
    for (uint32_t i = 0; i < input->note_count; i++) {
        tp_buf_puts(out, i ? "," : "");
        tp_put_string(out, input->notes[i], TP_MAX_NAME_BYTES);
    }
    tp_buf_puts(out, "],\"dropped\":[");
    for (uint32_t i = 0; i < input->dropped_count; i++) {
        const struct tp_dropped_rows *rows = &input->dropped[i];
        tp_buf_printf(out, "%s[%llu,%u", i ? "," : "", (unsigned long long)rows->count, rows->needs);
        write_text(out, rows->what);
        tp_buf_putc(out, ']');
    }
    tp_buf_puts(out, "]}");
}

void tp_exported_input_read(struct tp_sink *sink, struct tp_str json)
{
    struct tp_str notes = tp_value_member(json, "notes"), dropped = tp_value_member(json, "dropped"), item, parts[4];
    for (size_t at = 0; notes.ptr && tp_value_next(notes, &at, NULL, &item);)
        tp_sink_add_note(sink, read_text(sink, item));
    for (size_t at = 0; dropped.ptr && tp_value_next(dropped, &at, NULL, &item);) {
        read_items(item, parts);
        int64_t count = parts[2].ptr ? tp_value_int(parts[0]) : 0, needs = parts[2].ptr ? tp_value_int(parts[1]) : 0;
        struct tp_str what = parts[2].ptr ? read_text(sink, parts[2]) : TP_STR("");
        if (count > 0 && needs >= 0)
            tp_sink_count_dropped(sink, tp_arena_copy(sink->trace->arena, what.ptr, what.len), (uint64_t)count,
                                  (unsigned)needs & TP_NEED_ALL);
    }
}

/* ---- counters of the reader ---- */

/* Counters of struct tp_reading that do not follow from the events. */
static const struct counter {
    const char *name;
    size_t offset;
} counters[] = {
#define COUNTER(member)                                                                                                \
    {                                                                                                                  \
#member, offsetof(struct tp_reading, member)                                                                   \
    }
    COUNTER(element_count),
    COUNTER(missing_dur),
    COUNTER(negative_dur),
    COUNTER(driver),
    COUNTER(other_device_events),
    COUNTER(repaired),
    COUNTER(torch_error_repairs),
    COUNTER(unknown_or_duplicate_keys),
    COUNTER(misnamed_memory_records),
    COUNTER(misspelled_cats),
    COUNTER(skipped_without_cat),
    COUNTER(read_without_cat),
    COUNTER(with_decimals),
    COUNTER(times_with_unexpected_decimals),
    COUNTER(nameless),
    COUNTER(unnumbered),
    COUNTER(numbered_events),
    COUNTER(recorder_number_sum),
    COUNTER(device_link_starts),
    COUNTER(device_link_ends),
    COUNTER(correlated_events),
#undef COUNTER
};

static const struct {
    const char *name;
    size_t offset;
} flags[] = {
    {"is_truncated", offsetof(struct tp_reading, is_truncated)},
    {"has_gzip_error", offsetof(struct tp_reading, has_gzip_error)},
    {"has_old_autograd_names", offsetof(struct tp_reading, has_old_autograd_names)},
    {"lacks_end", 0}, /* written from has_end */
};

static uint64_t *counter_at(struct tp_reading *reading, const struct counter *counter)
{
    return (uint64_t *)(void *)((char *)reading + counter->offset);
}

static void write_number(struct tp_buf *out, const char *name, uint64_t value)
{
    if (value)
        tp_buf_printf(out, "\"%s\":%llu,", name, (unsigned long long)value);
}

/* Writes a list of numbers if one of them is not 0. */
static void write_numbers(struct tp_buf *out, const char *name, const uint64_t *numbers, size_t count)
{
    bool has_some = false;
    for (size_t i = 0; i < count; i++)
        has_some |= numbers[i] != 0;
    if (!has_some)
        return;
    tp_buf_printf(out, "\"%s\":[", name);
    for (size_t i = 0; i < count; i++)
        tp_buf_printf(out, "%s\"%llx\"", i ? "," : "", (unsigned long long)numbers[i]);
    tp_buf_puts(out, "],");
}

void tp_exported_reading_write(struct tp_buf *out, const struct tp_reading *reading, const struct tp_strings *cats)
{
    struct tp_reading copy = *reading;
    tp_buf_putc(out, '{');
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        write_number(out, counters[i].name, *counter_at(&copy, &counters[i]));
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        write_number(out, flags[i].name,
                     flags[i].offset ? *((const char *)reading + flags[i].offset) : !reading->has_end);
    write_number(out, "highest_recorder_number", (uint64_t)reading->highest_recorder_number);
    write_number(out, "links_unreadable", reading->link_sums.is_unreadable);
    write_numbers(out, "link_starts", reading->link_sums.starts, TP_LINK_SUMS);
    write_numbers(out, "link_ends", reading->link_sums.ends, TP_LINK_SUMS);
    if (reading->device_link_starts + reading->device_link_ends) /* sums that links are compared with */
        write_numbers(out, "link_events", reading->link_sums.events, TP_LINK_SUMS);
    write_numbers(out, "skipped", reading->skipped, TP_SKIP_COUNT);
    write_numbers(out, "skipped_by_phase", reading->skipped_by_phase, 128);
    write_numbers(out, "notices", reading->notices, TP_NOTICE_COUNT);
    write_numbers(out, "notice_offset", reading->notice_offset, TP_NOTICE_COUNT);
    tp_buf_puts(out, "\"unknown_categories\":[");
    for (int i = 0; i < TP_UNKNOWN_CATEGORIES && reading->unknown_categories[i].count; i++) {
        const struct tp_unknown_category *unknown = &reading->unknown_categories[i];
        tp_buf_printf(out, "%s[%llu,%lld", i ? "," : "", (unsigned long long)unknown->count,
                      (long long)unknown->time_ns);
        write_text(out, tp_strings_get(cats, unknown->cat));
        tp_buf_putc(out, ']');
    }
    tp_buf_puts(out, "]}");
}

static uint64_t read_number(struct tp_str json, const char *name)
{
    struct tp_str token = tp_value_member(json, name);
    uint64_t number = 0;
    for (size_t i = 0; i < token.len && tp_is_digit(token.ptr[i]); i++)
        number = number * 10 + (uint64_t)(token.ptr[i] - '0');
    return number;
}

/* Returns the number in a JSON string of hexadecimal digits. */
static uint64_t read_hexadecimal(struct tp_str token)
{
    uint64_t number = 0;
    for (size_t i = 1; i + 1 < token.len; i++)
        number = number << 4 | (uint64_t)((token.ptr[i] & 15) + (token.ptr[i] > '9' ? 9 : 0));
    return number;
}

static void read_numbers(struct tp_str json, const char *name, uint64_t *numbers, size_t count)
{
    struct tp_str list = tp_value_member(json, name), item;
    size_t at = 0;
    for (size_t i = 0; i < count && list.ptr && tp_value_next(list, &at, NULL, &item); i++)
        numbers[i] = read_hexadecimal(item);
}

static void read_unknown_categories(struct tp_sink *sink, struct tp_str list)
{
    struct tp_str item, parts[4];
    size_t at = 0;
    for (int i = 0; i < TP_UNKNOWN_CATEGORIES && list.ptr && tp_value_next(list, &at, NULL, &item); i++) {
        read_items(item, parts);
        if (!parts[2].ptr)
            return;
        int64_t count = tp_value_int(parts[0]), time_ns = tp_value_int(parts[1]);
        sink->trace->reading.unknown_categories[i] =
            (struct tp_unknown_category){.count = count > 0 ? (uint64_t)count : 0,
                                         .time_ns = time_ns > 0 ? time_ns : 0,
                                         .cat = tp_sink_intern_text(sink, &sink->cats, read_text(sink, parts[2]))};
    }
}

void tp_exported_reading_read(struct tp_sink *sink, struct tp_str json)
{
    struct tp_reading *reading = &sink->trace->reading;
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        *counter_at(reading, &counters[i]) = read_number(json, counters[i].name);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].offset)
            *(bool *)((char *)reading + flags[i].offset) |= read_number(json, flags[i].name) != 0;
    reading->has_end = reading->has_end && read_number(json, "lacks_end") == 0;
    reading->highest_recorder_number = (int64_t)(read_number(json, "highest_recorder_number") & INT64_MAX);
    reading->link_sums.is_unreadable |= read_number(json, "links_unreadable") != 0;
    read_numbers(json, "link_starts", reading->link_sums.starts, TP_LINK_SUMS);
    read_numbers(json, "link_ends", reading->link_sums.ends, TP_LINK_SUMS);
    read_numbers(json, "link_events", reading->link_sums.events, TP_LINK_SUMS);
    read_numbers(json, "skipped", reading->skipped, TP_SKIP_COUNT);
    read_numbers(json, "skipped_by_phase", reading->skipped_by_phase, 128);
    uint64_t cut = reading->notices[TP_NOTICE_ENDS_EARLY];
    read_numbers(json, "notices", reading->notices, TP_NOTICE_COUNT);
    read_numbers(json, "notice_offset", reading->notice_offset, TP_NOTICE_COUNT);
    reading->notices[TP_NOTICE_ENDS_EARLY] += cut;
    read_unknown_categories(sink, tp_value_member(json, "unknown_categories"));
}
