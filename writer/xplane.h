/* Builds an XSpace, the file format of XProf: planes (a host, a device) of lines (a thread, a stream) of events, each
 * event with typed stats. Knows the format, not what XProf makes of names: that is webreport/export/xplane/export_xplane.c.
 *
 *     struct tp_xspace *space = tp_xspace_new(arena, TP_STR("worker0"), 0);
 *     struct tp_xplane *plane = tp_xspace_plane(space, 1, TP_STR("/host:CPU"));
 *     uint32_t name = tp_xplane_name(plane, TP_STR("main/aten.add:add"), TP_STR("aten::add"));
 *     tp_xplane_line(plane, 1, TP_STR("python"));
 *     tp_xplane_event(plane, &(struct tp_xevent){.start_ns = 10, .dur_ns = 5, .name = name});
 *     code = tp_xspace_write(space, path, err);
 *
 * Everything lives in the arena given, whose guard the caller has set; events are kept packed, some 40 bytes each. Any
 * bytes may be given as text: what is no UTF-8, and NUL, becomes U+FFFD. Beyond TP_MAX_XSPACE_BYTES nothing is added
 * any more and tp_xspace_write says so. One thread. */
#ifndef TP_WRITER_XPLANE_H
#define TP_WRITER_XPLANE_H

#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

struct tp_xspace;
struct tp_xplane;

enum { TP_XEVENT_STATS = 16 }; /* most stats of one event */

enum tp_xstat_type { TP_XSTAT_INT, TP_XSTAT_UINT, TP_XSTAT_REAL, TP_XSTAT_TEXT };

/* A named value of an event or a plane. name, text: ids of tp_xplane_text of the same plane. */
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

/* An event of a line. Give them by start, enclosing ones first. */
struct tp_xevent {
    int64_t start_ns;             /* since the beginning of the profile, 0 .. TP_MAX_XEVENT_NS */
    int64_t dur_ns;               /* likewise */
    uint32_t name;                /* id of tp_xplane_name of the same plane */
    unsigned stat_count;          /* at most TP_XEVENT_STATS */
    const struct tp_xstat *stats; /* may be NULL when there are none */
};

/* An empty space. host: name of the machine or worker the planes are of. max_bytes: most bytes of the file, 0:
 * TP_MAX_XSPACE_BYTES. Never NULL. */
struct tp_xspace *tp_xspace_new(struct tp_arena *arena, struct tp_str host, uint64_t max_bytes);

/* A text XProf shows among its warnings. */
void tp_xspace_warn(struct tp_xspace *space, struct tp_str text);

/* Adds a plane; borrowed, of the space. id: small and different for each. */
struct tp_xplane *tp_xspace_plane(struct tp_xspace *space, int64_t id, struct tp_str name);

/* Id of an event name. display: what is shown instead; empty for nothing else. Equal pairs have one id. */
uint32_t tp_xplane_name(struct tp_xplane *plane, struct tp_str name, struct tp_str display);

/* Id of the name of a stat, or of a text as its value. Equal texts have one id. */
uint32_t tp_xplane_text(struct tp_xplane *plane, struct tp_str text);

/* A stat of the plane as a whole. */
void tp_xplane_stat(struct tp_xplane *plane, const struct tp_xstat *stat);

/* Begins a line; the events that follow are its. id: different for each line of the plane. */
void tp_xplane_line(struct tp_xplane *plane, int64_t id, struct tp_str name);

/* Adds an event to the line begun last. Times outside their range are moved to its border. */
void tp_xplane_event(struct tp_xplane *plane, const struct tp_xevent *event);

/* Writes the whole to a file, which appears whole or not at all (tp_outfile_open). Returns 0; TP_EIO; TP_ENOMEM;
 * TP_ELIMIT when the space is larger than readers take. Leaves through the arena's guard before the file is opened. */
int tp_xspace_write(struct tp_xspace *space, const char *path, struct tp_error *err);

#endif
