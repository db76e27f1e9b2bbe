/* Recognizes the producer of trace events by signs: see producer.h. A sign is a category, a member or a name that
 * only this producer writes. */
#include "webreport/trace/producer.h"

#include "webreport/trace/rank_split.h"
#include "webreport/trace/regions.h"
#include "writer/base/buf.h"
#include "writer/base/sort.h"
#include "writer/base/str.h"

enum { SHOWN_CATS = 4, SHOWN_CAT_BYTES = 24 };

#define RECORD "record the program with `tracepress record -- PROGRAM`"

#define ONNX "is a profile of ONNX Runtime"
#define VIZTRACER "was written by VizTracer"
#define TLPARSE "is the compile times of torch.compile as tlparse writes them"
#define OLD_TORCH "was written by torch.autograd.profiler of torch 1.7 or older"
#define XPROF "is a trace of JAX or TensorFlow (XProf)"
#define CHROME "is a trace of Chrome DevTools"
#define TRITON "is a trace of Triton's tools"
#define ROCM "is a trace of rocmProfileData (rpd2tracing)"
#define NOT_READ "tracepress does not read it"
#define PERFETTO NOT_READ "; open it in https://ui.perfetto.dev"

/* Where a text that identifies a producer is searched: in an event's category, as a member next to the events, at the
 * start of a process name, or as a process id. */
enum place { CATEGORY, MEMBER, PROCESS, PID };

/* Texts that identify other producers. The first of these texts that a trace contains gives its producer. */
static const struct sign {
    const char *producer;
    enum place place;
    const char *text, *next; /* text: the identifying text; next: advice for the user */
} signs[] = {
    {ONNX, CATEGORY, "Session", NOT_READ},
    {ONNX, CATEGORY, "Node", NOT_READ},
    {VIZTRACER, MEMBER, "viztracer_metadata", NOT_READ "; record the program with `tracepress record -- python ...`"},
    {VIZTRACER, CATEGORY, "FEE", NOT_READ "; record the program with `tracepress record -- python ...`"},
    {TLPARSE, CATEGORY, "dynamo_timed", PERFETTO ", and name a trace of torch.profiler here"},
    {OLD_TORCH, CATEGORY, "cpu_to_cuda", "it has no categories; record with torch.profiler"},
    {OLD_TORCH, PID, "CPU functions", "it has no categories; record with torch.profiler"},
    {XPROF, PROCESS, "/device:", NOT_READ " yet; open it in XProf or Perfetto"},
    {XPROF, PROCESS, "/host:", NOT_READ " yet; open it in XProf or Perfetto"},
    {CHROME, CATEGORY, "devtools.timeline", NOT_READ "; open it in the Performance panel of Chrome"},
    {CHROME, CATEGORY, "disabled-by-default-devtools.timeline",
     NOT_READ "; open it in the Performance panel of Chrome"},
    {CHROME, CATEGORY, "blink", PERFETTO},
    {CHROME, CATEGORY, "toplevel", PERFETTO},
    {TRITON, CATEGORY, "triton", PERFETTO ", and name a trace of torch.profiler here"},
    {ROCM, PROCESS, "GPU", NOT_READ "; record it with torch.profiler, or " RECORD},
};

static bool has_cat(const struct tp_trace *trace, const char *cat)
{
    return tp_strings_find(&trace->cats, tp_str_of(cat)) != TP_NO_ID;
}

static bool has_process(const struct tp_trace *trace, const char *name)
{
    for (uint32_t i = 0; i < trace->process_count; i++)
        if (tp_str_starts(trace->processes[i].name, name))
            return true;
    return false;
}

static bool has_sign_of_producer(const struct tp_trace *trace, const struct sign *sign)
{
    switch (sign->place) {
    case CATEGORY:
        return has_cat(trace, sign->text);
    case MEMBER:
        return tp_trace_header(trace, sign->text).ptr != NULL;
    case PROCESS:
        return has_process(trace, sign->text);
    default:
        return trace->reading.has_old_autograd_names;
    }
}

static int compare_by_count(const void *x, const void *y, const void *context)
{
    const struct tp_unknown_category *a = x, *b = y;
    (void)context;
    return (a->count < b->count) - (a->count > b->count);
}

/* Writes " (categories: a, b)" with the most frequent categories of complete events. Writes nothing if no event has a
 * category. */
static void write_category_list(struct tp_buf *out, const struct tp_trace *trace)
{
    struct tp_unknown_category cats[TP_UNKNOWN_CATEGORIES];
    int shown = 0;
    memcpy(cats, trace->reading.unknown_categories, sizeof cats);
    tp_merge_sort(trace->arena, cats, TP_UNKNOWN_CATEGORIES, sizeof *cats, compare_by_count, NULL);
    for (unsigned i = 0; i < TP_UNKNOWN_CATEGORIES && cats[i].count && shown < SHOWN_CATS; i++) {
        struct tp_str cat = tp_strings_get(&trace->cats, cats[i].cat);
        if (!cat.len)
            continue;
        cat.len = cat.len < SHOWN_CAT_BYTES ? cat.len : SHOWN_CAT_BYTES;
        tp_buf_printf(out, "%s%.*s", shown++ ? ", " : " (categories: ", (int)cat.len, cat.ptr);
    }
    tp_buf_printf(out, "%s", shown ? ")" : "");
}

