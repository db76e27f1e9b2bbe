/* Finds functions of the project that spend most of their time in events that a rule reports. A rule then reports the
 * whole function, including its Python code, because fixing the cause removes the function. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_FUNCTIONS_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_FUNCTIONS_H

#include "webreport/measure/rules/rules_eval.h"

/* Returns the innermost call of a project function around an event; TP_NO_ID: no such call. */
uint32_t tp_enclosing_project_call(const struct tp_model *model, uint32_t event);

struct tp_busy_functions {
    struct tp_advisor *advisor;
    struct tp_id_map calls; /* map from (rule, event of the call) to the index in `calls_already_counted` */
    struct tp_vec calls_already_counted;
};

/* Initializes an empty set in the advisor's arena. */
void tp_busy_functions_init(struct tp_busy_functions *functions, struct tp_advisor *advisor);

/* Adds the time of an event to the innermost call of a project function around the event, for one rule. is_cause: true
 * for an event that the rule reports, false for an event that only accompanies such an event, for example reading the
 * result of a check. The caller must not add events inside an event that it added. */
void tp_busy_functions_count(struct tp_busy_functions *functions, enum tp_rule_id rule, uint32_t event, bool is_cause);

/* Adds `ns` nanoseconds, such as the time just before an event, as tp_busy_functions_count does for the time of an
 * event. */
void tp_busy_functions_add(struct tp_busy_functions *functions, enum tp_rule_id rule, uint32_t event, bool is_cause,
                           int64_t ns);

/* Appends the times of calls that contain an event with is_cause for the rule, and that spend more than half of their
 * time in the added events. */
void tp_busy_functions_find_times(const struct tp_busy_functions *functions, enum tp_rule_id rule,
                                  struct tp_vec *intervals);

#endif
