/* Finds processes and threads of tracks: see tracks.h. Fields are those of Perfetto's messages TrackDescriptor,
 * ProcessDescriptor and ThreadDescriptor. */
#include "webreport/trace/inputs/perfetto/tracks.h"

#include <stdio.h>

#include "webreport/trace/inputs/perfetto/wire.h"
#include "writer/base/limits.h"
#include "writer/base/put.h"

enum { MAX_LEVELS = 32, TOKEN_PAD = 16 };

void tp_tracks_init(struct tp_tracks *tracks, struct tp_sink *sink)
{
    struct tp_arena *arena = sink->trace->arena;
    *tracks = (struct tp_tracks){.sink = sink, .items = TP_VEC(arena, struct tp_track)};
    tracks->rows = TP_VEC(arena, struct tp_exported_row);
    tp_id_map_init(&tracks->numbers, arena);
}

static struct tp_track *track_at(const struct tp_tracks *tracks, uint32_t number)
{
    return TP_AT(&tracks->items, struct tp_track, number);
}

uint32_t tp_tracks_number(struct tp_tracks *tracks, uint64_t uuid)
{
    if (uuid == tracks->last_uuid && tracks->items.count)
        return tracks->last_number;
    uint32_t *number = tp_id_map_find_or_add(&tracks->numbers, uuid);
    tracks->last_uuid = uuid;
    tracks->last_number = *number != TP_NO_ID ? *number : (uint32_t)tracks->items.count;
    if (*number != TP_NO_ID)
        return *number;
    if (tracks->items.count == TP_MAX_PERFETTO_TRACKS)
        tp_arena_fail(tracks->sink->trace->arena, TP_ELIMIT);
    *number = (uint32_t)tracks->items.count;
    *(struct tp_track *)tp_vec_push(&tracks->items) = (struct tp_track){.uuid = uuid};
    return (uint32_t)tracks->items.count - 1;
}

/* ---- descriptions ---- */

/* Returns a copy of a text, cut to the length of a name. */
static struct tp_str keep_text(struct tp_tracks *tracks, struct tp_str text)
{
    struct tp_sink *sink = tracks->sink;
    text.len = text.len < TP_MAX_NAME_BYTES ? text.len : TP_MAX_NAME_BYTES;
    return tp_sink_text_by_id(sink, tp_sink_intern_text(sink, &sink->texts, text));
}

static bool read_process(struct tp_tracks *tracks, struct tp_track *track, struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    track->has_process = true;
    track->pid = 0;
    while (tp_wire_next(&wire, &field)) {
        if (tp_wire_is(&field, 1, TP_WIRE_NUMBER))
            track->pid = (int64_t)field.value;
        else if (tp_wire_is(&field, 6, TP_WIRE_BYTES))
            track->process_name = keep_text(tracks, field.bytes);
        else if (tp_wire_is(&field, 8, TP_WIRE_BYTES))
            track->labels = keep_text(tracks, field.bytes);
    }
    return !wire.is_broken;
}

static bool read_thread(struct tp_tracks *tracks, struct tp_track *track, struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    track->has_thread = true;
    track->thread_pid = track->tid = 0;
    while (tp_wire_next(&wire, &field)) {
        if (tp_wire_is(&field, 1, TP_WIRE_NUMBER))
            track->thread_pid = (int64_t)field.value;
        else if (tp_wire_is(&field, 2, TP_WIRE_NUMBER))
            track->tid = (int64_t)field.value;
        else if (tp_wire_is(&field, 5, TP_WIRE_BYTES))
            track->thread_name = keep_text(tracks, field.bytes);
    }
    return !wire.is_broken;
}

bool tp_tracks_read_thread(struct tp_tracks *tracks, uint32_t number, struct tp_str message)
{
    return read_thread(tracks, track_at(tracks, number), message);
}

