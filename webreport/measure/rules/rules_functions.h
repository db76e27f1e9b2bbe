/* Functions of the project that do little else than what a rule is about: they go with it as a whole, for whoever mends
 * the cause drops the function, its Python included. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_FUNCTIONS_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_FUNCTIONS_H

#include "webreport/measure/rules/rules_eval.h"

/* The innermost call of a function of the project that an event lies in; TP_NO_ID: none. */
uint32_t tp_project_call_around(const struct tp_model *model, uint32_t event);

struct tp_busy_functions {
    struct tp_advisor *advisor;
    struct tp_id_map calls; /* (rule, event of the call): index in `booked` */
    struct tp_vec booked;
};

/* Nothing booked. All of it lives in the advisor's arena. */
void tp_busy_functions_init(struct tp_busy_functions *functions, struct tp_advisor *advisor);

/* Books an event on the innermost call of a project's function that it lies in, for a rule. is_cause: the rule is about
 * it; else it only belongs to what the rule is about (reading the answer of a check). Events inside of one that is
 * booked must not be booked again. */
void tp_busy_functions_book(struct tp_busy_functions *functions, enum tp_rule_id rule, uint32_t event, bool is_cause);

/* The same of ns that belong to an event, such as what stands before it. */
void tp_busy_functions_add(struct tp_busy_functions *functions, enum tp_rule_id rule, uint32_t event, bool is_cause,
                           int64_t ns);

/* Appends the times of the calls that are booked for the rule, have a cause among that, and for more than half of their
 * time, to intervals. */
void tp_busy_functions_take(const struct tp_busy_functions *functions, enum tp_rule_id rule, struct tp_vec *intervals);

#endif
