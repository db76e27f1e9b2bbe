/* The parts of the XPlane export and what they share: see export_xplane.c. */
#ifndef TP_WEBREPORT_EXPORT_XPLANE_XPLANE_PARTS_H
#define TP_WEBREPORT_EXPORT_XPLANE_XPLANE_PARTS_H

#include "webreport/model/facts.h"
#include "writer/base/keys.h"
#include "writer/xplane.h"

/* A place in the tree of operator calls: operators of the same name below the same place share it. */
struct tp_xscope {
    struct tp_str text;  /* "main/aten.linear/aten.addmm:addmm": path, colon, type */
    uint32_t path_bytes; /* of the part before the colon */
    uint32_t plane;      /* for which `id` holds */
    uint32_t id;         /* in names (host) or texts (devices) of that plane */
};

/* Roots of the tree: what a call that nothing encloses belongs to. */
enum tp_xroot { TP_XROOT_MAIN, TP_XROOT_BACKWARD, TP_XROOT_OPTIMIZER, TP_XROOT_INPUT, TP_XROOT_THREAD };

struct tp_xscopes {
    struct tp_keys edges; /* (scope above or root, name) */
    struct tp_vec items;  /* struct tp_xscope, by edge */
};

enum { TP_XSTEP_CORRELATION = 40 }; /* step marks are tied by 1 << 40 + step: beyond what CUPTI counts to */

/* One conversion. */
struct tp_xexport {
    const struct tp_trace *trace;
    const struct tp_order *order;
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_xspace *space;
    int64_t first_ns, last_ns; /* what is outside is left out; times in the file are since first_ns */
    uint32_t main_thread;      /* the one with the steps; TP_NO_ID without host events */
    struct tp_xscopes scopes;
    uint32_t *scope; /* of each operator by event, TP_NO_ID for other events */
};

void tp_xscopes_init(struct tp_xscopes *scopes, struct tp_arena *arena);
/* Scope of a call named `name` below `above` (TP_NO_ID: below `root`). Names become what XProf parses. */
uint32_t tp_xscopes_add(struct tp_xscopes *scopes, uint32_t above, enum tp_xroot root, uint32_t name,
                        struct tp_str text);
static inline struct tp_xscope *tp_xscopes_get(const struct tp_xscopes *scopes, uint32_t scope)
{
    return TP_AT(&scopes->items, struct tp_xscope, scope);
}
/* The scope as value of tf_op: its id in texts of a device's plane. plane_number: of that plane, not 0. */
uint32_t tp_xscopes_text(struct tp_xscopes *scopes, uint32_t scope, struct tp_xplane *plane, uint32_t plane_number);

/* True when an event that starts at ts_ns is written. */
static inline bool tp_xexport_has(const struct tp_xexport *x, int64_t ts_ns)
{
    return ts_ns >= x->first_ns && ts_ns <= x->last_ns;
}

/* The plane of the host: lines per thread, and the memory records. Fills x->scope. */
void tp_xexport_host(struct tp_xexport *x);
/* The line of the memory records in the host's plane. Reads x->scope. */
void tp_xexport_memory(struct tp_xexport *x, struct tp_xplane *plane);
/* A plane per device, a line per stream. Reads x->scope. */
void tp_xexport_devices(struct tp_xexport *x);

static inline struct tp_xstat tp_xstat_int(uint32_t name, int64_t value)
{
    return (struct tp_xstat){.name = name, .type = TP_XSTAT_INT, .integer = value};
}
static inline struct tp_xstat tp_xstat_uint(uint32_t name, uint64_t value)
{
    return (struct tp_xstat){.name = name, .type = TP_XSTAT_UINT, .number = value};
}
static inline struct tp_xstat tp_xstat_text(uint32_t name, uint32_t text)
{
    return (struct tp_xstat){.name = name, .type = TP_XSTAT_TEXT, .text = text};
}

#endif
