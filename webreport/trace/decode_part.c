/* Selects the events of one part of a merged trace (input_part.h), and reads the ranks that such a trace contains.
 * See decode.h. */
#include <stdio.h>

#include "webreport/trace/decode_parts.h"
#include "webreport/trace/input_part.h"

/* ---- selection ---- */

static bool is_listed_pid(const struct tp_part_rows *rows, struct tp_str token)
{
    int64_t pid;
    if (tp_number_parse_int(token, &pid) != TP_NUMBER_OK)
        return false;
    size_t index = tp_part_pid_index(rows->pids, rows->pid_count, pid);
    return index < rows->pid_count && rows->pids[index] == pid;
}

/* Replaces a pid such as "[TP00] 1234" by the part after its label: a number, or a text in d->part_pid. */
static void remove_label(struct tp_decoder *d, struct tp_spans *spans, struct tp_str rest)
{
    static const char padding[16];
    int64_t number;
    while (rest.len && rest.ptr[0] == ' ')
        rest = (struct tp_str){rest.ptr + 1, rest.len - 1};
    if (tp_number_parse_int(rest, &number) != TP_NUMBER_OK) {
        tp_buf_clear(&d->part_pid);
        tp_buf_putc(&d->part_pid, '"');
        tp_buf_add(&d->part_pid, rest.ptr, rest.len);
        tp_buf_putc(&d->part_pid, '"');
        tp_buf_add(&d->part_pid, padding, sizeof padding); /* the table of threads reads up to 16 bytes */
        if (d->part_pid.failed)
            tp_arena_fail(d->trace->arena, d->part_pid.failed);
        rest = (struct tp_str){d->part_pid.data, rest.len + 2};
    }
    spans->field[TP_FIELD_PID] = rest;
}

bool tp_decode_selects_event(struct tp_decoder *d, struct tp_spans *spans)
{
    const struct tp_part_rows *rows = d->part;
    struct tp_str pid = tp_span_text(spans, TP_FIELD_PID);
    if (!rows->label.len)
        return is_listed_pid(rows, pid);
    if (!tp_token_is_string(pid))
        return false;
    struct tp_str text = tp_token_contents(pid);
    if (!tp_str_starts(text, "[") || text.len < rows->label.len ||
        memcmp(text.ptr, rows->label.ptr, rows->label.len) != 0)
        return false;
    remove_label(d, spans, (struct tp_str){text.ptr + rows->label.len, text.len - rows->label.len});
    return true;
}

/* Removes the member "distributedInfo", which describes one of the merged ranks, and adds the rank of the part if it is
 * known. */
static void set_rank(struct tp_sink *sink, const struct tp_part_rows *rows)
{
    size_t kept = 0;
    char text[64];
    for (size_t i = 0; i < sink->members.count; i++) {
        struct tp_header_value *member = TP_AT(&sink->members, struct tp_header_value, i);
        if (!tp_str_equal(member->key, TP_STR("distributedInfo")))
            *TP_AT(&sink->members, struct tp_header_value, kept++) = *member;
    }
    sink->members.count = kept;
    if (rows->rank == TP_NULL_INT)
        return;
    int size = snprintf(text, sizeof text, "{\"rank\":%lld,\"world_size\":%lld}", (long long)rows->rank,
                        (long long)rows->world_size);
    tp_sink_add_member(sink, TP_STR("distributedInfo"), (struct tp_str){text, (size_t)size});
}

void tp_decode_part_finish(struct tp_decoder *d)
{
    if (!d->part)
        return;
    set_rank(d->sink, d->part);
    d->trace->reading.element_count -= d->other_part_events;
    tp_sink_set_producer(d->sink, tp_str_of(d->part->producer));
    d->trace->input.is_of_torch_profiler = true;
}

/* ---- ranks in arguments ---- */

void tp_decode_rank(struct tp_decoder *d, const struct tp_element *e, uint32_t thread)
{
    static const char key[] = "\"rank\"";
    struct tp_str args = tp_element_args_text(e->text);
    const char *at = args.ptr ? memmem(args.ptr, args.len, key, sizeof key - 1) : NULL;
    const char *end = args.ptr + args.len;
    size_t digits = 0;
    int64_t rank;
    while (d->thread_ranks.count <= thread)
        *(int64_t *)tp_vec_push(&d->thread_ranks) = -1;
    if (!at)
        return;
    for (at += sizeof key - 1; at < end && (*at == ':' || *at == ' ');)
        at++;
    while (at + digits < end && at[digits] >= '0' && at[digits] <= '9')
        digits++;
    if (tp_number_parse_int((struct tp_str){at, digits}, &rank) != TP_NUMBER_OK)
        return;
    *TP_AT(&d->thread_ranks, int64_t, thread) = rank;
    d->trace->ranked_slices++;
}

void tp_decode_ranks_finish(struct tp_decoder *d)
{
    if (!d->lists_ranks)
        return;
    while (d->thread_ranks.count < d->sink->threads.count)
        *(int64_t *)tp_vec_push(&d->thread_ranks) = -1;
    d->trace->thread_ranks = d->thread_ranks.data;
}