bool tp_tracks_read_process(struct tp_tracks *tracks, uint32_t number, struct tp_str message)
{
    return read_process(tracks, track_at(tracks, number), message);
}

static bool read_counter(struct tp_track *track, struct tp_str message)
{
    uint64_t is_incremental = 0;
    const struct tp_wire_number wanted[] = {{4, &track->counter_unit}, {5, &is_incremental}};
    bool is_good = tp_wire_read_numbers(message, wanted, 2);
    track->is_incremental = is_incremental != 0;
    return is_good;
}

/* Reads one field of a TrackDescriptor. */
static bool read_field(struct tp_tracks *tracks, struct tp_track *track, const struct tp_wire_field *field)
{
    if (tp_wire_is(field, 1, TP_WIRE_NUMBER))
        track->uuid = field->value;
    else if (tp_wire_is(field, 5, TP_WIRE_NUMBER))
        track->parent = field->value;
    else if (tp_wire_is(field, 2, TP_WIRE_BYTES) || (tp_wire_is(field, 10, TP_WIRE_BYTES) && !track->name.ptr))
        track->name = keep_text(tracks, field->bytes);
    else if (tp_wire_is(field, 3, TP_WIRE_BYTES))
        return read_process(tracks, track, field->bytes);
    else if (tp_wire_is(field, 4, TP_WIRE_BYTES))
        return read_thread(tracks, track, field->bytes);
    else if (tp_wire_is(field, 8, TP_WIRE_BYTES))
        return read_counter(track, field->bytes);
    return true;
}

bool tp_tracks_read(struct tp_tracks *tracks, struct tp_str message, uint32_t *thread)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    struct tp_track read = {.is_described = true, .counter_unit = 1};
    while (tp_wire_next(&wire, &field))
        if (!read_field(tracks, &read, &field))
            return false;
    if (wire.is_broken)
        return false;
    uint32_t number = tp_tracks_number(tracks, read.uuid);
    struct tp_track *track = track_at(tracks, number);
    const struct tp_track before = *track;
    *thread = read.has_thread ? number : *thread;
    *track = read;
    track->has_events = before.has_events;
    track->name = track->name.ptr ? track->name : before.name;
    track->is_placed = before.is_placed;
    track->placed_pid = before.placed_pid;
    track->placed_tid = before.placed_tid;
    track->pid_token = before.pid_token;
    track->tid_token = before.tid_token;
    track->thread = before.thread;
    track->shown_process = before.shown_process;
    return true;
}

/* ---- tracks without a descriptor ---- */

/* Returns the uuid of a track without a descriptor, from the numbers that identify the track. */
static uint64_t uuid_of(unsigned kind, uint64_t x, uint64_t y)
{
    const uint64_t prime = 0x9E3779B97F4A7C15, mixed = (x * prime) ^ (y + prime + (x << 6) + (x >> 2));
    return (mixed ^ mixed >> 29) * prime + kind;
}

uint32_t tp_tracks_of_process(struct tp_tracks *tracks, int64_t pid)
{
    uint32_t number = tp_tracks_number(tracks, uuid_of(1, (uint64_t)pid, 0));
    struct tp_track *track = track_at(tracks, number);
    track->is_described = track->has_process = true;
    track->pid = pid;
    return number;
}

uint32_t tp_tracks_of_thread(struct tp_tracks *tracks, int64_t pid, int64_t tid)
{
    uint64_t parent = track_at(tracks, tp_tracks_of_process(tracks, pid))->uuid;
    uint32_t number = tp_tracks_number(tracks, uuid_of(2, (uint64_t)pid, (uint64_t)tid));
    struct tp_track *track = track_at(tracks, number);
    track->is_described = track->has_thread = true;
    track->parent = parent;
    track->thread_pid = pid;
    track->tid = tid;
    return number;
}

