/* Reads track events: see track_events.h. Fields are those of Perfetto's message TrackEvent. */
#include "webreport/trace/inputs/perfetto/track_events.h"

#include "webreport/trace/inputs/perfetto/gpu_stages.h"
#include "webreport/trace/inputs/perfetto/legacy_events.h"
#include "webreport/trace/inputs/perfetto/rocprof_slices.h"
#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"
#include "writer/base/put.h"

enum type { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };

enum field {
    FIELD_DELTA_US = 1,
    FIELD_CATEGORY_IIDS = 3,
    FIELD_ANNOTATION = 4,
    FIELD_LEGACY = 6,
    FIELD_TYPE = 9,
    FIELD_NAME_IID = 10,
    FIELD_TRACK = 11,
    FIELD_TIME_US = 16,
    FIELD_CATEGORIES = 22,
    FIELD_NAME = 23,
    FIELD_COUNTER = 30,
    FIELD_REAL_COUNTER = 44,
    FIELD_FLOWS = 47,
    FIELD_ENDING_FLOWS = 48,
    FIELD_GPU_CORRELATION = 3000
};

enum { KEPT_ANNOTATIONS = 16 };

/* A track event without its links. */
struct track_event {
    uint64_t type, track_uuid, name_iid;
    uint64_t delta_us, time_us; /* time as a difference from the previous time, and as a time, us */
    bool has_delta, has_time;   /* true if the event gives its time; otherwise the packet gives it */
    bool has_track, has_flows;
    uint32_t track;                         /* number of the track */
    struct tp_str name, legacy, submission; /* legacy, submission: messages; ptr NULL if absent */
    uint32_t category;            /* first category, number of an interned text; TP_NO_ID if the event has none */
    struct tp_wire_field counter; /* value of a counter; number 0 if absent */
    struct tp_str annotations[KEPT_ANNOTATIONS];
    unsigned annotation_count; /* number of annotations; those beyond KEPT_ANNOTATIONS are not kept */
};

/* Start of a slice, and its duration; TP_NULL_INT if another event ends the slice. */
struct span {
    int64_t start_ns, dur_ns;
};

/* ---- fields of an event ---- */

/* Adds a category to the event. torch's categories show that torch.profiler wrote the file. */
static void add_category(struct tp_perfetto *p, struct track_event *event, uint32_t text)
{
    static const unsigned of_torch[] = {TP_KIND_OPERATOR, TP_KIND_FRAME, TP_KIND_ANNOTATION};
    struct tp_str name = text == TP_NO_ID ? TP_STR("") : tp_interned_text(&p->interned, text);
    if (!name.len)
        return;
    for (size_t i = 0; i < sizeof of_torch / sizeof *of_torch && !p->is_torch; i++)
        p->is_torch = tp_str_equal(name, tp_str_of(tp_kind_category_name(of_torch[i])));
    p->is_torch = p->is_torch || tp_cat_meaning_by_name(name).kind == TP_KIND_RUNTIME;
    if (event->category == TP_NO_ID)
        event->category = text;
}

/* Adds the categories of field category_iids, which is one number or a packed list. */
static bool add_interned_categories(struct tp_perfetto *p, const struct tp_sequence *sequence,
                                    struct track_event *event, const struct tp_wire_field *field)
{
    struct tp_wire list = tp_wire_of(field->bytes);
    uint64_t iid = field->value;
    if (field->type == TP_WIRE_NUMBER)
        add_category(p, event, tp_interned_get(&p->interned, sequence, TP_INTERNED_CATEGORIES, iid));
    while (list.at < list.end) {
        if (!tp_wire_read_number(&list, &iid))
            return false;
        add_category(p, event, tp_interned_get(&p->interned, sequence, TP_INTERNED_CATEGORIES, iid));
    }
    return true;
}

