/* Reads a trace: opens the input, finds its format, runs the reader, and derives the data that all formats need.
 *
 * The feed owns a file and a thread. So this file catches jumps through the arena's guard and closes the feed. */
#include "webreport/trace/compile_log/artifact_files.h"
#include "webreport/trace/compile_log/compile_log.h"
#include "webreport/trace/compile_log/compile_names.h"
#include "webreport/trace/impossible_ends.h"
#include "webreport/trace/input_derive.h"
#include "webreport/trace/input_part.h"
#include "webreport/trace/inputs/input_format.h"
#include "webreport/trace/json/strict.h"
#include "webreport/trace/producer.h"
#include "webreport/trace/range_names.h"
#include "webreport/trace/recorder_threads.h"
#include "webreport/trace/scripts.h"
#include "writer/base/limits.h"

/* ---- data that all formats need ---- */

/* Collects the names of Python calls that contain ";". With these names, frames that contain ";" are recognized in
 * call stacks. */
static void find_semicolon_frames(const struct tp_trace *trace, struct tp_strings *found)
{
    bool has_any = tp_strings_contain_byte(&trace->names, ';');
    for (uint32_t i = 0; i < trace->event_count && has_any; i++) {
        const struct tp_event *event = &trace->events[i];
        if (event->kind == TP_KIND_FRAME || event->kind == TP_KIND_MODULE)
            tp_stacks_add_known_frame(found, tp_trace_event_name(trace, event));
    }
}

static void build_stacks(struct tp_trace *trace)
{
    struct tp_strings known;
    tp_strings_init(&known, trace->arena, 0);
    find_semicolon_frames(trace, &known);
    trace->stacks = tp_arena_alloc(trace->arena, sizeof *trace->stacks);
    tp_stacks_build(trace->stacks, &trace->stack_texts, &trace->names, &known, trace->arena);
}

/* Derives the frames and stacks, which the model expects in every trace, from the columns. */
static void derive_frames_and_stacks(struct tp_trace *trace, const struct tp_trace_options *options)
{
    tp_frames_build(&trace->frames, &trace->names, trace->arena);
    build_stacks(trace);
    tp_recorder_threads_remove(trace);
    if (!options || !options->keeps_ends)
        tp_impossible_ends_cut(trace);
    tp_scripts_find(trace);
    tp_range_names_apply(trace);
}

/* ---- artifacts of torch.compile ---- */

/* Reads the artifacts that the user named; otherwise, if the trace has compiled code, those in the folder of the trace,
 * if they can be read. path: path of the trace; NULL for bytes in memory. */
static int read_compile_logs(struct tp_trace *trace, const struct tp_trace_options *options, const char *path,
                             struct tp_error *err)
{
    struct tp_compile_log *log = tp_arena_alloc(trace->arena, sizeof *log);
    struct tp_vec paths = TP_VEC(trace->arena, const char *);
    size_t named = options ? options->compile_logs.count : 0;
    for (size_t i = 0; i < named; i++)
        *(const char **)tp_vec_push(&paths) = options->compile_logs.items[i];
    if (!named && path && strcmp(path, "-") != 0 && tp_compile_has_name(&trace->names))
        tp_compile_files_near(&paths, path);
    if (!paths.count)
        return TP_OK;
    int code = tp_compile_log_read(log, paths.data, paths.count, trace->arena, named ? err : NULL);
    if (code == TP_OK && (named || log->graphs.count))
        trace->compile_log = log;
    return named ? code : TP_OK;
}

/* ---- reading of one input ---- */

struct job {
    struct tp_source source;
    struct tp_sink sink;
    const struct tp_trace_options *options; /* options of the caller; NULL for default options */
    const struct tp_visitor *visitor;       /* receives the texts of events; NULL: the sink receives the events */
    bool has_host_work;                     /* true if some event is work of the host; set only with a visitor */
};

/* Refuses a format that has no reader. If is_strict is set, an error in the JSON is reported first. */
static int refuse_format_without_reader(struct tp_source *source, const struct tp_input_format *format)
{
    struct tp_strict strict;
    int code = TP_OK;
    tp_strict_init(&strict);
    if (source->is_strict)
        code = tp_strict_feed(&strict, source->at, (size_t)(source->end - source->at), source->err);
    return code < 0 ? code : tp_error_set(source->err, TP_EFORMAT, 0, "%s", format->refusal);
}

/* Reads the first window and finds the format of the input. The window has at least 4 bytes unless the input is
 * shorter. */
static int find_format(struct tp_source *source, const struct tp_input_format **format)
{
    enum { LEAST = 4 };
    int status = 1;
    while (status > 0 && (!source->at || source->end - source->at < LEAST))
        status = tp_feed_next_window(source->feed, &source->at, &source->end, source->err);
    if (status < 0)
        return status;
    *format = tp_input_format_detect(source->at, source->at ? (size_t)(source->end - source->at) : 0, source->path);
    return TP_OK;
}

