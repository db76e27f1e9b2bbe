/* Canonical rows: see rows.h. The spelling of the row before is kept, because events of a thread stand together. */
#include "webreport/trace/rows.h"

#include "webreport/trace/number.h"
#include "webreport/trace/value.h"
#include "writer/base/error.h"
#include "writer/base/limits.h"

/* "stream N" with trailing blanks. */
static bool stream_number(struct tp_str text, int64_t *number)
{
    if (!tp_str_starts(text, "stream ") || text.len < 8)
        return false;
    struct tp_str digits = {text.ptr + 7, text.len - 7};
    while (digits.len && (digits.ptr[digits.len - 1] == ' ' ||
                          (digits.ptr[digits.len - 1] >= '\t' && digits.ptr[digits.len - 1] <= '\r')))
        digits.len--;
    return digits.len && digits.ptr[0] != '-' && tp_number_int(digits, number) == TP_NUMBER_OK;
}

static struct tp_row_id row_id(struct tp_arena *arena, struct tp_str token)
{
    struct tp_row_id id = {0};
    if (token.len && tp_number_int(token, &id.number) == TP_NUMBER_OK)
        return id;
    struct tp_str text = token.len ? tp_value_text(arena, token) : (struct tp_str){NULL, 0};
    if (!text.ptr)
        text = TP_STR("None");
    if (stream_number(text, &id.number))
        return id;
    id.is_text = true;
    id.text = text;
    return id;
}

/* Appends a key that is equal for equal ids only. */
static void add_key(struct tp_buf *out, const struct tp_row_id *id)
{
    if (id->is_text) {
        tp_buf_printf(out, "t%zu:", id->text.len);
        tp_buf_add(out, id->text.ptr, id->text.len);
    } else {
        tp_buf_putc(out, 'i');
        tp_buf_int(out, id->number);
    }
    tp_buf_putc(out, ',');
}

static struct tp_str key_text(const struct tp_buf *key)
{
    return (struct tp_str){key->data ? key->data : "", key->size};
}

static uint32_t canonical_thread(struct tp_decoder *d, struct tp_str pid, struct tp_str tid)
{
    struct tp_arena *arena = d->trace->arena;
    struct tp_thread thread = {.pid = row_id(arena, pid), .tid = row_id(arena, tid), .name = TP_STR("")};
    tp_buf_clear(&d->row_key);
    add_key(&d->row_key, &thread.pid);
    add_key(&d->row_key, &thread.tid);
    uint32_t id = tp_strings_add(&d->row_canonical, key_text(&d->row_key));
    if (id >= TP_MAX_THREADS)
        tp_arena_fail(arena, TP_ELIMIT);
    if (id == d->threads.count)
        *(struct tp_thread *)tp_vec_push(&d->threads) = thread;
    return id;
}

uint32_t tp_rows_thread(struct tp_decoder *d, struct tp_str pid, struct tp_str tid)
{
    size_t size = pid.len + tid.len + 1;
    char spelled[sizeof d->last_row];
    if (size <= sizeof spelled) {
        memcpy(spelled, pid.ptr, pid.len);
        spelled[pid.len] = '\1';
        memcpy(spelled + pid.len + 1, tid.ptr, tid.len);
        if (size == d->last_row_size && memcmp(spelled, d->last_row, size) == 0)
            return d->last_thread;
    }
    tp_buf_clear(&d->row_key);
    tp_buf_add(&d->row_key, pid.ptr, pid.len);
    tp_buf_putc(&d->row_key, '\1');
    tp_buf_add(&d->row_key, tid.ptr, tid.len);
    uint32_t spelling = tp_strings_add(&d->row_texts, key_text(&d->row_key));
    if (spelling == d->row_thread.count) {
        uint32_t thread = canonical_thread(d, pid, tid);
        *(uint32_t *)tp_vec_push(&d->row_thread) = thread;
    }
    d->last_thread = *TP_AT(&d->row_thread, uint32_t, spelling);
    d->last_row_size = 0;
    if (size <= sizeof spelled) {
        memcpy(d->last_row, spelled, size);
        d->last_row_size = (uint32_t)size;
    }
    return d->last_thread;
}

static struct tp_process *process_of(struct tp_decoder *d, struct tp_str pid)
{
    struct tp_process process = {.pid = row_id(d->trace->arena, pid), .name = TP_STR(""), .labels = TP_STR("")};
    tp_buf_clear(&d->row_key);
    add_key(&d->row_key, &process.pid);
    uint32_t id = tp_strings_add(&d->process_canonical, key_text(&d->row_key));
    if (id == d->processes.count)
        *(struct tp_process *)tp_vec_push(&d->processes) = process;
    return TP_AT(&d->processes, struct tp_process, id);
}

/* Interned text of a string argument: the same label on 60,000 metadata records takes memory once. */
static struct tp_str arg_text(struct tp_decoder *d, const struct tp_spans *spans, enum tp_field field)
{
    struct tp_str token = tp_spans_has(spans, field) ? spans->field[field] : TP_STR("");
    if (token.len < 2 || token.ptr[0] != '"')
        return TP_STR("");
    return tp_strings_get(d->stacks.meanings,
                          tp_lexicon_add(&d->stacks, (struct tp_str){token.ptr + 1, token.len - 2})->id);
}

void tp_rows_metadata(struct tp_decoder *d, const struct tp_spans *spans)
{
    struct tp_str name = tp_spans_has(spans, TP_FIELD_NAME) ? spans->field[TP_FIELD_NAME] : TP_STR("");
    struct tp_str pid = tp_spans_has(spans, TP_FIELD_PID) ? spans->field[TP_FIELD_PID] : TP_STR("");
    struct tp_str tid = tp_spans_has(spans, TP_FIELD_TID) ? spans->field[TP_FIELD_TID] : TP_STR("");
    if (tp_str_equal(name, TP_STR("\"thread_name\""))) {
        uint32_t thread = tp_rows_thread(d, pid, tid); /* may move the threads: index only afterwards */
        TP_AT(&d->threads, struct tp_thread, thread)->name = arg_text(d, spans, TP_ARG_NAME);
    } else if (tp_str_equal(name, TP_STR("\"process_name\""))) {
        process_of(d, pid)->name = arg_text(d, spans, TP_ARG_NAME);
    } else if (tp_str_equal(name, TP_STR("\"process_labels\""))) {
        process_of(d, pid)->labels = arg_text(d, spans, TP_ARG_LABELS);
    }
}
