/* Maps the pid and tid tokens of JSON events to threads: see rows.h. A cache maps recent short tokens to their
 * threads. */
#include "webreport/trace/rows.h"

#include "webreport/trace/json/number.h"
#include "webreport/trace/json/value.h"

/* Parses the text "stream N", which may have trailing blanks. */
static bool parse_stream_number(struct tp_str text, int64_t *number)
{
    if (!tp_str_starts(text, "stream ") || text.len < 8)
        return false;
    struct tp_str digits = {text.ptr + 7, text.len - 7};
    while (digits.len && (digits.ptr[digits.len - 1] == ' ' ||
                          (digits.ptr[digits.len - 1] >= '\t' && digits.ptr[digits.len - 1] <= '\r')))
        digits.len--;
    return digits.len && digits.ptr[0] != '-' && tp_number_parse_int(digits, number) == TP_NUMBER_OK;
}

static struct tp_row_id parse_row_id(struct tp_arena *arena, struct tp_str token)
{
    struct tp_row_id id = {0};
    if (token.len && tp_number_parse_int(token, &id.number) == TP_NUMBER_OK)
        return id;
    struct tp_str text = token.len ? tp_value_text(arena, token) : (struct tp_str){NULL, 0};
    if (!text.ptr)
        text = TP_STR("None");
    if (parse_stream_number(text, &id.number))
        return id;
    id.is_text = true;
    id.text = text;
    return id;
}

static struct tp_str key_buffer_text(const struct tp_buf *key)
{
    return (struct tp_str){key->data ? key->data : "", key->size};
}

static uint32_t thread_by_canonical_key(struct tp_decoder *d, struct tp_str pid, struct tp_str tid)
{
    struct tp_row_id process = parse_row_id(d->trace->arena, pid), thread = parse_row_id(d->trace->arena, tid);
    return tp_sink_add_thread(d->sink, &process, &thread);
}

/* Returns the first 8 bytes of the text as a number, with zero bytes after the end of the text. At least 8 bytes at
 * `text` must be readable, as at any token in the window. */
static inline uint64_t load_eight_bytes(const char *text, size_t len)
{
    uint64_t bytes;
    memcpy(&bytes, text, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return len >= 8 ? bytes : bytes & ((1ull << 8 * len) - 1);
#else
    return len >= 8 ? bytes : bytes >> (64 - 8 * len) << (64 - 8 * len);
#endif
}

static uint32_t find_thread_by_spelling(struct tp_decoder *d, struct tp_str pid, struct tp_str tid)
{
    tp_buf_clear(&d->row_key);
    tp_buf_add(&d->row_key, pid.ptr, pid.len);
    tp_buf_putc(&d->row_key, '\1');
    tp_buf_add(&d->row_key, tid.ptr, tid.len);
    uint32_t spelling = tp_strings_add(&d->row_texts, key_buffer_text(&d->row_key));
    if (spelling == d->thread_by_row_text.count) {
        uint32_t thread = thread_by_canonical_key(d, pid, tid);
        *(uint32_t *)tp_vec_push(&d->thread_by_row_text) = thread;
    }
    return *TP_AT(&d->thread_by_row_text, uint32_t, spelling);
}

uint32_t tp_rows_thread_number(struct tp_decoder *d, struct tp_str pid, struct tp_str tid)
{
    /* true also for absent tokens, of which 8 bytes cannot be read: their length 0 minus 1 wraps to the maximum */
    if (pid.len - 1 >= 8 || tid.len - 1 >= 16)
        return find_thread_by_spelling(d, pid, tid);
    struct tp_row_cache_entry row = {.pid = load_eight_bytes(pid.ptr, pid.len),
                                     .tid = {load_eight_bytes(tid.ptr, tid.len), 0},
                                     .pid_token_bytes = (uint8_t)pid.len,
                                     .tid_token_bytes = (uint8_t)tid.len};
    if (tid.len > 8)
        row.tid[1] = load_eight_bytes(tid.ptr + 8, tid.len - 8);
    uint64_t hash = (row.pid ^ row.tid[0] * 3 ^ row.tid[1] * 5) * 0x9E3779B97F4A7C15ull;
    struct tp_row_cache_entry *seen = &d->row_cache[hash >> 58];
    if (seen->pid == row.pid && seen->tid[0] == row.tid[0] && seen->tid[1] == row.tid[1] &&
        seen->pid_token_bytes == row.pid_token_bytes && seen->tid_token_bytes == row.tid_token_bytes)
        return seen->thread;
    row.thread = find_thread_by_spelling(d, pid, tid);
    *seen = row;
    return row.thread;
}

static struct tp_process *find_process(struct tp_decoder *d, struct tp_str pid)
{
    struct tp_row_id id = parse_row_id(d->trace->arena, pid);
    return tp_sink_add_process(d->sink, &id);
}

const struct tp_process *tp_rows_find_process(struct tp_decoder *d, struct tp_str pid)
{
    struct tp_row_id id = parse_row_id(d->trace->arena, pid);
    return tp_sink_find_process(d->sink, &id);
}

/* Interns the text of a string argument, so that a label that 60,000 metadata records repeat needs memory only once. */
static struct tp_str intern_argument_text(struct tp_decoder *d, const struct tp_spans *spans, enum tp_field field)
{
    struct tp_str token = tp_spans_has(spans, field) ? spans->field[field] : TP_STR("");
    if (token.len < 2 || token.ptr[0] != '"')
        return TP_STR("");
    return tp_sink_text_by_id(d->sink,
                              tp_interner_add(&d->sink->texts, (struct tp_str){token.ptr + 1, token.len - 2})->id);
}

void tp_rows_read_metadata(struct tp_decoder *d, const struct tp_spans *spans)
{
    struct tp_str name = tp_spans_has(spans, TP_FIELD_NAME) ? spans->field[TP_FIELD_NAME] : TP_STR("");
    struct tp_str pid = tp_spans_has(spans, TP_FIELD_PID) ? spans->field[TP_FIELD_PID] : TP_STR("");
    struct tp_str tid = tp_spans_has(spans, TP_FIELD_TID) ? spans->field[TP_FIELD_TID] : TP_STR("");
    if (tp_str_equal(name, TP_STR("\"thread_name\""))) {
        uint32_t thread = tp_rows_thread_number(d, pid, tid);
        tp_sink_set_thread_name(d->sink, thread, intern_argument_text(d, spans, TP_ARG_NAME));
    } else if (tp_str_equal(name, TP_STR("\"process_name\""))) {
        find_process(d, pid)->name = intern_argument_text(d, spans, TP_ARG_NAME);
    } else if (tp_str_equal(name, TP_STR("\"process_labels\""))) {
        find_process(d, pid)->labels = intern_argument_text(d, spans, TP_ARG_LABELS);
    } else if (tp_str_equal(name, TP_STR("\"process_sort_index\"")) && tp_spans_has(spans, TP_ARG_SORT_INDEX)) {
        int64_t index;
        bool is_number = tp_number_parse_int(spans->field[TP_ARG_SORT_INDEX], &index) == TP_NUMBER_OK;
        find_process(d, pid)->sort_index = is_number ? index : TP_NULL_INT;
    }
}
