/* Finds links between the events of a trace: from launches to the device work that they start, and from forward
 * operators to their backward operators. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_FLOW_LINKS_H
#define TP_WEBREPORT_EXPORT_CHROME_FLOW_LINKS_H

#include "webreport/model/facts.h"

enum tp_link_kind { TP_LINK_LAUNCH, TP_LINK_BACKWARD, TP_LINK_KINDS };

struct tp_link {
    uint32_t from, to; /* indexes of the events at both ends of the link */
    enum tp_link_kind kind;
};

struct tp_links {
    /* launch links in the order of their device work, followed by backward links in the order of their begin */
    struct tp_link *items;
    uint32_t count;
};

/* Builds the links in `arena`, whose guard the caller sets. Omits a link if the trace lacks the event at one of its
 * ends. */
void tp_links_build(struct tp_links *links, const struct tp_model *model, struct tp_arena *arena);

/* Returns the name of a kind of link, "launch" or "backward". The text is static. */
const char *tp_link_name(enum tp_link_kind kind);

#endif
