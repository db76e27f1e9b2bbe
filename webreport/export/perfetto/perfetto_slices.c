/* Writes slices of threads, links between them, and marks. See perfetto_export.h. Fields are those of Perfetto's
 * message TrackEvent; categories and annotations are those that torch's CUPTI backend writes. */
#include "webreport/export/perfetto/annotation_writer.h"
#include "webreport/export/perfetto/perfetto_arguments.h"
#include "webreport/trace/kinds.h"

enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3 };

enum field {
    FIELD_CATEGORY_IID = 3,
    FIELD_TYPE = 9,
    FIELD_NAME_IID = 10,
    FIELD_TRACK = 11,
    FIELD_FLOW = 47,
    FIELD_ENDING_FLOW = 48,
    FIELD_GPU_CORRELATION = 3000
};

/* Begins a packet with a track event. The caller writes further fields and calls end_event. */
static size_t begin_event(struct tp_pexport *x, unsigned type, uint64_t track)
{
    tp_packet_begin(x->writer);
    size_t event = tp_field_begin(&x->writer->body, TP_PACKET_EVENT);
    tp_field_number(&x->writer->body, FIELD_TYPE, type);
    tp_field_number(&x->writer->body, FIELD_TRACK, track);
    return event;
}

static void end_event(struct tp_pexport *x, size_t event, int64_t ts_ns)
{
    tp_field_end(&x->writer->body, event);
    tp_packet_end(x->writer, ts_ns);
}

static void put_name(struct tp_pexport *x, struct tp_str name)
{
    tp_field_number(&x->writer->body, FIELD_NAME_IID, tp_packet_text(x->writer, TP_PACKET_NAMES, name));
}

static void put_category(struct tp_pexport *x, struct tp_str category)
{
    tp_field_number(&x->writer->body, FIELD_CATEGORY_IID, tp_packet_text(x->writer, TP_PACKET_CATEGORIES, category));
}

/* ---- categories ---- */

/* Returns the category of a call. The trace has only the category of calls on other devices than CUDA. */
static struct tp_str category_of_call(const struct tp_trace *trace, const struct tp_event *event)
{
    uint32_t foreign = event->variant ? trace->foreign_call_cats[event->variant] : 0;
    return foreign ? tp_strings_get(&trace->cats, foreign - 1)
                   : tp_str_of(tp_kind_call_category_name(tp_trace_event_name(trace, event)));
}

/* Returns the category of a slice; empty for a wait for the device, which has an annotation instead. */
static struct tp_str category_of_slice(const struct tp_trace *trace, const struct tp_event *event)
{
    if (event->kind == TP_KIND_RUNTIME)
        return category_of_call(trace, event);
    if (event->kind == TP_KIND_SPAN)
        return TP_STR("Trace");
    if (event->kind == TP_KIND_OTHER)
        return event->detail == TP_NO_ID ? TP_STR("") : tp_strings_get(&trace->cats, trace->others[event->detail].cat);
    unsigned kind = event->flags & TP_EVENT_WAS_OPERATOR ? TP_KIND_OPERATOR : event->kind;
    return tp_str_of(tp_kind_category_name(kind));
}

/* ---- arguments ---- */

static void put_stack(struct tp_pexport *x, uint32_t stack)
{
    if (stack != TP_NO_ID)
        tp_annotation_text(x->writer, "Call stack", tp_strings_get(&x->trace->stack_texts, stack));
}

/* Writes the argument "Concrete Inputs" of an operator, if the trace has it. host: index in hosts. */
static void put_concrete(struct tp_pexport *x, uint32_t host)
{
    const struct tp_trace *trace = x->trace;
    uint32_t low = 0, high = trace->concrete_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (trace->concretes[middle].host < host)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < trace->concrete_count && trace->concretes[low].host == host)
        tp_argument_value(x, TP_IN_EVENT, "Concrete Inputs", trace->concretes[low].value);
}

