/* Writes export --to perfetto (also --to pftrace): Perfetto traces in protobuf, for https://ui.perfetto.dev and for
 * tracepress itself.
 *
 * Slices, GPU stages and counters are written in the order of time, with the layout of torch's CUPTI backend. A file of
 * one trace also has what tracepress needs to read the trace back (exported_facts.h). Several traces become one file on
 * one clock: their packets follow each other, and each trace is one sequence. */
#include <stdio.h>
#include <string.h>

#include "webreport/export/perfetto/perfetto_export.h"
#include "webreport/export/whole_file.h"
#include "writer/base/fs.h"
#include "writer/base/gzip_out.h"
#include "writer/base/limits.h"

/* The packets of the traces of a job, which the last one of them writes to the file. */
struct kept {
    struct tp_vec parts; /* packets of each trace, packed if the file is packed; elements: struct tp_str */
    const char *run;     /* name of the first trace's run */
};

/* ---- packets of one trace ---- */

static void make_tables(struct tp_pexport *x)
{
    const struct tp_trace *trace = x->trace;
    size_t counters = (size_t)trace->memory_place_count + trace->names.count + trace->texts.count;
    x->written_threads = tp_arena_array(x->arena, trace->thread_count, sizeof *x->written_threads);
    x->written_processes = tp_arena_array(x->arena, trace->thread_count, sizeof *x->written_processes);
    x->process_of_thread = tp_arena_array(x->arena, trace->thread_count, sizeof *x->process_of_thread);
    x->written_counters = tp_arena_array(x->arena, counters, sizeof *x->written_counters);
    x->total_bytes = tp_arena_array(x->arena, trace->memory_place_count, sizeof *x->total_bytes);
    struct tp_strings texts;
    struct tp_id_map numbers, firsts;
    tp_strings_init(&texts, x->arena, 0);
    tp_id_map_init(&numbers, x->arena);
    tp_id_map_init(&firsts, x->arena);
    for (uint32_t t = 0; t < trace->thread_count; t++) {
        const struct tp_row_id *pid = &trace->threads[t].pid;
        uint32_t *first = pid->is_text ? tp_id_map_find_or_add(&firsts, tp_strings_add(&texts, pid->text))
                                       : tp_id_map_find_or_add(&numbers, (uint64_t)pid->number);
        *first = *first == TP_NO_ID ? t : *first;
        x->process_of_thread[t] = *first;
    }
    x->process_names = tp_arena_array(x->arena, trace->thread_count, sizeof *x->process_names);
    for (uint32_t p = 0; p < trace->process_count; p++) {
        const struct tp_row_id *pid = &trace->processes[p].pid;
        uint32_t *first = pid->is_text ? tp_id_map_find(&firsts, tp_strings_add(&texts, pid->text))
                                       : tp_id_map_find(&numbers, (uint64_t)pid->number);
        if (first)
            x->process_names[*first] = trace->processes[p].name;
    }
}

static int write_packets(void *context, struct tp_error *err)
{
    static tp_pexport_edge *const functions[TP_EDGE_KINDS] = {
        [TP_EDGE_BEGIN] = tp_pexport_begin,     [TP_EDGE_END] = tp_pexport_end,
        [TP_EDGE_STAGE] = tp_pexport_stage,     [TP_EDGE_MEMORY] = tp_pexport_memory,
        [TP_EDGE_COUNTER] = tp_pexport_counter, [TP_EDGE_GPU_COUNTER] = tp_pexport_gpu_counter,
        [TP_EDGE_LINK] = tp_pexport_link,       [TP_EDGE_WINDOW_END] = tp_pexport_window_end};
    struct tp_pexport *x = context;
    (void)err;
    make_tables(x);
    tp_pexport_collect(x);
    tp_pexport_header(x);
    for (size_t i = 0; i < x->edges.count && !x->writer->out.failed; i++) {
        const struct tp_edge *edge = TP_AT(&x->edges, struct tp_edge, i);
        functions[edge->kind](x, edge);
    }
    return x->writer->out.failed;
}

/* ---- files ---- */

/* Returns true if the file must be gzip. */
static bool is_packed(const struct tp_export *export)
{
    const char *file = export->job ? export->job->file : NULL;
    return file && tp_str_ends(tp_str_of(file), ".gz");
}