/* Reads one field that is not a number. Returns false if the field is broken. */
static bool read_long_field(struct tp_perfetto *p, const struct tp_sequence *sequence, struct track_event *event,
                            const struct tp_wire_field *field)
{
    switch (field->number) {
    case FIELD_ANNOTATION:
        if (field->type == TP_WIRE_BYTES && event->annotation_count++ < KEPT_ANNOTATIONS)
            event->annotations[event->annotation_count - 1] = field->bytes;
        return true;
    case FIELD_CATEGORY_IIDS:
        return add_interned_categories(p, sequence, event, field);
    case FIELD_CATEGORIES:
        if (field->type == TP_WIRE_BYTES)
            add_category(p, event, tp_interned_add_text(&p->interned, field->bytes));
        return true;
    case FIELD_NAME:
        event->name = field->bytes;
        return true;
    case FIELD_LEGACY:
        event->legacy = field->bytes;
        return true;
    case FIELD_GPU_CORRELATION:
        event->submission = field->bytes;
        return true;
    case FIELD_DELTA_US:
        event->delta_us = field->value;
        event->has_delta = true;
        return true;
    case FIELD_TIME_US:
        event->time_us = field->value;
        event->has_time = true;
        return true;
    case FIELD_FLOWS:
    case FIELD_ENDING_FLOWS:
        event->has_flows = true;
        return true;
    case FIELD_REAL_COUNTER:
        if (field->type == TP_WIRE_FIXED64)
            event->counter = *field;
        return true;
    default:
        return true;
    }
}

static bool read_event(struct tp_perfetto *p, const struct tp_sequence *sequence, struct track_event *event,
                       struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    event->type = event->track_uuid = event->name_iid = 0;
    event->has_flows = event->has_delta = event->has_time = false;
    event->name = event->legacy = event->submission = (struct tp_str){NULL, 0};
    event->category = TP_NO_ID;
    event->counter.number = 0;
    event->annotation_count = 0;
    event->has_track = sequence->has_default_track;
    event->track_uuid = sequence->has_default_track ? sequence->default_track : 0;
    while (tp_wire_next(&wire, &field)) {
        if (tp_wire_is(&field, FIELD_TYPE, TP_WIRE_NUMBER)) {
            event->type = field.value;
        } else if (tp_wire_is(&field, FIELD_TRACK, TP_WIRE_NUMBER)) {
            event->track_uuid = field.value;
            event->has_track = true;
        } else if (tp_wire_is(&field, FIELD_NAME_IID, TP_WIRE_NUMBER)) {
            event->name_iid = field.value;
        } else if (tp_wire_is(&field, FIELD_COUNTER, TP_WIRE_NUMBER)) {
            event->counter = field;
        } else if (!read_long_field(p, sequence, event, &field)) {
            return false;
        }
    }
    return !wire.is_broken;
}

/* Returns the name of an event as the number of an interned text. */
static uint32_t name_text(struct tp_perfetto *p, const struct tp_sequence *sequence, const struct track_event *event)
{
    uint32_t text = TP_NO_ID;
    if (event->name.len)
        return tp_interned_add_text(&p->interned, event->name);
    if (event->name_iid)
        text = tp_interned_get(&p->interned, sequence, TP_INTERNED_NAMES, event->name_iid);
    return text == TP_NO_ID ? tp_interned_add_text(&p->interned, TP_STR("")) : text;
}

/* Adds all annotations of an event to the element that is being built. Returns false if one is broken. */
static bool add_annotations(struct tp_perfetto *p, const struct tp_sequence *sequence, const struct track_event *event,
                            struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(event->annotation_count > KEPT_ANNOTATIONS ? message : TP_STR(""));
    struct tp_wire_field field;
    for (int i = 0; i < TP_WATCHED_COUNT; i++)
        p->annotations.watched[i] = (struct tp_watched){.name = p->annotations.watched[i].name};
    for (unsigned i = 0; i < event->annotation_count && event->annotation_count <= KEPT_ANNOTATIONS; i++)
        if (!tp_annotations_add(&p->annotations, &p->builder, sequence, event->annotations[i]))
            return false;
    while (tp_wire_next(&wire, &field))
        if (tp_wire_is(&field, FIELD_ANNOTATION, TP_WIRE_BYTES) &&
            !tp_annotations_add(&p->annotations, &p->builder, sequence, field.bytes))
            return false;
    return true;
}

