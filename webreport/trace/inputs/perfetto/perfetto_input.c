/* Reads Perfetto traces: see perfetto_input.h. This file splits the text into packets, and passes the parts of each
 * packet to the other files of the folder. A file is Perfetto's message Trace: a repeated field 1 with packets.
 *
 * Damage inside a packet loses this packet. Damage between packets ends the reading, because the next packet cannot be
 * found; the file then counts as cut. */
#include "webreport/trace/inputs/perfetto/perfetto_input.h"

#include <stddef.h>
#include <stdlib.h>
#include <zlib.h>

#include "webreport/trace/inputs/perfetto/gpu_stages.h"
#include "webreport/trace/inputs/perfetto/interned_data.h"
#include "webreport/trace/inputs/perfetto/legacy_events.h"
#include "webreport/trace/inputs/perfetto/perfetto_finish.h"
#include "webreport/trace/inputs/perfetto/track_events.h"
#include "writer/base/limits.h"

enum { PACKET_TAG = 0x0A, MOST_TAG_BYTES = 11, FIRST_OUT = 1 << 16 };

/* ---- one packet ---- */

/* The part of a packet with each field number, and its place in struct tp_packet. */
#define PLACE(part, member)                                                                                            \
    {                                                                                                                  \
        TP_PART_##part, offsetof(struct tp_packet, member)                                                             \
    }
static const struct place {
    uint16_t part, offset;
} places[] = {[1] = PLACE(FTRACE, ftrace),
              [6] = PLACE(SNAPSHOT, snapshot),
              [8] = PLACE(TIMESTAMP, timestamp),
              [10] = PLACE(SEQUENCE, sequence),
              [11] = PLACE(EVENT, event),
              [12] = PLACE(INTERNED, interned),
              [13] = PLACE(FLAGS, flags),
              [41] = PLACE(CLEARED, is_cleared),
              [42] = PLACE(PREVIOUS_DROPPED, previous_dropped),
              [43] = PLACE(PROCESS, process),
              [44] = PLACE(THREAD, thread),
              [50] = PLACE(COMPRESSED, compressed),
              [52] = PLACE(COUNTER, counter),
              [53] = PLACE(STAGE, stage),
              [58] = PLACE(CLOCK, clock),
              [59] = PLACE(DEFAULTS, defaults),
              [60] = PLACE(DESCRIPTOR, descriptor),
              [90] = PLACE(RANGE, range)};
#undef PLACE

static bool is_number_part(unsigned part)
{
    return part >= TP_PART_TIMESTAMP || part == TP_PART_CLEARED || part == TP_PART_PREVIOUS_DROPPED;
}

static bool read_packet(struct tp_packet *packet, struct tp_str text)
{
    struct tp_wire wire = tp_wire_of(text);
    struct tp_wire_field field;
    packet->parts = 0;
    packet->timestamp = packet->clock = packet->sequence = packet->flags = 0;
    packet->is_cleared = packet->previous_dropped = 0;
    while (tp_wire_next(&wire, &field)) {
        struct place place = field.number < sizeof places / sizeof *places ? places[field.number] : places[0];
        if (place.part == TP_PART_NONE ||
            field.type != (is_number_part(place.part) ? (uint32_t)TP_WIRE_NUMBER : (uint32_t)TP_WIRE_BYTES))
            continue;
        packet->parts |= 1u << place.part;
        if (field.type == TP_WIRE_NUMBER)
            memcpy((char *)packet + place.offset, &field.value, sizeof field.value);
        else
            memcpy((char *)packet + place.offset, &field.bytes, sizeof field.bytes);
    }
    return !wire.is_broken;
}

/* Reads TracePacketDefaults: the clock and the track of packets that name none. */
static bool read_defaults(struct tp_sequence *sequence, struct tp_str message)
{
    enum { FIELD_CLOCK = 58, FIELD_EVENT = 11, FIELD_TRACK = 11 };
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    sequence->has_default_clock = sequence->has_default_track = false;
    while (tp_wire_next(&wire, &field)) {
        if (tp_wire_is(&field, FIELD_CLOCK, TP_WIRE_NUMBER)) {
            sequence->default_clock = field.value;
            sequence->has_default_clock = true;
        } else if (tp_wire_is(&field, FIELD_EVENT, TP_WIRE_BYTES)) {
            const struct tp_wire_number track = {FIELD_TRACK, &sequence->default_track};
            sequence->default_track = 0;
            if (!tp_wire_read_numbers(field.bytes, &track, 1))
                return false;
            sequence->has_default_track = sequence->default_track != 0;
        }
    }
    return !wire.is_broken;
}

