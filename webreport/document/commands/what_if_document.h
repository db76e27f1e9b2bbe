/* Makes the answer of `tracepress whatif` for one profile: what limits the steps, how far the replay can be trusted,
 * and a table of changes. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_WHAT_IF_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_WHAT_IF_DOCUMENT_H

#include "webreport/document/block.h"
#include "webreport/measure/result/priced_changes.h"
#include "writer/base/json_out.h"

/* Makes a document in `arena`, whose guard the caller sets. Of the usual changes, the document shows those with the
 * largest gains; of changes that the user named, it shows all. The document has no record. */
void tp_what_if_document(struct tp_document *document, const struct tp_what_if_profile *profile,
                         struct tp_arena *arena);

/* Writes all answers as a JSON object: what_if_view of `report --json`. If the input has several profiles, the object
 * begins with the names of the profile. The object of joined ranks begins with the numbers of the ranks and with the
 * number of collectives. */
void tp_what_if_profile_json(const struct tp_what_if_profile *profile, struct tp_arena *arena, struct tp_json *json);

#endif
