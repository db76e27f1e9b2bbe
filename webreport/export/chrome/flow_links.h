/* Links between the events of a trace: from launches to the device work they start, and from forward operators to
 * their backward operators. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_FLOW_LINKS_H
#define TP_WEBREPORT_EXPORT_CHROME_FLOW_LINKS_H

#include "webreport/model/facts.h"

enum tp_link_kind { TP_LINK_LAUNCH, TP_LINK_BACKWARD, TP_LINK_KINDS };

struct tp_link {
    uint32_t from, to; /* events */
    enum tp_link_kind kind;
};

struct tp_links {
    struct tp_link *items; /* launches in order of the device work, then backward links in order of their begin */
    uint32_t count;
};

/* Builds the links in `arena` (guard set by the caller). Omits a link when one of its ends has no event. */
void tp_links_build(struct tp_links *links, const struct tp_model *model, struct tp_arena *arena);

/* "launch", "backward". Static. */
const char *tp_link_name(enum tp_link_kind kind);

#endif
