/* Finds problems between the ranks of a run: the slowest rank (straggler) and slow links. */
#ifndef TP_WEBREPORT_DOCUMENT_JOB_RANK_FINDINGS_H
#define TP_WEBREPORT_DOCUMENT_JOB_RANK_FINDINGS_H

#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/rules/rules.h"

struct tp_rank_findings {
    struct tp_finding items[2]; /* findings with their texts, costliest first */
    unsigned count;
    double percent; /* cost of all findings together, percent of a step */
};

/* Fills the findings about the ranks of one recording. The time of slow links excludes the wait for the straggler.
 * Texts are in `arena` or borrowed from `view`. */
void tp_rank_findings_find(struct tp_rank_findings *found, const struct tp_distributed *view, struct tp_arena *arena);

#endif
