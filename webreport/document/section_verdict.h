/* Formats the verdict for the page, digest, terminal, index of profiles, and files of other tools. */
#ifndef TP_WEBREPORT_DOCUMENT_SECTION_VERDICT_H
#define TP_WEBREPORT_DOCUMENT_SECTION_VERDICT_H

#include "webreport/document/block.h"
#include "webreport/document/looks.h"
#include "webreport/document/name_text.h"
#include "webreport/measure/result/profile.h"

/* Returns the source from which the steps were inferred, such as "the calls of ResNet", in naming->arena. */
const char *tp_step_source_text(const struct tp_naming *naming, const struct tp_model *model);

/* Returns the verdict of the analysis as text, in naming->arena. */
struct tp_verdict_block tp_section_verdict_block(const struct tp_naming *naming, const struct tp_profile *profile);

/* Returns the full text of the verdict, with the longest gap and the time outside of the steps, for the section on how
 * the numbers are made. */
const char *tp_verdict_full_text(const struct tp_naming *naming, const struct tp_profile *profile);

/* Returns the text of a summary's verdict, as tp_section_verdict_block does for a profile. class: tp_summary.verdict;
 * "" in files of older versions. headline: tp_summary.headline. */
struct tp_verdict_block tp_stored_verdict_block(const struct tp_naming *naming, struct tp_str class,
                                                struct tp_str headline);

#endif
