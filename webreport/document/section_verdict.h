/* Writes the verdict as text for the page, digest, terminal, index of profiles, and files of other tools. */
#ifndef TP_WEBREPORT_DOCUMENT_SECTION_VERDICT_H
#define TP_WEBREPORT_DOCUMENT_SECTION_VERDICT_H

#include "webreport/document/block.h"
#include "webreport/document/name_text.h"
#include "webreport/measure/result/profile.h"

/* Returns how steps were inferred as text, such as "the calls of ResNet", in naming->arena. */
const char *tp_section_step_source(const struct tp_naming *naming, const struct tp_model *model);

/* Returns the verdict of the analysis as text, in naming->arena. */
struct tp_verdict_block tp_section_verdict_block(const struct tp_naming *naming, const struct tp_profile *profile);

/* Returns the verdict of a summary as text, as tp_section_verdict_block does for a profile. class: tp_summary.verdict;
 * "" in older files. headline: tp_summary.headline. */
struct tp_verdict_block tp_stored_verdict_block(const struct tp_naming *naming, struct tp_str class,
                                                struct tp_str headline);

#endif