/* Reads a TrackEventRangeOfInterest: the time before which no slice begins. */
static bool read_range(struct tp_perfetto *p, struct tp_str message)
{
    uint64_t start_us = 0;
    const struct tp_wire_number wanted = {1, &start_us};
    if (!tp_wire_read_numbers(message, &wanted, 1))
        return false;
    p->least_ns = start_us < TP_MAX_TIME_NS / 1000 ? (int64_t)start_us * 1000 : 0;
    return true;
}

/* Reads the state that a packet carries: clocks, texts and tracks. Returns false if a message is broken. */
static bool read_state(struct tp_perfetto *p, struct tp_sequence *sequence, const struct tp_packet *packet)
{
    enum { FLAG_CLEARED = 1 };
    const uint32_t state_parts = (1u << TP_PART_FTRACE) - 1;
    bool is_cleared = packet->flags & FLAG_CLEARED || packet->is_cleared;
    if (!is_cleared && !(packet->parts & state_parts)) {
        sequence->has_packets = true;
        return true;
    }
    if (is_cleared)
        tp_interned_clear(&p->interned, sequence);
    if (packet->previous_dropped && !is_cleared)
        sequence->lost_packets = true;
    /* Perfetto also sets the mark in the first packet of a sequence, before which nothing was lost */
    p->dropped[TP_DROP_LOSSES] += packet->previous_dropped && (sequence->has_packets || !is_cleared);
    sequence->has_packets = true;
    return (!tp_packet_has(packet, TP_PART_DEFAULTS) || read_defaults(sequence, packet->defaults)) &&
           (!tp_packet_has(packet, TP_PART_SNAPSHOT) ||
            tp_clocks_read_snapshot(&p->clocks, sequence, packet->snapshot)) &&
           (!tp_packet_has(packet, TP_PART_INTERNED) ||
            tp_interned_data_read(&p->interned, sequence, packet->interned)) &&
           (!tp_packet_has(packet, TP_PART_DESCRIPTOR) ||
            tp_tracks_read(&p->tracks, packet->descriptor, &sequence->thread_track)) &&
           (!tp_packet_has(packet, TP_PART_THREAD) || tp_legacy_read_thread(p, sequence, packet->thread)) &&
           (!tp_packet_has(packet, TP_PART_PROCESS) || tp_legacy_read_process(p, packet->process)) &&
           (!tp_packet_has(packet, TP_PART_RANGE) || read_range(p, packet->range));
}

/* Reads the events of a packet. Returns false if a message is broken. */
static bool read_events(struct tp_perfetto *p, struct tp_sequence *sequence, const struct tp_packet *packet)
{
    p->dropped[TP_DROP_FTRACE] += tp_packet_has(packet, TP_PART_FTRACE);
    return (!tp_packet_has(packet, TP_PART_EVENT) || tp_track_events_read(p, sequence, packet)) &&
           (!tp_packet_has(packet, TP_PART_STAGE) || tp_stages_read(p, sequence, packet)) &&
           (!tp_packet_has(packet, TP_PART_COUNTER) || tp_stages_read_counters(p, sequence, packet));
}

/* ---- compressed packets ---- */

/* Inflates packets into *out, which the caller frees. Returns 0, TP_EFORMAT for damage, TP_ENOMEM or TP_ELIMIT. */
static int inflate_packets(struct tp_str packed, char **out, size_t *size)
{
    size_t capacity = packed.len * 4 + FIRST_OUT;
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)packed.ptr, .avail_in = (uInt)packed.len};
    if (inflateInit(&stream) != Z_OK)
        return TP_ENOMEM;
    int status = Z_OK, code = TP_OK;
    *out = NULL;
    *size = 0;
    while (status == Z_OK && code == TP_OK) {
        char *grown = capacity > TP_MAX_PERFETTO_INFLATED_BYTES ? NULL : realloc(*out, capacity);
        if (!grown) {
            code = capacity > TP_MAX_PERFETTO_INFLATED_BYTES ? TP_ELIMIT : TP_ENOMEM;
            break;
        }
        *out = grown;
        stream.next_out = (Bytef *)grown + *size;
        stream.avail_out = (uInt)(capacity - *size);
        status = inflate(&stream, Z_NO_FLUSH);
        *size = capacity - stream.avail_out;
        capacity *= 2;
    }
    inflateEnd(&stream);
    return code < 0 ? code : status == Z_STREAM_END ? TP_OK : TP_EFORMAT;
}

