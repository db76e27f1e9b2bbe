/* Collects the outputs of `tracepress whatif`: the answers for all profiles as one text, and as one JSON value. */
#ifndef TP_WEBREPORT_PRINT_WHAT_IF_OUTPUTS_H
#define TP_WEBREPORT_PRINT_WHAT_IF_OUTPUTS_H

#include "webreport/document/commands/what_if_document.h"
#include "writer/base/error.h"
#include "writer/base/json_out.h"

/* State of the outputs. Zeroed at first; tp_what_if_outputs_release releases it. */
struct tp_what_if_outputs {
    struct tp_buf text, json;
    struct tp_json writer; /* writes into `json` */
    size_t count;          /* number of profiles added so far */
    bool is_list;          /* true if the JSON has several profiles */
    /* answers for joined ranks: their text, their JSON objects, and the number of objects */
    struct tp_buf joined_text, joined_json;
    size_t joined_count;
    bool shows_profiles; /* true if joined ranks have no answers, so that the text has those of the profiles */
};

/* Adds the answers for one profile, or for joined ranks. outputs: a struct tp_what_if_outputs. Returns 0 or TP_ENOMEM.
 */
int tp_what_if_outputs_add(void *outputs, const struct tp_what_if_profile *profile, struct tp_arena *arena,
                           struct tp_error *err);

/* Completes the JSON. */
void tp_what_if_outputs_finish(struct tp_what_if_outputs *outputs);

/* Releases all memory. */
void tp_what_if_outputs_release(struct tp_what_if_outputs *outputs);

#endif