/* Writes the path of the file: the name given by -o, or the name of the worker or the run. */
static int path_of_file(char *path, size_t size, const struct tp_export_job *job, const char *name)
{
    int n = job->file ? snprintf(path, size, "%s/%s", job->out, job->file)
                      : snprintf(path, size, "%s/%s.pftrace", job->out, name);
    return n < 0 || (size_t)n >= size ? TP_ELIMIT : TP_OK;
}

static int write_parts(const char *path, const struct tp_vec *parts, struct tp_error *err)
{
    struct tp_outfile *file;
    int code = tp_outfile_open(&file, path, err);
    if (code < 0)
        return code;
    for (size_t i = 0; i < parts->count && code == TP_OK; i++) {
        const struct tp_str *part = TP_AT(parts, struct tp_str, i);
        code = tp_outfile_write(file, part->ptr, part->len, err);
    }
    if (code == TP_OK)
        return tp_outfile_commit(&file, err);
    tp_outfile_discard(&file);
    return code;
}

/* Arguments for storing the packets of a trace with a guard. */
struct storing {
    const struct tp_export *export;
    const struct tp_buf *packets;
    struct tp_arena *arena;
    struct tp_str stored;
};

/* Stores the packets of a trace in the arena, packed if the file is packed. */
static int store_packets(void *context, struct tp_error *err)
{
    struct storing *s = context;
    const struct tp_str text = {s->packets->data, s->packets->size};
    (void)err;
    if (is_packed(s->export))
        s->stored = tp_gzip_texts(s->arena, &text, 1);
    else
        s->stored = (struct tp_str){tp_arena_copy(s->arena, text.ptr, text.len), text.len};
    if (!s->export->job || strcmp(s->export->out, s->export->folder) == 0)
        return TP_OK;
    struct tp_export_job *job = s->export->job;
    struct kept *kept = job->kept;
    if (!kept) {
        job->kept = kept = tp_arena_alloc(s->arena, sizeof *kept);
        kept->parts = TP_VEC(s->arena, struct tp_str);
        kept->run = tp_arena_copy(s->arena, s->export->run, strlen(s->export->run));
    }
    *(struct tp_str *)tp_vec_push(&kept->parts) = s->stored;
    return TP_OK;
}

int tp_export_perfetto(const struct tp_export *export, struct tp_error *err)
{
    struct tp_packet_writer writer;
    struct tp_pexport x = {
        .export = export, .trace = export->profile->trace, .arena = export->arena, .writer = &writer};
    struct tp_export_job *job = export->job;
    const struct kept *kept = job ? job->kept : NULL;
    x.is_alone = !job || strcmp(export->out, export->folder) == 0;
    x.rank_index = x.is_alone || !kept ? 0 : (uint32_t)kept->parts.count;
    x.uuid_base = (uint64_t)x.rank_index << 32;
    if (x.trace->state_count || x.trace->recorded_process_count)
        return tp_error_set(err, TP_ENOTFOUND, 0,
                            "a recording of a whole program; this format has no states and samples of threads: use "
                            "--to firefox");
    if (x.trace->event_count + x.trace->memory_count + x.trace->counter_count + x.trace->input.counter_count == 0)
        return tp_error_set(err, TP_ENOTFOUND, 0, "no event that this format has");
    tp_packet_writer_init(&writer, export->arena, x.rank_index + 1);
    int code = tp_arena_run(export->arena, write_packets, &x, err);
    struct storing storing = {export, &writer.out, x.is_alone ? export->arena : job->arena, {NULL, 0}};
    if (code == TP_OK)
        code = tp_arena_run(storing.arena, store_packets, &storing, err);
    tp_packet_writer_release(&writer);
    if (code < 0 || !x.is_alone)
        return code;
    char path[4096];
    struct tp_vec parts = {.data = &storing.stored, .count = 1, .item_size = sizeof storing.stored};
    if (path_of_file(path, sizeof path, job, export->worker) < 0)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the path is too long", export->out);
    return tp_export_note_written_path(export, path, write_parts(path, &parts, err));
}

int tp_export_perfetto_job(const struct tp_export_job *job, struct tp_error *err)
{
    const struct kept *kept = job->kept;
    char path[4096];
    if (!kept)
        return TP_OK;
    if (path_of_file(path, sizeof path, job, kept->run) < 0)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the path is too long", job->out);
    return write_parts(path, &kept->parts, err);
}
