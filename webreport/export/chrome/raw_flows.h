/* Keeps an arrow in a part of a trace only if the filter keeps both its begin and its end, because readers refuse or
 * miscount incomplete arrows. The text of the element that is read first is stored until the other element is read. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_RAW_FLOWS_H
#define TP_WEBREPORT_EXPORT_CHROME_RAW_FLOWS_H

#include "webreport/trace/visit.h"
#include "writer/base/id_map.h"

enum { TP_RAW_FLOW_BYTES = 254 };

/* Text of the begin or end of an arrow whose counterpart was not read yet. */
struct tp_raw_flow {
    uint16_t size;
    char text[TP_RAW_FLOW_BYTES];
};

struct tp_raw_flows {
    /* for each arrow: its state (values in raw_flows.c); the key is a hash of category and id */
    struct tp_id_map by_id;
    struct tp_vec waiting; /* begins and ends whose counterpart was not read yet; elements: struct tp_raw_flow */
    struct tp_vec unused;  /* indexes of free elements of `waiting`; elements: uint32_t */
};

/* Prepares the pairing of arrows. Memory comes from `arena`, whose guard the caller sets. */
void tp_raw_flows_init(struct tp_raw_flows *flows, struct tp_arena *arena);

/* Returns whether the element is the begin, a step or the end of a flow. */
bool tp_raw_flows_is_flow_element(const struct tp_event_text *event);

/* Adds the begin or end of an arrow that the filter keeps. Returns true if the caller must now write *first and then
 * the element. Returns false if the counterpart was not read yet. *first: text of the counterpart, or empty if it is
 * already written; valid until the next call. */
bool tp_raw_flows_add(struct tp_raw_flows *flows, const struct tp_event_text *event, struct tp_str *first);

#endif