uint32_t tp_tracks_async(struct tp_tracks *tracks, uint32_t base, uint64_t id, bool is_local, struct tp_str name)
{
    enum { ID_BITS = 0x7FFFFFFF };
    const struct tp_track at = *tp_tracks_place(tracks, base);
    uint64_t uuid = uuid_of(3, id, is_local ? (uint64_t)at.placed_pid : UINT64_MAX);
    uint32_t number = tp_tracks_number(tracks, uuid);
    struct tp_track *track = track_at(tracks, number);
    if (track->is_described)
        return number;
    track->is_described = track->has_thread = true;
    track->parent = at.parent;
    track->thread_pid = at.placed_pid;
    track->tid = (int64_t)(uuid & ID_BITS);
    track->thread_name = keep_text(tracks, name);
    return number;
}

/* ---- process and thread of a track ---- */

/* The process and the thread that the descriptions of a track and its ancestors give. */
struct place {
    int64_t pid, tid;
    struct tp_str process_name, thread_name, labels;
};

static struct place find_place(const struct tp_tracks *tracks, const struct tp_track *track)
{
    enum { ID_BITS = 0x7FFFFFFF };
    const struct tp_track *at = track, *thread = NULL;
    struct tp_str name = {NULL, 0};
    struct place place = {.tid = (int64_t)(track->uuid & ID_BITS), .process_name = TP_STR("trace")};
    for (int level = 0; at && at->is_described && level < MAX_LEVELS; level++) {
        name = name.ptr ? name : at->name;
        thread = thread || !at->has_thread ? thread : at;
        if (at->has_process) {
            place.pid = at->pid;
            place.process_name = at->process_name.ptr ? at->process_name : TP_STR("process");
            place.labels = at->labels;
            break;
        }
        const uint32_t *parent = tp_id_map_find(&tracks->numbers, at->parent);
        at = parent ? track_at(tracks, *parent) : NULL;
    }
    if (thread) {
        place.pid = thread->thread_pid;
        place.tid = thread->tid;
        place.process_name = at && at->has_process ? place.process_name : TP_STR("process");
    }
    place.thread_name = thread ? thread->thread_name : name;
    return place;
}

struct tp_str tp_tracks_token(struct tp_sink *sink, int64_t number)
{
    char *token = tp_arena_alloc(sink->trace->arena, TP_PUT_INT + TOKEN_PAD);
    return (struct tp_str){token, (size_t)(tp_put_int(token, number) - token)};
}

/* Returns the name that torch gives to a thread: "thread 7 (python)". */
static struct tp_str format_thread_name(struct tp_sink *sink, int64_t tid, struct tp_str name)
{
    char text[TP_MAX_SHOWN_NAME_BYTES + 64];
    int shown = (int)(name.len < TP_MAX_SHOWN_NAME_BYTES ? name.len : TP_MAX_SHOWN_NAME_BYTES);
    int size = snprintf(text, sizeof text, name.len ? "thread %lld (%.*s)" : "thread %lld%.*s", (long long)tid, shown,
                        name.len ? name.ptr : "");
    size_t len = size < 0 ? 0 : (size_t)size;
    return tp_sink_text_by_id(sink, tp_sink_intern_text(sink, &sink->texts, (struct tp_str){text, len}));
}

/* Names a process and a thread of the host, as torch names them. */
static void name_rows(struct tp_tracks *tracks, const struct place *place, uint32_t thread)
{
    struct tp_sink *sink = tracks->sink;
    const struct tp_row_id pid = {.number = place->pid};
    struct tp_process *process = tp_sink_add_process(sink, &pid);
    if (!process->name.len || !tp_str_equal(place->process_name, TP_STR("process")))
        process->name = place->process_name;
    process->labels = place->labels.ptr ? place->labels : TP_STR("CPU");
    process->sort_index = place->pid;
    struct tp_str name = place->thread_name;
    bool is_known = name.len || !TP_AT(&sink->threads, struct tp_thread, thread)->name.len;
    if (!tracks->is_own)
        name = format_thread_name(sink, place->tid, name);
    if (name.ptr && is_known)
        tp_sink_set_thread_name(sink, thread, name);
}

