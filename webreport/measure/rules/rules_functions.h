/* Functions of the project that do little besides what a rule is about. The whole function counts for the rule, with
 * its Python code, because a fix of the cause removes the function. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_FUNCTIONS_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_FUNCTIONS_H

#include "webreport/measure/rules/rules_eval.h"

/* Returns the innermost call of a project function that contains an event; TP_NO_ID: none. */
uint32_t tp_project_call_around(const struct tp_model *model, uint32_t event);

struct tp_busy_functions {
    struct tp_advisor *advisor;
    struct tp_id_map calls; /* (rule, event of the call): index in `booked` */
    struct tp_vec booked;
};

/* Initializes without bookings. All memory is in the advisor's arena. */
void tp_busy_functions_init(struct tp_busy_functions *functions, struct tp_advisor *advisor);

/* Books an event for a rule, on the innermost call of a project function that contains it. is_cause: the rule is about
 * the event itself; false: the event only accompanies the cause (reading the answer of a check). Events inside a booked
 * event must not be booked again. */
void tp_busy_functions_book(struct tp_busy_functions *functions, enum tp_rule_id rule, uint32_t event, bool is_cause);

/* Books a time that belongs to an event, such as the time just before it. */
void tp_busy_functions_add(struct tp_busy_functions *functions, enum tp_rule_id rule, uint32_t event, bool is_cause,
                           int64_t ns);

/* Appends to intervals the times of calls with a booked cause of the rule whose bookings for the rule cover more than
 * half of the call. */
void tp_busy_functions_take(const struct tp_busy_functions *functions, enum tp_rule_id rule, struct tp_vec *intervals);

#endif
