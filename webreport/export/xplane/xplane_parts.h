/* Declares the data and functions that the parts of the XPlane export share. See export_xplane.c. */
#ifndef TP_WEBREPORT_EXPORT_XPLANE_XPLANE_PARTS_H
#define TP_WEBREPORT_EXPORT_XPLANE_XPLANE_PARTS_H

#include "webreport/model/facts.h"
#include "writer/base/keys.h"
#include "writer/xplane.h"

/* A scope: a node in the tree of operator calls. Operators with the same name and the same enclosing node share a
 * scope. */
struct tp_xscope {
    struct tp_str text;  /* path, colon and type, such as "main/aten.linear/aten.addmm:addmm" */
    uint32_t path_bytes; /* length of the path before the colon */
    uint32_t plane;      /* number of the plane in which `id` is valid */
    uint32_t id;         /* id of `text` in the plane: a name id in the host's plane, a text id in a device's plane */
};

/* Roots of the tree of scopes, for calls without an enclosing call. */
enum tp_xroot { TP_XROOT_MAIN, TP_XROOT_BACKWARD, TP_XROOT_OPTIMIZER, TP_XROOT_INPUT, TP_XROOT_THREAD };

struct tp_xscopes {
    struct tp_keys edges; /* edges of the tree; key: (parent scope or root, name) */
    struct tp_vec items;  /* scope at the end of each edge; elements: struct tp_xscope */
};

/* step i has the correlation id (1 << 40) + i, which is larger than all correlation ids of CUPTI */

enum { TP_XSTEP_CORRELATION = 40 };

/* State of one export. */
struct tp_xexport {
    const struct tp_trace *trace;
    const struct tp_order *order;
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_xspace *space;
    /* times of the first and last exported event, ns; times in the file are relative to first_ns */
    int64_t first_ns, last_ns;
    uint32_t main_thread; /* thread that has the steps; TP_NO_ID if there are no host events */
    struct tp_xscopes scopes;
    uint32_t *scope; /* for each event: scope of the operator; TP_NO_ID for other events */
};

void tp_xscopes_init(struct tp_xscopes *scopes, struct tp_arena *arena);
/* Returns the scope of a call with this name directly below the scope `above`, or below `root` if `above` is TP_NO_ID.
 * Changes the name to the form that XProf parses. */
uint32_t tp_xscopes_add(struct tp_xscopes *scopes, uint32_t above, enum tp_xroot root, uint32_t name,
                        struct tp_str text);
static inline struct tp_xscope *tp_xscopes_get(const struct tp_xscopes *scopes, uint32_t scope)
{
    return TP_AT(&scopes->items, struct tp_xscope, scope);
}
/* Returns the id of the scope's text in the plane of a device, as a value of the stat tf_op. plane_number: must not be
 * 0. */
uint32_t tp_xscopes_text(struct tp_xscopes *scopes, uint32_t scope, struct tp_xplane *plane, uint32_t plane_number);

/* Returns whether an event that starts at ts_ns is in the exported time range. */
static inline bool tp_xexport_contains(const struct tp_xexport *x, int64_t ts_ns)
{
    return ts_ns >= x->first_ns && ts_ns <= x->last_ns;
}

/* Writes the plane of the host: a line for each thread, and the memory records. Fills x->scope. */
void tp_xexport_host(struct tp_xexport *x);
/* Writes the memory records as a line of the host's plane. Reads x->scope. */
void tp_xexport_memory(struct tp_xexport *x, struct tp_xplane *plane);
/* Writes a plane for each device, with a line for each stream. Reads x->scope. */
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
