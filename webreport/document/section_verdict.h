/* The verdict in words, made once for page, digest, terminal, index of profiles and other tools' files. */
#ifndef TP_WEBREPORT_DOCUMENT_SECTION_VERDICT_H
#define TP_WEBREPORT_DOCUMENT_SECTION_VERDICT_H

#include "webreport/document/block.h"
#include "webreport/document/name_text.h"
#include "webreport/measure/result/profile.h"

/* What inferred steps are inferred from, in words: "the calls of ResNet". In naming->arena. */
const char *tp_section_step_source(const struct tp_naming *naming, const struct tp_model *model);

/* The verdict of the analysis in words, made once: for the document, the index of profiles, the terminal and other
 * tools' files. In naming->arena. */
struct tp_verdict_block tp_section_verdict(const struct tp_naming *naming, const struct tp_profile *profile);

/* The verdict that a summary has kept (tp_summary.verdict and .headline), in the same words. class "": an older file.
 */
struct tp_verdict_block tp_stored_verdict(const struct tp_naming *naming, struct tp_str class, struct tp_str headline);

#endif
