/* Gives numbers to the threads and processes of a sink, by their pids and tids in canonical form: see sink.h. */
#include "webreport/trace/sink.h"

#include "writer/base/error.h"
#include "writer/base/limits.h"

/* Appends the canonical form of a pid or tid. Different ids have different forms. */
static void append_row_key(struct tp_buf *out, const struct tp_row_id *id)
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

static struct tp_str key_buffer_text(const struct tp_buf *key)
{
    return (struct tp_str){key->data ? key->data : "", key->size};
}

static void build_row_key(struct tp_sink *sink, const struct tp_row_id *pid, const struct tp_row_id *tid)
{
    tp_buf_clear(&sink->row_key);
    append_row_key(&sink->row_key, pid);
    if (tid)
        append_row_key(&sink->row_key, tid);
}

uint32_t tp_sink_add_thread(struct tp_sink *sink, const struct tp_row_id *pid, const struct tp_row_id *tid)
{
    build_row_key(sink, pid, tid);
    uint32_t id = tp_strings_add(&sink->canonical_rows, key_buffer_text(&sink->row_key));
    if (id >= TP_MAX_THREADS)
        tp_arena_fail(sink->trace->arena, TP_ELIMIT);
    if (id == sink->threads.count)
        *(struct tp_thread *)tp_vec_push(&sink->threads) =
            (struct tp_thread){.pid = *pid, .tid = *tid, .name = TP_STR("")};
    return id;
}

void tp_sink_copy_threads(struct tp_sink *sink, const struct tp_trace *trace)
{
    for (uint32_t i = 0; i < trace->thread_count; i++) {
        build_row_key(sink, &trace->threads[i].pid, &trace->threads[i].tid);
        tp_strings_add(&sink->canonical_rows, key_buffer_text(&sink->row_key));
        *(struct tp_thread *)tp_vec_push(&sink->threads) = trace->threads[i];
    }
}

void tp_sink_set_thread_name(struct tp_sink *sink, uint32_t thread, struct tp_str name)
{
    TP_AT(&sink->threads, struct tp_thread, thread)->name = name;
}

struct tp_process *tp_sink_add_process(struct tp_sink *sink, const struct tp_row_id *pid)
{
    build_row_key(sink, pid, NULL);
    uint32_t id = tp_strings_add(&sink->canonical_processes, key_buffer_text(&sink->row_key));
    if (id == sink->processes.count)
        *(struct tp_process *)tp_vec_push(&sink->processes) =
            (struct tp_process){.pid = *pid, .name = TP_STR(""), .labels = TP_STR(""), .sort_index = TP_NULL_INT};
    return TP_AT(&sink->processes, struct tp_process, id);
}

const struct tp_process *tp_sink_find_process(struct tp_sink *sink, const struct tp_row_id *pid)
{
    build_row_key(sink, pid, NULL);
    uint32_t process = tp_strings_find(&sink->canonical_processes, key_buffer_text(&sink->row_key));
    return process == TP_NO_ID ? NULL : TP_AT(&sink->processes, struct tp_process, process);
}