/* Reads the packets in a text. level: 1 for the packets inside a compressed packet. Returns 0 or a negative code. */
static int read_packets(struct tp_perfetto *p, struct tp_str text, unsigned level);

/* Arguments for reading packets in memory with a separate guard, so that the memory is freed after a failure. */
struct inner {
    struct tp_perfetto *p;
    struct tp_str text;
    unsigned level;
};

static int read_inner_packets(void *context, struct tp_error *err)
{
    struct inner *inner = context;
    (void)err;
    return read_packets(inner->p, inner->text, inner->level);
}

/* Reads the packets inside a compressed packet. A compressed packet inside another one is dropped. */
static int read_compressed(struct tp_perfetto *p, struct tp_str packed, unsigned level)
{
    struct tp_arena *arena = p->sink->trace->arena;
    char *text = NULL;
    size_t size = 0;
    int code =
        level > 0 || packed.len > TP_MAX_PERFETTO_PACKET_BYTES ? TP_EFORMAT : inflate_packets(packed, &text, &size);
    p->inflated_bytes += size;
    bool is_too_much = p->inflated_bytes > TP_MAX_INPUT_BYTES || code == TP_ELIMIT;
    p->dropped[TP_DROP_COMPRESSED] += code == TP_EFORMAT;
    if (code == TP_OK && !is_too_much) {
        code = tp_arena_run(arena, read_inner_packets, &(struct inner){p, {text, size}, level + 1}, NULL);
        free(text);
        tp_arena_fail_with_stored_code(arena);
        return code;
    }
    free(text);
    if (is_too_much)
        return tp_error_set(p->source->err, TP_ELIMIT, p->offset, "a compressed packet inflates to more than %u bytes",
                            TP_MAX_PERFETTO_INFLATED_BYTES);
    return code == TP_ENOMEM ? tp_error_set(p->source->err, TP_ENOMEM, 0, "out of memory") : TP_OK;
}

/* ---- packets of a text ---- */

/* Reads one packet. Returns 0 or a negative code. */
static int handle_packet(struct tp_perfetto *p, struct tp_str text, unsigned level)
{
    enum { FLAG_NEEDS_STATE = 2 };
    struct tp_packet packet;
    if (!read_packet(&packet, text)) {
        p->dropped[TP_DROP_BROKEN_PACKETS]++;
        return TP_OK;
    }
    struct tp_sequence *sequence = tp_interned_sequence(&p->interned, packet.sequence);
    if (!sequence) {
        p->dropped[TP_DROP_SEQUENCES]++;
        return TP_OK;
    }
    bool is_good = read_state(p, sequence, &packet);
    if (is_good && packet.flags & FLAG_NEEDS_STATE && sequence->lost_packets) {
        p->dropped[TP_DROP_LOST_STATE]++;
        return TP_OK;
    }
    if (is_good && p->builder.element_count >= TP_MAX_EVENTS)
        return tp_error_set(p->source->err, TP_ELIMIT, 0, "more than %u events", TP_MAX_EVENTS);
    is_good = is_good && read_events(p, sequence, &packet);
    p->dropped[TP_DROP_BROKEN_PACKETS] += !is_good;
    return tp_packet_has(&packet, TP_PART_COMPRESSED) ? read_compressed(p, packet.compressed, level) : TP_OK;
}

enum frame { FRAME_PACKET, FRAME_MORE, FRAME_BROKEN };

/* Finds the packet at the beginning of a text. Sets *packet to it, or *need to the number of bytes that the text must
 * have. */
static enum frame find_packet(struct tp_str text, struct tp_str *packet, size_t *need)
{
    struct tp_wire wire = tp_wire_of((struct tp_str){text.ptr + 1, text.len - 1});
    uint64_t size;
    *need = text.len + 1;
    if (*text.ptr != PACKET_TAG)
        return FRAME_BROKEN;
    if (!tp_wire_read_number(&wire, &size))
        return text.len < MOST_TAG_BYTES ? FRAME_MORE : FRAME_BROKEN;
    size_t start = (size_t)((const char *)wire.at - text.ptr);
    if (size > TP_MAX_PERFETTO_PACKET_BYTES)
        return FRAME_BROKEN;
    *need = start + size;
    if (*need > text.len)
        return FRAME_MORE;
    *packet = (struct tp_str){text.ptr + start, size};
    return FRAME_PACKET;
}