/* ---- links ---- */

/* Delivers one end of a link between a forward and a backward operator. */
static void deliver_link(struct tp_perfetto *p, const struct tp_built_event *at, bool is_start, uint64_t number)
{
    struct tp_built_event link = *at;
    char digits[32] = "";
    link.id = (struct tp_str){digits, (size_t)(tp_put_uint(digits, number) - digits)};
    link.cat = tp_perfetto_category_of_text(p, "fwdbwd");
    link.cat_token = (struct tp_str){NULL, 0};
    link.name = TP_NO_ID;
    link.dur_ns = TP_NULL_INT;
    tp_builder_begin(&p->builder, is_start ? 's' : 'f');
    tp_builder_deliver(&p->builder, &link);
}

static void deliver_links(struct tp_perfetto *p, const struct tp_built_event *at, struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    while (tp_wire_next(&wire, &field)) {
        bool is_start = field.number == FIELD_FLOWS;
        if (!is_start && field.number != FIELD_ENDING_FLOWS)
            continue;
        if (field.type == TP_WIRE_FIXED64)
            deliver_link(p, at, is_start, field.value);
        for (size_t i = 0; field.type == TP_WIRE_BYTES && i + 8 <= field.bytes.len; i += 8) {
            uint64_t number;
            memcpy(&number, field.bytes.ptr + i, sizeof number);
            deliver_link(p, at, is_start, number);
        }
    }
}

/* ---- slices ---- */

/* Sets the device and the stream of a wait for the device. A wait for the whole device has the stream -1, which torch
 * shows as stream 1. */
static void place_wait(struct tp_perfetto *p, struct tp_built_event *built)
{
    int64_t stream = tp_builder_number(&p->builder, TP_ARG_STREAM, 0);
    const struct tp_stream_row *row =
        tp_stages_row(p, tp_builder_number(&p->builder, TP_ARG_DEVICE, 0), stream > 0 ? stream : 1);
    built->pid = row->pid_token;
    built->tid = row->tid_token;
}

/* Returns the category of a slice as an id in the sink. */
static uint32_t category_of_slice(struct tp_perfetto *p, const struct track_event *event, const struct tp_track *track)
{
    const char *usual = tp_kind_category_name(p->is_torch || p->is_own ? TP_KIND_OPERATOR : TP_KIND_ANNOTATION);
    if (p->annotations.watched[TP_WATCHED_SYNC].is_there)
        usual = "cuda_sync";
    else if (event->category == TP_NO_ID && tp_str_equal(track->shown_process, TP_STR("Overhead")))
        usual = tp_kind_category_name(TP_KIND_OVERHEAD);
    else if ((p->is_torch || p->is_own) && event->category != TP_NO_ID)
        return tp_perfetto_category(p, event->category);
    return tp_perfetto_category_of_text(p, usual);
}

/* Adds the id of the GPU work that a call submitted as an argument, and makes the slice a call. Other arguments of
 * calls and stages may have the same numbers, so these ids are moved. */
static bool add_submission(struct tp_perfetto *p, struct tp_str message, struct tp_built_event *built)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    uint64_t id = 0;
    while (tp_wire_next(&wire, &field)) {
        struct tp_wire list = tp_wire_of(field.bytes);
        if (field.number != 1)
            continue;
        if (field.type == TP_WIRE_NUMBER)
            id = field.value;
        else if (list.at == list.end || !tp_wire_read_number(&list, &id))
            continue;
        tp_builder_add_int(&p->builder, TP_ARG_CORRELATION, tp_perfetto_submission(id));
        built->cat = tp_perfetto_category_of_text(p, tp_kind_category_name(TP_KIND_RUNTIME));
        p->submission_count++;
        break;
    }
    return !wire.is_broken;
}