/* Finds the process and the thread of a track. Time that the recorder used belongs to a process of its own, as in
 * torch's JSON. */
/* Gives a track the row that it had in the exported trace. Returns false if it had none. */
static bool place_exported_track(struct tp_tracks *tracks, struct tp_track *track)
{
    const struct tp_track *at = track;
    for (int level = 0; level < MAX_LEVELS && at->parent && !at->has_thread; level++) {
        const uint32_t *parent = tp_id_map_find(&tracks->numbers, at->parent);
        if (!parent)
            return false;
        at = track_at(tracks, *parent);
    }
    if (at->uuid == 0 || at->uuid > tracks->rows.count)
        return false;
    const struct tp_exported_row *row = TP_AT(&tracks->rows, struct tp_exported_row, at->uuid - 1);
    track->pid_token = row->pid;
    track->tid_token = row->tid;
    track->shown_process = TP_STR("");
    track->is_placed = track->is_exported = true;
    return true;
}

static struct place place_track(struct tp_tracks *tracks, struct tp_track *track)
{
    struct place place = find_place(tracks, track);
    if (tp_str_equal(place.process_name, TP_STR("Overhead"))) {
        place.pid = -1;
        place.tid = 0;
    }
    track->pid_token = tp_tracks_token(tracks->sink, place.pid);
    track->tid_token = tp_tracks_token(tracks->sink, place.tid);
    track->placed_pid = place.pid;
    track->placed_tid = place.tid;
    track->shown_process = place.process_name;
    track->is_placed = true;
    return place;
}

struct tp_track *tp_tracks_place(struct tp_tracks *tracks, uint32_t number)
{
    struct tp_track *track = track_at(tracks, number);
    if (!track->is_placed && !(tracks->is_own && place_exported_track(tracks, track)))
        place_track(tracks, track);
    return track;
}

static void use_track(struct tp_tracks *tracks, struct tp_track *track, const struct place *place)
{
    const struct tp_row_id pid = {.number = place->pid}, tid = {.number = place->tid};
    track->has_events = true;
    track->thread = tp_sink_add_thread(tracks->sink, &pid, &tid);
    if (place->pid >= 0)
        name_rows(tracks, place, track->thread);
}

void tp_tracks_use(struct tp_tracks *tracks, struct tp_track *track, struct tp_str name)
{
    if (track->has_events || track->is_exported)
        return;
    if (!track->name.ptr && !track->has_thread && !track->has_process)
        track->name = keep_text(tracks, name);
    struct place place = find_place(tracks, track);
    place.pid = track->placed_pid;
    place.tid = track->placed_tid;
    use_track(tracks, track, &place);
}

void tp_tracks_finish(struct tp_tracks *tracks)
{
    struct tp_sink *sink = tracks->sink;
    uint32_t count = (uint32_t)sink->threads.count;
    uint32_t *moved = tp_arena_array(sink->trace->arena, count, sizeof *moved);
    bool has_moved = false;
    for (uint32_t t = 0; t < count; t++)
        moved[t] = t;
    for (uint32_t i = 0; i < tracks->items.count; i++) {
        struct tp_track *track = track_at(tracks, i);
        const struct tp_track before = *track;
        if (!track->has_events)
            continue;
        struct place place = place_track(tracks, track);
        if (place.pid == before.placed_pid && place.tid == before.placed_tid)
            continue;
        use_track(tracks, track, &place);
        moved[before.thread] = track->thread;
        has_moved = true;
    }
    for (size_t i = 0; i < sink->events.count && has_moved; i++) {
        struct tp_event *event = TP_AT(&sink->events, struct tp_event, i);
        event->thread = (event->thread < count ? moved[event->thread] : event->thread) & 0xFFFFF;
    }
}