static void put_host_arguments(struct tp_pexport *x, const struct tp_event *event)
{
    const struct tp_host_detail *host = &x->trace->hosts[event->detail];
    struct tp_host_rare more = tp_host_rare(x->trace, host);
    tp_argument_int(x, TP_IN_EVENT, "External id", host->external_id);
    tp_argument_value(x, TP_IN_EVENT, event->flags & TP_EVENT_OLD_DIMS ? "Input dims" : "Input Dims", host->dims);
    if (event->flags & TP_EVENT_HAS_INPUT_DIMS && host->dims == TP_NO_ID)
        tp_annotation_json(x->writer, "Input Dims", TP_STR("null"));
    tp_argument_value(x, TP_IN_EVENT, "Input type", host->types);
    put_concrete(x, event->detail);
    tp_argument_int(x, TP_IN_EVENT, "Sequence number", more.sequence);
    tp_argument_int(x, TP_IN_EVENT, "Fwd thread id", more.forward_thread);
    tp_argument_comm(x, TP_IN_EVENT, more.comm);
    put_stack(x, host->stack);
}

/* Writes the arguments of a wait for the device. Its category in JSON is cuda_sync. */
static void put_wait_arguments(struct tp_pexport *x, const struct tp_event *event)
{
    const struct tp_thread *row = &x->trace->threads[event->thread];
    tp_annotation_text(x->writer, "cuda_sync_kind", tp_trace_event_name(x->trace, event));
    uint32_t record = x->trace->others[event->detail].sync;
    const struct tp_sync_record *sync = record == TP_NO_ID ? NULL : &x->trace->syncs[record];
    bool has_stream = sync && sync->stream != TP_NULL_INT;
    tp_argument_int(x, TP_IN_EVENT, "device", row->pid.is_text ? 0 : row->pid.number);
    tp_argument_int(x, TP_IN_EVENT, "stream", has_stream ? sync->stream : row->tid.is_text ? 0 : row->tid.number);
    if (sync) {
        tp_argument_int(x, TP_IN_EVENT, "correlation", sync->correlation);
        tp_argument_int(x, TP_IN_EVENT, "wait_on_stream", sync->event_stream);
        tp_argument_int(x, TP_IN_EVENT, "wait_on_cuda_event_record_corr_id", sync->event_record);
    }
}

static void put_arguments(struct tp_pexport *x, const struct tp_event *event, bool is_wait)
{
    const struct tp_trace *trace = x->trace;
    if (is_wait)
        put_wait_arguments(x, event);
    if (event->flags & TP_EVENT_UNFINISHED)
        tp_annotation_json(x->writer, "finished", TP_STR("false"));
    if (event->kind == TP_KIND_ANNOTATION && tp_event_declared_kind(event) != TP_RANGE_NONE)
        tp_argument_text(x, TP_IN_EVENT, "kind", tp_range_kind_text(tp_event_declared_kind(event)));
    if (event->detail == TP_NO_ID)
        return;
    switch (event->kind) {
    case TP_KIND_OPERATOR:
    case TP_KIND_ANNOTATION:
        put_host_arguments(x, event);
        break;
    case TP_KIND_RUNTIME:
        tp_argument_int(x, TP_IN_EVENT, "External id", trace->launches[event->detail].external_id);
        tp_argument_int(x, TP_IN_EVENT, "correlation", trace->launches[event->detail].correlation);
        break;
    case TP_KIND_MODULE:
        tp_argument_int(x, TP_IN_EVENT, "Python module id", trace->modules[event->detail].module_id);
        put_stack(x, trace->modules[event->detail].stack);
        break;
    case TP_KIND_FRAME:
        put_stack(x, event->detail);
        break;
    case TP_KIND_OTHER:
        tp_argument_int(x, TP_IN_EVENT, "External id", trace->others[event->detail].external_id);
        break;
    default:
        break;
    }
}

/* ---- links ---- */

