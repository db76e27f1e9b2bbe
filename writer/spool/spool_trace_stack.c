/* Writes the stacks in a spool: of ranges, memory notes and samples. See spool_trace.c. */
#include "writer/spool/spool_trace_part.h"

/* Returns the frames at entry i of a stack. addresses: the stack's addresses as they are in the spool, 8 bytes each. */
static struct tp_symbol_frames frames_of_stack_entry(struct tp_spool_conversion *c, const char *addresses, size_t i,
                                                     uint64_t time, bool is_return)
{
    uint64_t address;
    memcpy(&address, addresses + i * sizeof address, sizeof address);
    return tp_symbols_frames(c->symbols, address, time, is_return);
}

struct tp_str tp_spool_call_stack(struct tp_spool_conversion *c, const struct tp_spool_record *stack)
{
    size_t room = stack ? (size_t)stack->slots * TP_SPOOL_SLOT / sizeof(uint64_t) : 0;
    size_t count = stack && stack->name < room ? stack->name : room;
    if (!count)
        return (struct tp_str){0};
    c->text.count = 0;
    for (size_t i = 0; i < count; i++) {
        struct tp_symbol_frames frames = frames_of_stack_entry(c, tp_spool_payload(stack), i, stack->time, true);
        if (frames.is_own)
            continue;
        tp_vec_add_text(&c->text, frames.text);
    }
    return (struct tp_str){c->text.data, c->text.count};
}

void tp_spool_write_sample(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    struct tp_spool_sample sample;
    memcpy(&sample, tp_spool_payload(record), sizeof sample);
    size_t room = ((size_t)record->slots * TP_SPOOL_SLOT - sizeof sample) / sizeof(uint64_t);
    size_t count = sample.frame_count < room ? (size_t)sample.frame_count : room;
    struct tp_str leaf = {0}; /* innermost frame of the sample */
    (void)tid;
    c->text.count = 0;
    for (size_t i = 0; i < count; i++) {
        struct tp_symbol_frames frames =
            frames_of_stack_entry(c, tp_spool_payload(record) + sizeof sample, i, sample.ticks, i > 0);
        if (frames.is_own)
            continue; /* skips frames of hooks, because the time in a hook belongs to its caller */
        leaf = leaf.len ? leaf : frames.first;
        tp_vec_add_text(&c->text, frames.text);
    }
    if (count && !leaf.len) {
        c->result->event_count--; /* a stack with only frames of the recorder is not an event of the program */
        return;
    }
    int64_t cpu_ns = sample.cpu_ns < INT64_MAX ? (int64_t)sample.cpu_ns : INT64_MAX;
    const struct tp_trace_out_arg args[] = {
        tp_trace_out_int_arg(TP_OUT_CPU_NS, cpu_ns),
        tp_trace_out_text_arg(TP_OUT_CALL_STACK, (struct tp_str){c->text.data, c->text.count})};
    const struct tp_trace_out_event event = {.category = TP_OUT_OTHER,
                                             .other_category = TP_STR("cpu_sample"),
                                             .name = leaf.len ? leaf : TP_STR("[unknown]"),
                                             .pid = (int64_t)c->file->head.pid,
                                             .tid = (int64_t)sample.tid,
                                             .ts_ns = tp_spool_realtime_ns(c->file, sample.ticks) - c->base_ns,
                                             .args = args,
                                             .arg_count = count ? 2 : 1};
    tp_trace_out_sample(c->out, &event);
}

void tp_spool_write_sampled_thread(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    struct tp_spool_sampled thread;
    (void)tid;
    c->result->event_count--; /* the record describes a row; it is not an event */
    memcpy(&thread, tp_spool_payload(record), sizeof thread);
    for (uint32_t t = 0; t < c->file->thread_count; t++)
        if (c->file->threads[t].tid == thread.tid)
            return; /* the thread already has a row */
    tp_trace_out_thread(c->out, (int64_t)c->file->head.pid, (int64_t)thread.tid,
                        (struct tp_str){thread.name, strnlen(thread.name, sizeof thread.name)});
}