static int set_refusal_of_producer(const struct sign *sign, const char *cats, struct tp_error *err)
{
    bool has_cats = strcmp(sign->producer, OLD_TORCH) != 0; /* only its links have categories */
    return tp_error_set(err, TP_EFORMAT, 0, "%s%s: %s", sign->producer, has_cats ? cats : "", sign->next);
}

static int set_unknown_refusal(const struct tp_reading *reading, const char *cats, struct tp_error *err)
{
    if (reading->skipped[TP_SKIP_UNKNOWN_CATEGORY])
        return tp_error_set(
            err, TP_EFORMAT, 0,
            "is a Chrome trace of an unknown producer%s: none of its slices has a category of torch.profiler", cats);
    if (reading->skipped_by_phase['B'])
        return tp_error_set(
            err, TP_EFORMAT, 0,
            "holds begin/end pairs (ph B and E) and no complete slice (ph X): tracepress reads traces of "
            "torch.profiler, which has none");
    return tp_error_set(err, TP_EFORMAT, 0, "nothing to report: no usable event among %llu",
                        (unsigned long long)reading->element_count);
}

/* Refuses the trace and names the producer by the first sign found. cats: text from write_category_list. */
static int refuse_foreign_trace(const struct tp_trace *trace, const char *cats, struct tp_error *err)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (has_sign_of_producer(trace, &signs[i]))
            return set_refusal_of_producer(&signs[i], cats, err);
    return set_unknown_refusal(&trace->reading, cats, err);
}

/* Returns true if the collector recorded data that is useful even without events: samples, states, processes,
 * tensors. */
static bool has_data_of_collector(const struct tp_trace *trace)
{
    return trace->sample_count + trace->state_count + trace->recorded_process_count + trace->tensor_count > 0 ||
           tp_trace_header(trace, "tracepress_recorder").ptr != NULL;
}

/* Returns true if the trace has events of the host. A profile of ONNX Runtime has none, because "Kernel" is its only
 * known category. */
static bool has_host(const struct tp_trace *trace)
{
    const uint64_t *read = trace->reading.read;
    return read[TP_KIND_OPERATOR] + read[TP_KIND_ANNOTATION] + read[TP_KIND_RUNTIME] + read[TP_KIND_FRAME] +
               read[TP_KIND_MODULE] >
           0;
}

/* ---- several ranks in one file ---- */

static bool is_same_pid(const struct tp_row_id *x, const struct tp_row_id *y)
{
    return x->is_text == y->is_text && (x->is_text ? tp_str_equal(x->text, y->text) : x->number == y->number);
}

static bool has_steps(const struct tp_trace *trace)
{
    bool has_some = false;
    for (uint32_t i = 0; i < trace->names.count && !has_some; i++)
        has_some = tp_regions_by_name(tp_strings_get(&trace->names, i)) & TP_REGION_PROFILER_STEP;
    return has_some;
}

/* Returns whether pids have labels, or calls of two processes are among a sample of the events. */
static bool may_have_several_ranks(const struct tp_trace *trace)
{
    const uint32_t step = 1 + (trace->event_count >> 16); /* examines at most 65,536 events */
    const struct tp_row_id *first = NULL;
    for (uint32_t i = 0; i < trace->thread_count; i++)
        if (trace->threads[i].pid.is_text && tp_str_starts(trace->threads[i].pid.text, "["))
            return true;
    for (uint32_t i = 0; i < trace->event_count; i += step) {
        const struct tp_event *e = &trace->events[i];
        const struct tp_row_id *pid = &trace->threads[e->thread].pid;
        if (!tp_event_is_cuda_call(e) || pid->is_text)
            continue;
        first = first ? first : pid;
        if (first->number != pid->number)
            return true;
    }
    return false;
}

/* Refuses a file in which two processes have steps. torch.profiler records one process per file, so somebody merged
 * several files. */
static int refuse_merged_files(const struct tp_trace *trace, struct tp_error *err)
{
    const struct tp_row_id *first = NULL;
    int code = may_have_several_ranks(trace) ? tp_rank_split_check(trace, err) : TP_OK;
    if (code < 0)
        return code;
    for (uint32_t i = 0; i < trace->event_count && (i || has_steps(trace)); i++) {
        const struct tp_event *e = &trace->events[i];
        if (e->kind != TP_KIND_ANNOTATION ||
            !(tp_regions_by_name(tp_trace_event_name(trace, e)) & TP_REGION_PROFILER_STEP))
            continue;
        const struct tp_row_id *pid = &trace->threads[e->thread].pid;
        first = first ? first : pid;
        if (!is_same_pid(first, pid))
            return tp_error_set(
                err, TP_EFORMAT, 0,
                "several processes have steps in this file: traces of ranks were merged into one; name the "
                "folder with the file of each rank instead");
    }
    return TP_OK;
}

int tp_producer_check(const struct tp_trace *trace, struct tp_error *err)
{
    bool is_onnx = !has_host(trace) && (has_cat(trace, "Session") || has_cat(trace, "Node"));
    if (!is_onnx && has_data_of_collector(trace))
        return TP_OK;
    if (!is_onnx && trace->event_count + trace->memory_count > 0)
        return refuse_merged_files(trace, err);
    struct tp_buf cats;
    tp_buf_init(&cats, 256);
    write_category_list(&cats, trace);
    int code = refuse_foreign_trace(trace, cats.failed || !cats.data ? "" : cats.data, err);
    tp_buf_release(&cats);
    return code;
}
