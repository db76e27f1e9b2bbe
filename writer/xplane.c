/* Builds an XSpace: see xplane.h.
 *
 * Each line is packed immediately, because concatenated protobuf messages merge. A plane consists of its packed lines,
 * followed by its metadata. Only the lengths in front of planes and lines are written at the end. */
#include "writer/xplane.h"

#include <assert.h>
#include <string.h>

#include "writer/base/fs.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"
#include "writer/proto/xplane.pb-c.h"

enum { VARINT_MOST = 10, LENGTH_DELIMITED = 2 };
enum { SPACE_PLANES = 1, SPACE_WARNINGS = 3, SPACE_HOSTNAMES = 4 };
enum { PLANE_LINES = 3, PLANE_EVENT_METADATA = 4, PLANE_STAT_METADATA = 5, PLANE_STATS = 6, LINE_EVENTS = 4 };

struct tp_xplane {
    struct tp_xplane *next;
    struct tp_xspace *space;
    int64_t id;
    struct tp_str name;
    struct tp_strings names; /* names of events, each as NAME, NUL, DISPLAY */
    struct tp_strings texts; /* names of stats, and texts that are values of stats */
    struct tp_vec lines;     /* packed lines of the plane */
    struct tp_vec line;      /* packed fields of the current line */
    struct tp_vec tail;      /* packed fields of the plane that follow the lines */
    bool has_line;
};

struct tp_xspace {
    struct tp_arena *arena;
    struct tp_xplane *first, **last;
    struct tp_vec tail;  /* packed fields of the space that follow the planes */
    struct tp_vec clean; /* scratch buffer of clean_text */
    uint64_t used_bytes, max_bytes;
    bool is_full;
};

/* ---- encoding of protobuf fields ---- */

static uint8_t *make_room_at_end(struct tp_vec *out, size_t size)
{
    size_t end;
    if (__builtin_add_overflow(out->count, size, &end))
        tp_arena_fail(out->arena, TP_ENOMEM);
    if (end > out->capacity)
        tp_vec_grow(out, end);
    uint8_t *at = (uint8_t *)out->data + out->count;
    out->count = end;
    return at;
}

static size_t put_varint(uint8_t *out, uint64_t value)
{
    size_t n = 0;
    for (; value > 127; value >>= 7)
        out[n++] = (uint8_t)(value | 128);
    out[n++] = (uint8_t)value;
    return n;
}

/* Writes the key and the length of a field of `size` bytes. Returns the number of bytes written. */
static size_t put_header(uint8_t *out, unsigned field, uint64_t size)
{
    size_t n = put_varint(out, field << 3 | LENGTH_DELIMITED);
    return n + put_varint(out + n, size);
}

/* Counts `size` bytes that are about to be added. Returns false if the space has no room for them. */
static bool has_room_for_bytes(struct tp_xspace *space, size_t size)
{
    if (size > space->max_bytes - space->used_bytes || space->max_bytes - space->used_bytes - size < 2 * VARINT_MOST)
        space->is_full = true;
    else
        space->used_bytes += size + 2 * VARINT_MOST;
    return !space->is_full;
}

static void add_message(struct tp_xspace *space, struct tp_vec *out, unsigned field, const ProtobufCMessage *message)
{
    uint8_t header[2 * VARINT_MOST];
    size_t size = protobuf_c_message_get_packed_size(message);
    if (!has_room_for_bytes(space, size))
        return;
    size_t n = put_header(header, field, size);
    uint8_t *at = make_room_at_end(out, n + size);
    memcpy(at, header, n);
    protobuf_c_message_pack(message, at + n);
}

static void add_bytes(struct tp_xspace *space, struct tp_vec *out, unsigned field, struct tp_str bytes)
{
    uint8_t header[2 * VARINT_MOST];
    if (!has_room_for_bytes(space, bytes.len))
        return;
    size_t n = put_header(header, field, bytes.len);
    uint8_t *at = make_room_at_end(out, n + bytes.len);
    memcpy(at, header, n);
    if (bytes.len)
        memcpy(at + n, bytes.ptr, bytes.len);
}

static ProtobufCBinaryData data_of_text(struct tp_str text)
{
    return (ProtobufCBinaryData){text.len, (uint8_t *)text.ptr};
}

/* ---- texts ---- */

static bool is_clean(struct tp_str text)
{
    size_t rest = 0;
    return !text.len || (!memchr(text.ptr, '\0', text.len) && tp_utf8_is_valid(text.ptr, text.len, &rest) && !rest);
}

/* Appends the text to `out`, with NUL and ill-formed bytes as U+FFFD. */
static void append_clean_text(struct tp_vec *out, struct tp_str text)
{
    if (is_clean(text)) {
        if (text.len)
            memcpy(make_room_at_end(out, text.len), text.ptr, text.len);
        return;
    }
    for (size_t i = 0; i < text.len;) {
        int n = tp_utf8_length(text.ptr + i, text.len - i);
        size_t step = (size_t)(n < 0 ? -n : n);
        if (n < 0 || text.ptr[i] == '\0')
            memcpy(make_room_at_end(out, 3), "\xEF\xBF\xBD", 3);
        else
            memcpy(make_room_at_end(out, step), text.ptr + i, step);
        i += step;
    }
}