static int read_packets(struct tp_perfetto *p, struct tp_str text, unsigned level)
{
    struct tp_str packet;
    size_t need;
    int code = TP_OK;
    while (text.len && code == TP_OK) {
        if (find_packet(text, &packet, &need) != FRAME_PACKET) {
            p->dropped[TP_DROP_BROKEN_PACKETS]++;
            return TP_OK;
        }
        code = handle_packet(p, packet, level);
        text = (struct tp_str){text.ptr + need, text.len - need};
    }
    return code;
}

/* Reads further windows until the unread text has `need` bytes. Doubles the text each time, so that a long packet needs
 * linear time. Returns 1, 0 at the end of the input, or a negative code. */
static int extend_window(struct tp_source *source, size_t need)
{
    int status = 1;
    while (status > 0 && (size_t)(source->end - source->at) < need)
        status = tp_feed_next_window(source->feed, &source->at, &source->end, source->err);
    return status;
}

/* Reads all packets of the file. Returns 0 or a negative code. */
static int read_file(struct tp_perfetto *p)
{
    struct tp_source *source = p->source;
    size_t need = 1;
    int status = 1;
    while ((status = extend_window(source, need)) > 0) {
        struct tp_str text = {source->at, (size_t)(source->end - source->at)}, packet;
        enum frame frame = find_packet(text, &packet, &need);
        if (frame == FRAME_MORE)
            continue;
        if (frame == FRAME_BROKEN) {
            p->is_cut = true;
            return TP_OK;
        }
        p->offset = tp_feed_offset(source->feed, source->at);
        int code = handle_packet(p, packet, 0);
        if (code < 0)
            return code;
        source->at = packet.ptr + packet.len;
        need = 1;
    }
    p->is_cut = source->at < source->end;
    return status;
}

/* ---- the whole trace ---- */

static int read_trace(void *context, struct tp_error *err)
{
    struct tp_perfetto *p = context;
    struct tp_source *source = p->source;
    struct tp_arena *arena = p->sink->trace->arena;
    (void)err;
    tp_builder_init(&p->builder, p->sink);
    tp_interned_init(&p->interned, arena);
    tp_annotations_init(&p->annotations, &p->interned, p->sink);
    tp_clocks_init(&p->clocks, arena);
    tp_tracks_init(&p->tracks, p->sink);
    tp_slices_init(&p->slices, arena);
    p->plain_slices = TP_VEC(arena, uint32_t);
    p->agents = TP_VEC(arena, int64_t);
    p->archs = TP_VEC(arena, struct tp_perfetto_arch);
    p->streams = TP_VEC(arena, struct tp_stream_row);
    tp_keys_init(&p->stream_keys, arena, 4);
    tp_keys_init(&p->counter_keys, arena, 2);
    p->counter_sums = TP_VEC(arena, double);
    tp_value_cache_init(&p->dimensions, p->sink);
    tp_stages_init(p);
    p->old_stages = TP_VEC(arena, uint32_t);
    int code = read_file(p);
    if (code < 0)
        return code;
    const char *stopped_at = source->at;
    uint64_t stop = stopped_at ? tp_feed_offset(source->feed, stopped_at) : 0;
    code = tp_source_drain(source);
    if (code < 0)
        return code;
    tp_source_store_feed_report(source, source->at);
    p->is_cut = p->is_cut || p->sink->trace->reading.is_truncated;
    if (p->is_cut && !p->sink->trace->reading.is_truncated)
        tp_sink_count_notice(p->sink, TP_NOTICE_ENDS_EARLY, stop);
    return tp_perfetto_finish(p);
}

int tp_perfetto_read(struct tp_source *source)
{
    struct tp_arena *arena = source->sink->trace->arena;
    struct tp_perfetto p = {.source = source, .sink = source->sink, .first_ns = INT64_MAX, .last_ns = INT64_MIN};
    source->is_binary = true;
    int code = tp_arena_run(arena, read_trace, &p, NULL);
    tp_builder_release(&p.builder);
    tp_arena_fail_with_stored_code(arena);
    return code;
}