static int read_input(void *context, struct tp_error *err)
{
    struct job *job = context;
    struct tp_source *source = &job->source;
    struct tp_trace *trace = job->sink.trace;
    const struct tp_input_format *format;
    (void)err; /* ignored, because errors are written to source->err */
    int code = find_format(source, &format);
    if (code < 0)
        return code;
    const struct tp_input_part *part = job->options ? job->options->part : NULL;
    if (part && part->rows && part->rows->refusal)
        return tp_error_set(source->err, TP_EFORMAT, 0, "%s", part->rows->refusal);
    bool is_wanted =
        format->read && (!format->refusal || (job->options && job->options->reads_spools && !job->visitor));
    if (!is_wanted)
        return refuse_format_without_reader(source, format);
    if (job->visitor && !format->visit)
        return tp_error_set(source->err, TP_EUNSUPPORTED, 0,
                            "is not JSON (%s trace), and this format copies JSON: add --slim, or choose another format",
                            format->name);
    if (job->visitor)
        return format->visit(source, job->visitor, &job->has_host_work);
    code = format->read(source);
    if (code < 0)
        return code;
    tp_sink_finish(&job->sink);
    tp_input_facts_derive(trace);
    tp_blocks_per_sm_derive(trace);
    derive_frames_and_stacks(trace, job->options);
    code = read_compile_logs(trace, job->options, source->path, source->err);
    if (code < 0)
        return code;
    bool accepts_all = (job->sink.wants_tensors && trace->tensor_count) || (job->options && job->options->lists_ranks);
    return accepts_all ? TP_OK : tp_producer_check(trace, source->err);
}

static int open_sink(void *context, struct tp_error *err)
{
    struct job *job = context;
    struct tp_trace *trace = job->sink.trace;
    tp_sink_open(&job->sink, trace, trace->arena, job->options);
    job->source.sink = &job->sink;
    job->source.options = job->options;
    return read_input(job, err);
}

/* Runs a job under a separate guard, so that the feed is closed even after a failure. */
static int run_job_in_guard(struct job *job, struct tp_trace *trace, struct tp_arena *arena)
{
    memset(trace, 0, sizeof *trace);
    trace->arena = arena;
    job->sink.trace = trace;
    job->source.is_strict = job->options && job->options->is_strict && !job->visitor;
    int code = tp_arena_run(arena, open_sink, job, NULL);
    tp_sink_release(&job->sink);
    tp_feed_close(job->source.feed);
    tp_arena_fail_with_stored_code(arena);
    return code;
}

static struct tp_feed_options make_feed_options(const struct tp_trace_options *options)
{
    struct tp_feed_options feed = {.max_input_bytes = TP_MAX_INPUT_BYTES};
    if (options && options->max_input_bytes)
        feed.max_input_bytes = options->max_input_bytes;
    feed.single_thread = options && options->single_thread;
    feed.skips_hash = options && options->skips_hash;
    feed.copy_fd = options ? options->copy_fd : 0;
    return feed;
}

int tp_trace_read(struct tp_trace *trace, struct tp_arena *arena, const char *path,
                  const struct tp_trace_options *options, struct tp_error *err)
{
    struct job job = {.source = {.path = path, .err = err}, .options = options};
    struct tp_feed_options feed_opts = make_feed_options(options);
    int code = tp_feed_open(&job.source.feed, path, &feed_opts, err);
    return code < 0 ? code : run_job_in_guard(&job, trace, arena);
}

int tp_trace_read_bytes(struct tp_trace *trace, struct tp_arena *arena, const void *bytes, size_t size,
                        const struct tp_trace_options *options, struct tp_error *err)
{
    struct job job = {.source = {.err = err}, .options = options};
    struct tp_feed_options feed_opts = make_feed_options(options);
    int code = tp_feed_open_bytes(&job.source.feed, bytes, size, &feed_opts, err);
    return code < 0 ? code : run_job_in_guard(&job, trace, arena);
}

int tp_trace_visit(const char *path, struct tp_arena *arena, const struct tp_trace_options *options,
                   const struct tp_visitor *visitor, struct tp_reading *reading, struct tp_error *err)
{
    struct tp_trace *trace = tp_arena_alloc(arena, sizeof *trace);
    struct job job = {.source = {.path = path, .err = err}, .options = options, .visitor = visitor};
    struct tp_feed_options feed_opts = make_feed_options(options);
    int code = tp_feed_open(&job.source.feed, path, &feed_opts, err);
    if (code < 0)
        return code;
    code = run_job_in_guard(&job, trace, arena);
    if (reading)
        *reading = trace->reading;
    /* without work of the host, only a complete read shows whether the file must be refused */
    if (code == TP_OK && !job.has_host_work && strcmp(path, "-") != 0)
        code = tp_trace_read(trace, arena, path, options, err);
    return code;
}
