/* Lists the sections of a page in reading order. See section_order.h. */
#include "webreport/document/report/section_order.h"

#include "webreport/document/report/program_document.h"

/* Each list is for one kind of answer. Ranges that the program itself recorded are next to the timeline, and before
 * it without a device, because their names are the reader's own. */
static const char *const waiting_for_host[] = {
    "what_if", "timeline", "ranges", "wall",     "idle+work", "os_calls", "kernels", "operators+modules",
    "memory",  "samples",  "tasks",  "counters", "calltree",  "about",    NULL};
static const char *const launching_slowly[] = {"what_if",  "timeline", "ranges",       "wall",   "operators+idle",
                                               "os_calls", "kernels",  "modules+work", "memory", "samples",
                                               "tasks",    "counters", "calltree",     "about",  NULL};
static const char *const computing[] = {"what_if",           "work",     "kernels",  "timeline", "ranges",  "wall",
                                        "operators+modules", "idle",     "os_calls", "memory",   "samples", "tasks",
                                        "counters",          "calltree", "about",    NULL};
static const char *const serving[] = {
    "what_if",           "timeline", "ranges",  "wall",  "serving",  "kernels",  "idle+work", "os_calls",
    "operators+modules", "memory",   "samples", "tasks", "counters", "calltree", "about",     NULL};
static const char *const using_memory[] = {
    "what_if",           "memory",  "timeline", "ranges",   "wall",     "idle+work", "os_calls", "kernels",
    "operators+modules", "samples", "tasks",    "counters", "calltree", "about",     NULL};
static const char *const without_device[] = {"what_if",           "ranges",  "timeline", "wall",  "os_calls",
                                             "operators+modules", "samples", "memory",   "tasks", "counters",
                                             "calltree",          "about",   NULL};
static const char *const recorded_from_outside[] = {"flame",         "functions+waits", "processes",
                                                    "threads+usage", "about",           NULL};

/* Returns whether the finding with the largest gain is about memory. */
static bool is_about_memory(const struct tp_recommendations *found)
{
    return found->finding_count && found->findings[0].rule->id[0] == 'D';
}

const char *const *tp_section_order(const struct tp_section *section)
{
    const struct tp_advice *advice = section->profile->advice;

    if (tp_section_is_program(section))
        return recorded_from_outside;
    if (is_about_memory(&advice->recommendations))
        return using_memory;
    if (advice->serving.is_present)
        return serving;
    if (!advice->answer.has_device)
        return without_device;
    if (advice->answer.main == TP_ANSWER_LAUNCH)
        return launching_slowly;
    return advice->answer.main == TP_ANSWER_WORK ? computing : waiting_for_host;
}
