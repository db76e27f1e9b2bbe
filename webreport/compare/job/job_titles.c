/* Writes titles of findings about slow and unequal ranks: what to do, and for which ranks. */
#include "webreport/compare/job/job_parts.h"
#include "writer/text/format.h"

const char *tp_job_title_of_slow_ranks(const struct tp_job *job, unsigned part, const char *ranks, bool is_one)
{
    if (part == TP_SLOT_PAUSE)
        return tp_text_printf(job->arena, "Find what delays the CPU of %s", ranks);
    if (part == TP_SLOT_INPUT)
        return tp_text_printf(job->arena, "Speed up the input of %s", ranks);
    return tp_text_printf(job->arena, "Check %s: %s %s", ranks, is_one ? "it" : "they",
                          is_one ? "computes more slowly than its peers" : "compute more slowly than their peers");
}

const char *tp_job_title_of_unequal_ranks(const struct tp_job *job, const char *ranks, bool stays)
{
    return tp_text_printf(
        job->arena, stays ? "Balance the work of %s" : "Balance each step of %s: the rank with the most work changes",
        ranks);
}
