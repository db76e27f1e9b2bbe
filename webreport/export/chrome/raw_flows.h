/* Keeps an arrow in a part of a trace only when both of its ends are kept: readers refuse or miscount arrows without a
 * begin or an end. The first end waits as text until the other one comes. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_RAW_FLOWS_H
#define TP_WEBREPORT_EXPORT_CHROME_RAW_FLOWS_H

#include "webreport/trace/visit.h"
#include "writer/base/id_map.h"

enum { TP_RAW_FLOW_BYTES = 254 };

/* An end that waits; free entries are chained. */
struct tp_raw_flow {
    uint16_t size;
    char text[TP_RAW_FLOW_BYTES];
};

struct tp_raw_flows {
    struct tp_id_map by_id; /* state by (category, id), see raw_flows.c */
    struct tp_vec waiting;  /* struct tp_raw_flow */
    struct tp_vec unused;   /* uint32_t: free indices of waiting */
};

/* Prepares the pairing. Memory comes from `arena` (guard set by the caller). */
void tp_raw_flows_init(struct tp_raw_flows *flows, struct tp_arena *arena);

/* Returns whether the element is the end of a flow. */
bool tp_raw_flows_is_end(const struct tp_event_text *event);

/* Takes an end that the filter keeps. False: it waits for its other end. True: the caller writes it now, after *first
 * when that is not empty: the end that waited for this one (borrowed until the next call). */
bool tp_raw_flows_take(struct tp_raw_flows *flows, const struct tp_event_text *event, struct tp_str *first);

#endif
