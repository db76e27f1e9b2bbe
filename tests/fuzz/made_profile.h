/* Builds the profile for report and exports from an analysis of fuzzed bytes. */
#ifndef TP_TESTS_FUZZ_MADE_PROFILE_H
#define TP_TESTS_FUZZ_MADE_PROFILE_H

#include "webreport/document/section.h"
#include "webreport/session/trace_analysis.h"

static inline struct tp_profile make_profile_of_analysis(const struct tp_analysis *a)
{
    return (struct tp_profile){.run = TP_STR("run"),
                               .worker = TP_STR("w"),
                               .span = TP_NULL_INT,
                               .file = TP_STR("w.json"),
                               .trace = &a->trace,
                               .order = &a->order,
                               .model = &a->model,
                               .views = &a->views,
                               .advice = &a->advice};
}

#endif
