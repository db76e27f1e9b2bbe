/* Stacks of a spool: of ranges and memory notes, and samples. See spool_trace.c. */
#include "writer/spool/spool_trace_part.h"

/* Addresses in memory order; each 8 bytes. */
static struct tp_str frames_of(struct tp_spool_conversion *c, const char *addresses, size_t count, uint64_t time,
                               bool is_sample)
{
    struct tp_vec *text = &c->text;
    text->count = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t address;
        memcpy(&address, addresses + i * sizeof address, sizeof address);
        struct tp_str frames = tp_symbols_frames(c->symbols, address, time, !is_sample || i > 0);
        if (text->capacity - text->count < frames.len)
            tp_vec_grow(text, text->count + frames.len);
        memcpy(TP_AT(text, char, text->count), frames.ptr, frames.len);
        text->count += frames.len;
    }
    return (struct tp_str){text->data, text->count};
}

/* Without the frames of the library's own inline functions at its beginning. */
static struct tp_str without_ours(struct tp_str frames)
{
    for (;;) {
        const char *end = frames.len ? memchr(frames.ptr, ';', frames.len) : NULL;
        struct tp_str first = {frames.ptr, end ? (size_t)(end - frames.ptr) : 0};
        if (!end || tp_str_find(first, "tracepress.h(") < 0)
            return frames;
        frames = (struct tp_str){end + 1, frames.len - first.len - 1};
    }
}

struct tp_str tp_spool_call_stack(struct tp_spool_conversion *c, const struct tp_spool_record *stack)
{
    size_t room = stack ? (size_t)stack->slots * TP_SPOOL_SLOT / sizeof(uint64_t) : 0;
    size_t count = stack && stack->name < room ? stack->name : room;
    if (!count || !(c->file->head.flags & TP_SPOOL_STACKS))
        return (struct tp_str){0};
    return without_ours(frames_of(c, tp_spool_payload(stack), count, stack->time, false));
}

/* The function that was running: the first frame. */
static struct tp_str leaf_of(struct tp_str frames)
{
    const char *end = frames.len ? memchr(frames.ptr, ';', frames.len) : NULL;
    return end ? (struct tp_str){frames.ptr, (size_t)(end - frames.ptr)} : TP_STR("[unknown]");
}

void tp_spool_write_sample(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    struct tp_spool_sample sample;
    memcpy(&sample, tp_spool_payload(record), sizeof sample);
    size_t room = ((size_t)record->slots * TP_SPOOL_SLOT - sizeof sample) / sizeof(uint64_t);
    size_t count = sample.frame_count < room ? (size_t)sample.frame_count : room;
    struct tp_str frames = frames_of(c, tp_spool_payload(record) + sizeof sample, count, sample.ticks, true);
    int64_t cpu_ns = sample.cpu_ns < INT64_MAX ? (int64_t)sample.cpu_ns : INT64_MAX;
    const struct tp_trace_out_arg args[] = {tp_trace_out_int(TP_OUT_CPU_NS, cpu_ns),
                                            tp_trace_out_text(TP_OUT_CALL_STACK, frames)};
    const struct tp_trace_out_event event = {.category = TP_OUT_OTHER,
                                             .other_category = TP_STR("cpu_sample"),
                                             .name = leaf_of(frames),
                                             .pid = (int64_t)c->file->head.pid,
                                             .tid = (int64_t)sample.tid,
                                             .ts_ns = tp_spool_time(c->file, sample.ticks) - c->base_ns,
                                             .args = args,
                                             .arg_count = count ? 2 : 1};
    (void)tid;
    tp_trace_out_sample(c->out, &event);
}

void tp_spool_write_sampled(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    struct tp_spool_sampled thread;
    (void)tid;
    c->result->event_count--; /* a row, not an event */
    memcpy(&thread, tp_spool_payload(record), sizeof thread);
    for (uint32_t t = 0; t < c->file->thread_count; t++)
        if (c->file->threads[t].tid == thread.tid)
            return; /* it has its row */
    tp_trace_out_thread(c->out, (int64_t)c->file->head.pid, (int64_t)thread.tid,
                        (struct tp_str){thread.name, strnlen(thread.name, sizeof thread.name)});
}