/* Drops a slice, whose end then closes no other slice. */
static void drop_slice(struct tp_perfetto *p, struct tp_sequence *sequence, enum tp_perfetto_drop reason,
                       struct tp_slice_edge edge, struct span span)
{
    p->dropped[reason]++;
    if (span.dur_ns == TP_NULL_INT)
        tp_slices_begin(&p->slices, sequence, p->sink->events.data, edge);
}

static bool read_begin(struct tp_perfetto *p, struct tp_sequence *sequence, const struct track_event *event,
                       const struct tp_packet *packet, struct span span)
{
    int64_t ts_ns = span.start_ns;
    struct tp_slice_edge edge = {.ts_ns = ts_ns, .track = event->track & TP_TRACK_BITS, .event = TP_NO_ID};
    if (p->least_ns && ts_ns + p->base_ns < p->least_ns) {
        drop_slice(p, sequence, TP_DROP_EARLY, edge, span);
        return true;
    }
    struct tp_track *track = tp_tracks_place(&p->tracks, event->track);
    struct tp_built_event built = {
        .ts_ns = ts_ns, .offset = p->offset, .pid = track->pid_token, .tid = track->tid_token};
    bool is_span = p->is_own && event->category != TP_NO_ID &&
                   tp_str_equal(tp_interned_text(&p->interned, event->category), TP_STR("Trace"));
    tp_builder_begin(&p->builder, 'X');
    if (!add_annotations(p, sequence, event, packet->event))
        return false;
    uint32_t name = name_text(p, sequence, event);
    enum tp_rocprof_kind kind = tp_rocprof_kind(p, event->category);
    built.name = tp_perfetto_name(p, name);
    built.cat = category_of_slice(p, event, track);
    if (kind != TP_ROCPROF_OTHER && kind != TP_ROCPROF_DROPPED)
        tp_rocprof_apply(p, kind, track, tp_interned_text(&p->interned, name), &built);
    if (kind == TP_ROCPROF_DROPPED) {
        drop_slice(p, sequence, TP_DROP_HSA, edge, span);
        return true;
    }
    if (p->annotations.watched[TP_WATCHED_SYNC].is_there) {
        place_wait(p, &built);
    } else if (is_span) {
        built.pid = TP_STR("\"Spans\"");
        built.tid = TP_STR("\"PyTorch Profiler\"");
    } else if (kind != TP_ROCPROF_KERNEL && kind != TP_ROCPROF_COPY) {
        tp_tracks_use(&p->tracks, track, tp_interned_text(&p->interned, name));
    }
    if (event->submission.ptr && !p->is_torch && !p->is_own && !add_submission(p, event->submission, &built))
        return false;
    if (span.dur_ns != TP_NULL_INT)
        built.dur_ns = span.dur_ns;
    uint32_t added = edge.event = tp_builder_deliver(&p->builder, &built);
    if (added != TP_NO_ID && event->category == TP_NO_ID && !p->is_torch && !p->is_own)
        *(uint32_t *)tp_vec_push(&p->plain_slices) = added;
    p->slice_count++;
    tp_perfetto_extend(p, ts_ns, (int64_t)((uint64_t)ts_ns + (uint64_t)built.dur_ns));
    if (span.dur_ns == TP_NULL_INT)
        tp_slices_begin(&p->slices, sequence, p->sink->events.data, edge);
    if (event->has_flows && (p->is_torch || p->is_own))
        deliver_links(p, &built, packet->event);
    return true;
}

/* ---- marks and counters ---- */

/* Returns a copy of a JSON value that stays valid with the trace. */
static struct tp_str keep_json(struct tp_perfetto *p, struct tp_str json)
{
    return (struct tp_str){tp_arena_copy(p->sink->trace->arena, json.ptr, json.len), json.len};
}

