/* Keeps an arrow in a part of a trace only if both of its ends are kept, because readers refuse or miscount arrows
 * without a begin or an end. The first end is stored as text until the second end is read. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_RAW_FLOWS_H
#define TP_WEBREPORT_EXPORT_CHROME_RAW_FLOWS_H

#include "webreport/trace/visit.h"
#include "writer/base/id_map.h"

enum { TP_RAW_FLOW_BYTES = 254 };

/* The first end of an arrow, whose other end was not read yet. Free entries are chained. */
struct tp_raw_flow {
    uint16_t size;
    char text[TP_RAW_FLOW_BYTES];
};

struct tp_raw_flows {
    struct tp_id_map by_id; /* by hash of category and id: state of the arrow (raw_flows.c) */
    struct tp_vec waiting;  /* elements: struct tp_raw_flow */
    struct tp_vec unused;   /* elements: uint32_t, free indexes of `waiting` */
};

/* Prepares the pairing of arrows. Memory comes from `arena`, whose guard the caller sets. */
void tp_raw_flows_init(struct tp_raw_flows *flows, struct tp_arena *arena);

/* Returns whether the element is the end of a flow. */
bool tp_raw_flows_is_end(const struct tp_event_text *event);

/* Adds an end that the filter keeps. Returns false if its other end was not read yet. Returns true if the caller must
 * write the end now. *first: the other end, which the caller writes before it; empty if it was written before. *first
 * is valid until the next call. */
bool tp_raw_flows_add(struct tp_raw_flows *flows, const struct tp_event_text *event, struct tp_str *first);

#endif
