/* Finds the slowest rank and slow links among the ranks of one recording. See rank_findings.h. */
#include "webreport/document/job/rank_findings.h"

#include <math.h>

#include "webreport/compare/job/rank_words.h"
#include "webreport/document/words/title_words.h"

/* the texts of findings about several ranks are for programs that train with PyTorch */
static const struct tp_titled_program TORCH_PROGRAM = {TP_PRODUCER_TORCH, TP_USE_TRAINING, NULL};

static void add_straggler(struct tp_rank_findings *found, const struct tp_straggler *straggler,
                          const struct tp_distributed *view, struct tp_arena *arena)
{
    struct tp_finding *finding = &found->items[found->count++];
    *finding = tp_straggler_make_finding(straggler);
    finding->title_facts = TP_TITLE(TP_TITLE_STRAGGLER, TP_OF_TEXT(view->ranks[straggler->rank]->worker),
                                    TP_OF_NS(llround(straggler->wait_us * 1000)));
    tp_fill_finding_title(finding, &TORCH_PROGRAM, arena);
    finding->detail = tp_str_of(tp_straggler_text(straggler, view->ranks[straggler->rank]->worker, arena));
}

static void add_links(struct tp_rank_findings *found, const struct tp_link_rate *link, struct tp_arena *arena)
{
    struct tp_finding *finding = &found->items[found->count++];
    *finding = tp_link_rate_make_finding(link);
    tp_fill_finding_title(finding, &TORCH_PROGRAM, arena);
    finding->detail = tp_str_of(tp_link_rate_text(link, arena));
}

void tp_rank_findings_find(struct tp_rank_findings *found, const struct tp_distributed *view, struct tp_arena *arena)
{
    struct tp_straggler straggler;
    struct tp_link_rate link;
    *found = (struct tp_rank_findings){.count = 0};
    tp_straggler_find(&straggler, view);
    tp_link_rate_find(&link, view, arena);
    double late = straggler.rank == TP_NO_ID ? 0 : straggler.share_percent,
           slow = link.is_slow ? link.share_percent : 0;
    found->percent = late + slow;
    if (late > 0 && late >= slow)
        add_straggler(found, &straggler, view, arena);
    if (slow > 0)
        add_links(found, &link, arena);
    if (late > 0 && late < slow)
        add_straggler(found, &straggler, view, arena);
}
