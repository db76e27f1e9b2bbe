/* Returns words for the status and the cause of a checked budget line. See gate.h. */
#include "webreport/compare/gate/gate.h"

const char *tp_check_status_text(enum tp_check_status status)
{
    static const char *const texts[] = {"pass", "warn", "inconclusive", "fail"};
    return texts[status];
}

const char *tp_check_cause_text(enum tp_check_cause cause)
{
    static const char *const texts[TP_CAUSE_COUNT] = {"within",  "beyond",  "noise",       "missing",
                                                      "damaged", "skipped", "no_baseline", "not_comparable"};
    return texts[cause];
}
