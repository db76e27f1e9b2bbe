/* Functions of the project that mostly do what a rule is about. The whole function counts for the rule, with its Python
 * code, because fixing the cause removes the function. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_FUNCTIONS_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_FUNCTIONS_H

#include "webreport/measure/rules/rules_eval.h"

/* Returns the innermost call of a function of the project around an event; TP_NO_ID: there is none. */
uint32_t tp_project_call_around(const struct tp_model *model, uint32_t event);

struct tp_busy_functions {
    struct tp_advisor *advisor;
    struct tp_id_map calls; /* pairs (rule, event of the call) -> index in `counted_calls` */
    struct tp_vec counted_calls;
};

/* Initializes an empty set in the advisor's arena. */
void tp_busy_functions_init(struct tp_busy_functions *functions, struct tp_advisor *advisor);

/* Counts an event for a rule in the innermost call of a function of the project. is_cause: the event is what the rule
 * is about; false: it only accompanies the cause, such as reading the answer of a check. The caller must not count
 * events inside of a counted event. */
void tp_busy_functions_count(struct tp_busy_functions *functions, enum tp_rule_id rule, uint32_t event, bool is_cause);

/* Counts a time that belongs to an event, such as the time just before it. */
void tp_busy_functions_add(struct tp_busy_functions *functions, enum tp_rule_id rule, uint32_t event, bool is_cause,
                           int64_t ns);

/* Appends the times of calls that contain a cause of the rule, and in which counted time is more than half of the
 * call. */
void tp_busy_functions_times(const struct tp_busy_functions *functions, enum tp_rule_id rule, struct tp_vec *intervals);

#endif
