/* Ends of flows in a part of a trace: an arrow is kept when both of its ends are. The end that comes first waits as
 * text until the other one comes; readers refuse or miscount arrows that begin or end nowhere. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_RAW_FLOWS_H
#define TP_WEBREPORT_EXPORT_CHROME_RAW_FLOWS_H

#include "webreport/trace/visit.h"
#include "writer/base/id_map.h"

enum { TP_RAW_FLOW_BYTES = 254 };

/* A flow end that waits; free ones are chained. */
struct tp_raw_flow {
    uint16_t size;
    char text[TP_RAW_FLOW_BYTES];
};

struct tp_raw_flows {
    struct tp_id_map by_id; /* of (category, id): what is known of it, below */
    struct tp_vec waiting;  /* struct tp_raw_flow */
    struct tp_vec unused;   /* uint32_t: places in waiting */
};

/* Memory comes from `arena` (guard set by the caller). */
void tp_raw_flows_init(struct tp_raw_flows *flows, struct tp_arena *arena);

/* Whether the element is the end of a flow. */
bool tp_raw_flows_is_end(const struct tp_event_text *event);

/* Takes an end that the filter keeps. False: it has to wait. True: it is written now, after *first when that has a
 * length: the end that waited for it (borrowed until the next call). */
bool tp_raw_flows_take(struct tp_raw_flows *flows, const struct tp_event_text *event, struct tp_str *first);

#endif