/* Returns the text as valid UTF-8 without NUL. The result is valid until the next call. */
static struct tp_str clean_text(struct tp_xspace *space, struct tp_str text)
{
    if (is_clean(text))
        return text;
    space->clean.count = 0;
    append_clean_text(&space->clean, text);
    return (struct tp_str){space->clean.data, space->clean.count};
}

static struct tp_str copy_text(struct tp_xspace *space, struct tp_str text)
{
    text = clean_text(space, text);
    return (struct tp_str){tp_arena_copy(space->arena, text.ptr, text.len), text.len};
}

/* ---- building of spaces and planes ---- */

struct tp_xspace *tp_xspace_new(struct tp_arena *arena, struct tp_str host, uint64_t max_bytes)
{
    struct tp_xspace *space = tp_arena_alloc(arena, sizeof *space);
    space->arena = arena;
    space->max_bytes = max_bytes ? max_bytes : TP_MAX_XSPACE_BYTES;
    space->last = &space->first;
    space->tail = TP_VEC(arena, uint8_t);
    space->clean = TP_VEC(arena, uint8_t);
    add_bytes(space, &space->tail, SPACE_HOSTNAMES, clean_text(space, host));
    return space;
}

void tp_xspace_add_warning(struct tp_xspace *space, struct tp_str text)
{
    add_bytes(space, &space->tail, SPACE_WARNINGS, clean_text(space, text));
}

struct tp_xplane *tp_xspace_add_plane(struct tp_xspace *space, int64_t id, struct tp_str name)
{
    struct tp_xplane *plane = tp_arena_alloc(space->arena, sizeof *plane);
    plane->space = space;
    plane->id = id;
    plane->name = copy_text(space, name);
    plane->lines = plane->line = plane->tail = TP_VEC(space->arena, uint8_t);
    tp_strings_init(&plane->names, space->arena, TP_MAX_XSPACE_BYTES);
    tp_strings_init(&plane->texts, space->arena, TP_MAX_XSPACE_BYTES);
    *space->last = plane;
    space->last = &plane->next;
    return plane;
}

uint32_t tp_xplane_add_name(struct tp_xplane *plane, struct tp_str name, struct tp_str display)
{
    struct tp_vec *scratch = &plane->space->clean;
    scratch->count = 0;
    append_clean_text(scratch, name);
    *make_room_at_end(scratch, 1) = '\0';
    append_clean_text(scratch, display);
    return tp_strings_add(&plane->names, (struct tp_str){scratch->data, scratch->count});
}

uint32_t tp_xplane_add_text(struct tp_xplane *plane, struct tp_str text)
{
    return tp_strings_add(&plane->texts, clean_text(plane->space, text));
}

static Tp__XStat make_packed_stat(const struct tp_xstat *stat)
{
    Tp__XStat out = TP__XSTAT__INIT;
    out.metadata_id = (int64_t)stat->name + 1; /* plus 1, because ids in the file start at 1 */
    switch (stat->type) {
    case TP_XSTAT_INT:
        out.value_case = TP__XSTAT__VALUE_INT64_VALUE;
        out.int64_value = stat->integer;
        break;
    case TP_XSTAT_UINT:
        out.value_case = TP__XSTAT__VALUE_UINT64_VALUE;
        out.uint64_value = stat->number;
        break;
    case TP_XSTAT_REAL:
        out.value_case = TP__XSTAT__VALUE_DOUBLE_VALUE;
        out.double_value = stat->real;
        break;
    case TP_XSTAT_TEXT:
        out.value_case = TP__XSTAT__VALUE_REF_VALUE;
        out.ref_value = (uint64_t)stat->text + 1;
        break;
    }
    return out;
}

void tp_xplane_add_stat(struct tp_xplane *plane, const struct tp_xstat *stat)
{
    Tp__XStat message = make_packed_stat(stat);
    add_message(plane->space, &plane->tail, PLANE_STATS, &message.base);
}

static void end_line(struct tp_xplane *plane)
{
    uint8_t header[2 * VARINT_MOST];
    if (!plane->has_line)
        return;
    size_t n = put_header(header, PLANE_LINES, plane->line.count);
    memcpy(make_room_at_end(&plane->lines, n), header, n);
    if (plane->line.count)
        memcpy(make_room_at_end(&plane->lines, plane->line.count), plane->line.data, plane->line.count);
    plane->line.count = 0;
    plane->has_line = false;
}

