/* Makes the page and the JSON document of dumps of the Flight Recorder. */
#ifndef TP_WEBREPORT_DOCUMENT_FLIGHT_FLIGHT_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_FLIGHT_FLIGHT_DOCUMENT_H

#include "webreport/document/block.h"
#include "webreport/measure/flight/flight_result.h"

/* The answer that a document shows. */
struct tp_flight_shown {
    const struct tp_flight_result *result; /* with texts (tp_fill_flight_texts) */
    struct tp_str folder;                  /* name of the folder, for the title */
    bool redact;                           /* hides user names in paths */
};

/* Makes the document. Allocates from `arena`, whose guard the caller sets. */
void tp_flight_document(struct tp_document *document, const struct tp_flight_shown *shown, struct tp_arena *arena);

#endif