/* Adds a member of the exported trace. json: its value. */
static void add_member(struct tp_perfetto *p, struct tp_str key, struct tp_str json)
{
    if (!tp_put_is_json(json, TP_MAX_DEPTH))
        return;
    int64_t number = tp_value_int(json);
    if (tp_str_equal(key, TP_STR(TP_EXPORTED_UNKNOWN)))
        p->unknown = number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
    else if (tp_str_equal(key, TP_STR(TP_EXPORTED_PRODUCER)))
        p->own_producer = tp_value_text(p->sink->trace->arena, json);
    else if (tp_str_equal(key, TP_STR(TP_EXPORTED_START)))
        p->base_ns -= number != TP_NULL_INT && number > -TP_MAX_TIME_NS && number < TP_MAX_TIME_NS ? number : 0;
    else if (tp_str_equal(key, TP_STR(TP_EXPORTED_ROWS)))
        tp_exported_rows_read(p->sink, &p->tracks.rows, keep_json(p, json));
    else if (tp_str_equal(key, TP_STR(TP_EXPORTED_INPUT)))
        tp_exported_input_read(p->sink, json);
    else if (tp_str_equal(key, TP_STR(TP_EXPORTED_READING)))
        p->reading_member = keep_json(p, json);
    else
        tp_sink_add_member(p->sink, key, json);
}

/* Reads the top-level members of the exported trace, which are annotations of one instant. */
static bool read_members(struct tp_perfetto *p, const struct tp_sequence *sequence, struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    while (tp_wire_next(&wire, &field)) {
        struct tp_str json;
        if (!tp_wire_is(&field, FIELD_ANNOTATION, TP_WIRE_BYTES))
            continue;
        uint32_t name = tp_annotations_name(&p->interned, sequence, field.bytes);
        if (name != TP_NO_ID && tp_annotations_text(field.bytes, &json))
            add_member(p, tp_interned_text(&p->interned, name), json);
    }
    return !wire.is_broken;
}

static bool read_instant(struct tp_perfetto *p, const struct tp_sequence *sequence, const struct track_event *event,
                         const struct tp_packet *packet, int64_t ts_ns)
{
    struct tp_str category = event->category == TP_NO_ID ? TP_STR("") : tp_interned_text(&p->interned, event->category);
    if (tp_str_equal(category, TP_STR(TP_EXPORTED_CATEGORY))) {
        p->is_own = p->tracks.is_own = p->has_base = true;
        p->base_ns = p->clocks.has_snapshot ? p->clocks.first_snapshot_ns : 0;
        return read_members(p, sequence, packet->event);
    }
    if (!p->is_own) {
        p->dropped[TP_DROP_INSTANTS]++;
        return true;
    }
    struct tp_track *track = tp_tracks_place(&p->tracks, event->track);
    struct tp_built_event built = {.cat = TP_NO_ID, .ts_ns = ts_ns, .dur_ns = TP_NULL_INT, .offset = p->offset};
    built.pid = track->pid_token;
    built.tid = track->tid_token;
    if (event->has_flows) {
        deliver_links(p, &built, packet->event);
        return true;
    }
    tp_builder_begin(&p->builder, 'i');
    if (!add_annotations(p, sequence, event, packet->event))
        return false;
    built.name = tp_perfetto_name(p, name_text(p, sequence, event));
    built.cat = event->category == TP_NO_ID ? TP_NO_ID : tp_perfetto_category(p, event->category);
    if (event->category != TP_NO_ID)
        built.cat_token = tp_perfetto_json(p, event->category);
    tp_builder_deliver(&p->builder, &built);
    return true;
}

/* Delivers a memory record, which is a value of a counter with the record's arguments. The annotation "thread" names
 * the track of the thread. */
