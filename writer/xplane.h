/* Builds an XSpace, the file format of XProf: planes (a host, a device) with lines (a thread, a stream) of events, each
 * event with typed stats. This module implements the format. webreport/export/xplane/export_xplane.c defines the names
 * that have a meaning for XProf.
 *
 *     struct tp_xspace *space = tp_xspace_new(arena, TP_STR("worker0"), 0);
 *     struct tp_xplane *plane = tp_xspace_add_plane(space, 1, TP_STR("/host:CPU"));
 *     uint32_t name = tp_xplane_add_name(plane, TP_STR("main/aten.add:add"), TP_STR("aten::add"));
 *     tp_xplane_begin_line(plane, 1, TP_STR("python"));
 *     tp_xplane_add_event(plane, &(struct tp_xevent){.start_ns = 10, .dur_ns = 5, .name = name});
 *     code = tp_xspace_write(space, path, err);
 *
 * All memory is in the given arena, whose guard the caller has set. Events are packed, with about 40 bytes each. Texts
 * may contain any bytes: ill-formed UTF-8 and NUL become U+FFFD. After TP_MAX_XSPACE_BYTES nothing more is added, and
 * tp_xspace_write reports that. Only one thread may use a space. */
#ifndef TP_WRITER_XPLANE_H
#define TP_WRITER_XPLANE_H

#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

struct tp_xspace;
struct tp_xplane;

enum { TP_XEVENT_STATS = 16 }; /* maximum number of stats of one event */

enum tp_xstat_type { TP_XSTAT_INT, TP_XSTAT_UINT, TP_XSTAT_REAL, TP_XSTAT_TEXT };

/* A named value of an event or a plane. name, text: ids from tp_xplane_add_text of the same plane. */
struct tp_xstat {
    uint32_t name;
    enum tp_xstat_type type;
    union {
        int64_t integer;
        uint64_t number;
        double real;
        uint32_t text;
    };
};

/* An event of a line. Events must be added in order of their start, and an event before the events inside it. */
struct tp_xevent {
    int64_t start_ns;             /* start of the event, ns since the beginning of the profile, 0 .. TP_MAX_XEVENT_NS */
    int64_t dur_ns;               /* duration, ns, 0 .. TP_MAX_XEVENT_NS */
    uint32_t name;                /* id from tp_xplane_add_name of the same plane */
    unsigned stat_count;          /* number of stats, at most TP_XEVENT_STATS */
    const struct tp_xstat *stats; /* stats of the event; NULL if stat_count is 0 */
};

/* Creates an empty space. host: name of the machine or worker that the planes describe. max_bytes: most bytes of the
 * file; 0 means TP_MAX_XSPACE_BYTES. Never returns NULL. */
struct tp_xspace *tp_xspace_new(struct tp_arena *arena, struct tp_str host, uint64_t max_bytes);

/* Adds a text that XProf shows as a warning. */
void tp_xspace_add_warning(struct tp_xspace *space, struct tp_str text);

/* Adds a plane. The space owns the plane, and the caller borrows it. id: a small number, different for each plane. */
struct tp_xplane *tp_xspace_add_plane(struct tp_xspace *space, int64_t id, struct tp_str name);

/* Returns the id of an event name. display: text that is shown instead of the name; empty: the name is shown. Equal
 * pairs of name and display have the same id. */
uint32_t tp_xplane_add_name(struct tp_xplane *plane, struct tp_str name, struct tp_str display);

/* Returns the id of the name of a stat, or of a text as the value of a stat. Equal texts have the same id. */
uint32_t tp_xplane_add_text(struct tp_xplane *plane, struct tp_str text);

/* Adds a stat of the whole plane. */
void tp_xplane_add_stat(struct tp_xplane *plane, const struct tp_xstat *stat);

/* Begins a line, to which the following events belong. id: different for each line of the plane. */
void tp_xplane_begin_line(struct tp_xplane *plane, int64_t id, struct tp_str name);

/* Adds an event to the current line. Times outside of 0 .. TP_MAX_XEVENT_NS become the nearest limit. */
void tp_xplane_add_event(struct tp_xplane *plane, const struct tp_xevent *event);

/* Writes the space to a file, which appears complete or not at all (tp_outfile_open). Returns 0, TP_EIO, TP_ENOMEM, or
 * TP_ELIMIT if the space is larger than readers accept. May jump to the arena's guard before the file is opened. */
int tp_xspace_write(struct tp_xspace *space, const char *path, struct tp_error *err);

#endif