void tp_xplane_begin_line(struct tp_xplane *plane, int64_t id, struct tp_str name)
{
    Tp__XLine line = TP__XLINE__INIT;
    end_line(plane);
    line.id = id;
    line.name = data_of_text(clean_text(plane->space, name));
    size_t size = tp__xline__get_packed_size(&line);
    plane->has_line = has_room_for_bytes(plane->space, size);
    if (plane->has_line)
        tp__xline__pack(&line, make_room_at_end(&plane->line, size));
}

static int64_t ns_to_ps(int64_t ns)
{
    ns = ns < 0 ? 0 : ns;
    return (ns < TP_MAX_XEVENT_NS ? ns : TP_MAX_XEVENT_NS) * 1000;
}

void tp_xplane_add_event(struct tp_xplane *plane, const struct tp_xevent *event)
{
    Tp__XEvent message = TP__XEVENT__INIT;
    Tp__XStat stats[TP_XEVENT_STATS], *pointers[TP_XEVENT_STATS];
    assert(event->stat_count <= TP_XEVENT_STATS && (plane->has_line || plane->space->is_full));
    if (plane->space->is_full)
        return;
    for (unsigned i = 0; i < event->stat_count; i++) {
        stats[i] = make_packed_stat(&event->stats[i]);
        pointers[i] = &stats[i];
    }
    message.metadata_id = (int64_t)event->name + 1;
    message.data_case = TP__XEVENT__DATA_OFFSET_PS;
    message.offset_ps = ns_to_ps(event->start_ns);
    message.duration_ps = ns_to_ps(event->dur_ns);
    message.n_stats = event->stat_count;
    message.stats = pointers;
    add_message(plane->space, &plane->line, LINE_EVENTS, &message.base);
}

/* ---- writing ---- */

static void add_names(struct tp_xplane *plane)
{
    for (uint32_t i = 0; i < plane->names.count && !plane->space->is_full; i++) {
        struct tp_str both = tp_strings_get(&plane->names, i);
        size_t size = strlen(both.ptr); /* length of NAME; a NUL separates NAME and DISPLAY */
        Tp__XEventMetadata value = TP__XEVENT_METADATA__INIT;
        Tp__XEventMetadataEntry entry = TP__XEVENT_METADATA_ENTRY__INIT;
        value.id = entry.key = (int64_t)i + 1;
        value.name = data_of_text((struct tp_str){both.ptr, size});
        value.display_name = data_of_text((struct tp_str){both.ptr + size + 1, both.len - size - 1});
        entry.value = &value;
        add_message(plane->space, &plane->tail, PLANE_EVENT_METADATA, &entry.base);
    }
}

static void add_texts(struct tp_xplane *plane)
{
    for (uint32_t i = 0; i < plane->texts.count && !plane->space->is_full; i++) {
        Tp__XStatMetadata value = TP__XSTAT_METADATA__INIT;
        Tp__XStatMetadataEntry entry = TP__XSTAT_METADATA_ENTRY__INIT;
        value.id = entry.key = (int64_t)i + 1;
        value.name = data_of_text(tp_strings_get(&plane->texts, i));
        entry.value = &value;
        add_message(plane->space, &plane->tail, PLANE_STAT_METADATA, &entry.base);
    }
}

/* Finishes the plane. All work that needs memory is done here, before a file is opened. */
static void finish_plane(struct tp_xplane *plane)
{
    Tp__XPlane head = TP__XPLANE__INIT;
    end_line(plane);
    add_names(plane);
    add_texts(plane);
    head.id = plane->id;
    head.name = data_of_text(plane->name);
    size_t size = tp__xplane__get_packed_size(&head);
    if (has_room_for_bytes(plane->space, size))
        tp__xplane__pack(&head, make_room_at_end(&plane->tail, size));
}

static int write_plane(const struct tp_xplane *plane, struct tp_outfile *file, struct tp_error *err)
{
    uint8_t header[2 * VARINT_MOST];
    size_t n = put_header(header, SPACE_PLANES, plane->lines.count + plane->tail.count);
    int code = tp_outfile_write(file, header, n, err);
    code = code < 0 ? code : tp_outfile_write(file, plane->lines.data, plane->lines.count, err);
    return code < 0 ? code : tp_outfile_write(file, plane->tail.data, plane->tail.count, err);
}

int tp_xspace_write(struct tp_xspace *space, const char *path, struct tp_error *err)
{
    struct tp_outfile *file;
    for (struct tp_xplane *plane = space->first; plane; plane = plane->next)
        finish_plane(plane);
    if (space->is_full)
        return tp_error_set(err, TP_ELIMIT, 0, "%.160s: would be larger than the %llu bytes that XProf can read", path,
                            (unsigned long long)space->max_bytes);
    int code = tp_outfile_open(&file, path, err);
    for (const struct tp_xplane *plane = space->first; plane && code == TP_OK; plane = plane->next)
        code = write_plane(plane, file, err);
    code = code < 0 ? code : tp_outfile_write(file, space->tail.data, space->tail.count, err);
    if (code == TP_OK)
        return tp_outfile_commit(&file, err);
    tp_outfile_discard(&file);
    return code;
}