static void deliver_memory(struct tp_perfetto *p, struct tp_built_event *built, uint32_t name)
{
    uint64_t uuid = p->annotations.watched[TP_WATCHED_THREAD].value;
    struct tp_track *track = tp_tracks_place(&p->tracks, tp_tracks_number(&p->tracks, uuid));
    tp_tracks_use(&p->tracks, track, tp_interned_text(&p->interned, name));
    built->pid = track->pid_token;
    built->tid = track->tid_token;
    built->name = tp_perfetto_name(p, name);
    tp_builder_deliver(&p->builder, built);
}

/* Delivers a value of a counter. */
static void deliver_counter(struct tp_perfetto *p, const struct tp_track *track, double value, int64_t ts_ns)
{
    struct tp_built_event built = {.cat = TP_NO_ID, .ts_ns = ts_ns, .dur_ns = TP_NULL_INT, .offset = p->offset};
    tp_builder_begin(&p->builder, 'C');
    tp_builder_add_real(&p->builder, TP_ARG_VALUE, value);
    built.pid = track->pid_token;
    built.tid = track->tid_token;
    built.name = tp_perfetto_name(p, tp_interned_add_text(&p->interned, track->name));
    tp_builder_deliver(&p->builder, &built);
    p->counter_count++;
}

static double value_of_counter(const struct tp_wire_field *field)
{
    return field->type == TP_WIRE_FIXED64 ? tp_wire_real(field) : (double)(int64_t)field->value;
}

/* Reads a counter of another program: its unit, and differences from the previous value of the sequence. */
static void read_other_counter(struct tp_perfetto *p, const struct tp_sequence *sequence,
                               const struct track_event *event, int64_t ts_ns)
{
    const struct tp_track *track = tp_tracks_place(&p->tracks, event->track);
    if (!event->counter.number || !track->name.ptr) {
        p->dropped[TP_DROP_COUNTERS]++;
        return;
    }
    double value = value_of_counter(&event->counter);
    if (track->counter_unit > 1)
        value *= (double)(int64_t)track->counter_unit;
    if (track->is_incremental) {
        uint32_t id = tp_keys_pair(&p->counter_keys, sequence->generation, event->track);
        if (id == p->counter_sums.count)
            tp_vec_push(&p->counter_sums);
        value = *TP_AT(&p->counter_sums, double, id) += value;
    }
    deliver_counter(p, track, value, ts_ns);
}

static bool read_counter(struct tp_perfetto *p, const struct tp_sequence *sequence, const struct track_event *event,
                         const struct tp_packet *packet, int64_t ts_ns)
{
    if (!p->is_own) {
        read_other_counter(p, sequence, event, ts_ns);
        return true;
    }
    struct tp_built_event built = {.cat = TP_NO_ID, .ts_ns = ts_ns, .dur_ns = TP_NULL_INT, .offset = p->offset};
    tp_builder_begin(&p->builder, 'i');
    if (!add_annotations(p, sequence, event, packet->event))
        return false;
    if (p->builder.spans.has >> TP_ARG_MEMORY_BYTES & 1) {
        deliver_memory(p, &built, name_text(p, sequence, event));
        return true;
    }
    const struct tp_track *track = tp_tracks_place(&p->tracks, event->track);
    if (event->counter.number && track->name.ptr && !tp_str_starts(track->name, TP_EXPORTED_VIEW_COUNTER))
        deliver_counter(p, track, value_of_counter(&event->counter), ts_ns);
    return true;
}

/* ---- events ---- */

/* Finds the time of an event, which the packet gives, or the event itself in files of old producers. */
static bool find_time(struct tp_perfetto *p, struct tp_sequence *sequence, const struct track_event *event,
                      const struct tp_packet *packet, int64_t *ts_ns)
{
    if (!event->has_delta && !event->has_time)
        return tp_perfetto_time(p, sequence, packet, ts_ns);
    bool is_known = p->clocks.known >> TP_CLOCK_MONOTONIC & 1;
    struct tp_packet timed = {.parts = 1u << TP_PART_TIMESTAMP | 1u << TP_PART_CLOCK};
    timed.clock = is_known ? TP_CLOCK_MONOTONIC : TP_CLOCK_BOOTTIME;
    sequence->time_us += event->has_delta ? event->delta_us : 0;
    timed.timestamp = (event->has_delta ? sequence->time_us : event->time_us) * 1000;
    return tp_perfetto_time(p, sequence, &timed, ts_ns);
}