/* Returns a number for a link that is different for each trace of the file. */
static uint64_t number_of_link(const struct tp_pexport *x, const struct tp_flow *flow)
{
    return (uint64_t)x->rank_index << 40 | ((uint64_t)flow->id + 1);
}

static void put_link_end(struct tp_pexport *x, const struct tp_flow *flow)
{
    tp_field_fixed64(&x->writer->body, flow->is_start ? FIELD_FLOW : FIELD_ENDING_FLOW, number_of_link(x, flow));
}

static void put_links(struct tp_pexport *x, uint32_t event)
{
    uint32_t count;
    const struct tp_link_end *ends = tp_pexport_links_at(x, &x->trace->events[event], &count);
    for (uint32_t i = 0; i < count; i++)
        if (ends[i].event == event)
            put_link_end(x, &x->trace->flows[ends[i].flow]);
}

/* Writes the ids of the stages that a call started. */
static void put_stages_of_call(struct tp_pexport *x, const struct tp_event *event)
{
    int64_t correlation = event->detail == TP_NO_ID ? 0 : x->trace->launches[event->detail].correlation;
    struct tp_str name = tp_trace_event_name(x->trace, event);
    bool may_start =
        tp_str_find(name, "Launch") >= 0 || tp_str_find(name, "Memcpy") >= 0 || tp_str_find(name, "Memset") >= 0;
    uint32_t low = 0, high = x->correlated_count;
    if (correlation <= 0 || !may_start)
        return;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (x->correlated[middle].correlation < correlation)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == x->correlated_count || x->correlated[low].correlation != correlation)
        return;
    size_t ids = tp_field_begin(&x->writer->body, FIELD_GPU_CORRELATION);
    for (; low < x->correlated_count && x->correlated[low].correlation == correlation; low++)
        tp_field_number(&x->writer->body, 1, tp_pexport_stage_id(x, x->correlated[low].event));
    tp_field_end(&x->writer->body, ids);
}

/* ---- edges ---- */

void tp_pexport_begin(struct tp_pexport *x, const struct tp_edge *edge)
{
    const struct tp_event *slice = &x->trace->events[edge->item];
    uint64_t track = tp_pexport_lane_track(x, edge->lane);
    struct tp_str category = category_of_slice(x->trace, slice);
    bool is_wait = tp_str_equal(category, TP_STR("cuda_sync"));
    size_t event = begin_event(x, TYPE_BEGIN, track);
    put_name(x, tp_trace_event_name(x->trace, slice));
    if (category.len && !is_wait)
        put_category(x, category);
    if (slice->kind == TP_KIND_OPERATOR && x->trace->flow_count)
        put_links(x, edge->item);
    if (slice->kind == TP_KIND_RUNTIME)
        put_stages_of_call(x, slice);
    put_arguments(x, slice, is_wait);
    end_event(x, event, edge->ts_ns);
}

void tp_pexport_end(struct tp_pexport *x, const struct tp_edge *edge)
{
    uint64_t track = tp_pexport_lane_track(x, edge->lane);
    end_event(x, begin_event(x, TYPE_END, track), edge->ts_ns);
}

void tp_pexport_link(struct tp_pexport *x, const struct tp_edge *edge)
{
    const struct tp_flow *flow = &x->trace->flows[edge->item];
    uint64_t track = tp_pexport_thread_track(x, flow->thread);
    size_t event = begin_event(x, TYPE_INSTANT, track);
    put_name(x, TP_STR("fwdbwd"));
    put_link_end(x, flow);
    end_event(x, event, edge->ts_ns);
}

void tp_pexport_window_end(struct tp_pexport *x, const struct tp_edge *edge)
{
    uint64_t track = x->trace->thread_count ? tp_pexport_thread_track(x, 0) : 0;
    size_t event = begin_event(x, TYPE_INSTANT, track);
    put_name(x, TP_STR("Record Window End"));
    end_event(x, event, edge->ts_ns);
}