/* Returns the number of the track of an event: the track that the event names, else the thread of the sequence. */
static uint32_t track_of_event(struct tp_perfetto *p, const struct tp_sequence *sequence,
                               const struct track_event *event, const struct tp_legacy_event *legacy)
{
    uint32_t thread = sequence->thread_track;
    if (event->track_uuid || (!legacy->has_pid && !legacy->has_tid && (event->has_track || thread == TP_NO_ID)))
        return tp_tracks_number(&p->tracks, event->track_uuid);
    if (!legacy->has_pid && !legacy->has_tid)
        return thread;
    const struct tp_track *own = thread == TP_NO_ID ? NULL : tp_tracks_place(&p->tracks, thread);
    int64_t pid = legacy->has_pid ? (int64_t)legacy->pid : own ? own->placed_pid : 0;
    int64_t tid = legacy->has_tid ? (int64_t)legacy->tid : own ? own->placed_tid : 0;
    return tp_tracks_of_thread(&p->tracks, pid, tid);
}

/* Sets the type, the name and the track of an event of an old producer. Returns false if the message is broken. */
static bool apply_legacy(struct tp_perfetto *p, const struct tp_sequence *sequence, struct track_event *event,
                         struct tp_legacy_event *legacy)
{
    if (!tp_legacy_read(legacy, event->legacy))
        return false;
    event->name_iid = event->name_iid ? event->name_iid : legacy->name_iid;
    event->has_track = event->has_track && event->type; /* a phase without a track belongs to the thread */
    event->track = track_of_event(p, sequence, event, legacy);
    if (event->type) {
        legacy->phase = 0;
        return true;
    }
    event->type = tp_legacy_type(legacy);
    if (tp_legacy_is_async(legacy)) {
        struct tp_str name = tp_interned_text(&p->interned, name_text(p, sequence, event));
        event->track = tp_tracks_async(&p->tracks, event->track, legacy->id, legacy->is_local, name);
    }
    return true;
}

bool tp_track_events_read(struct tp_perfetto *p, struct tp_sequence *sequence, const struct tp_packet *packet)
{
    static const struct tp_legacy_event none;
    struct track_event event;
    struct tp_legacy_event legacy;
    struct span span = {.dur_ns = TP_NULL_INT};
    if (!read_event(p, sequence, &event, packet->event))
        return false;
    if (!find_time(p, sequence, &event, packet, &span.start_ns))
        return true;
    if (!event.legacy.ptr)
        event.track = track_of_event(p, sequence, &event, &none);
    else if (!apply_legacy(p, sequence, &event, &legacy))
        return false;
    if (event.legacy.ptr && legacy.phase == 'X')
        span.dur_ns = legacy.duration_us < TP_MAX_TIME_NS / 1000 ? (int64_t)legacy.duration_us * 1000 : 0;
    switch (event.type) {
    case TYPE_BEGIN:
        return read_begin(p, sequence, &event, packet, span);
    case TYPE_END:
        p->last_ns = span.start_ns > p->last_ns ? span.start_ns : p->last_ns;
        tp_slices_end(sequence, (struct tp_slice_edge){
                                    .ts_ns = span.start_ns, .track = event.track & TP_TRACK_BITS, .event = TP_NO_ID});
        return true;
    case TYPE_INSTANT:
        return read_instant(p, sequence, &event, packet, span.start_ns);
    case TYPE_COUNTER:
        return read_counter(p, sequence, &event, packet, span.start_ns);
    default:
        p->dropped[TP_DROP_LEGACY] += event.legacy.ptr && !strchr("stf", (int)legacy.phase);
        return true;
    }
}
