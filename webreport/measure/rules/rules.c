/* Implements rules.h: finds rules by number and by id. */
#include "webreport/measure/rules/rules.h"

#include <string.h>

static const struct tp_rule *const rows[TP_RULE_COUNT] = {
#define ROW(id) [TP_RULE_##id] = &tp_rule_##id,
    TP_RULE_LIST(ROW)
#undef ROW
};

const struct tp_rule *tp_rule_at(unsigned number)
{
    return rows[number];
}

unsigned tp_rule_number(const struct tp_rule *rule)
{
    unsigned number = 0;
    while (number + 1 < TP_RULE_COUNT && rows[number] != rule)
        number++;
    return number;
}

const struct tp_rule *tp_rule_by_id(struct tp_str id)
{
    for (unsigned i = 0; i < TP_RULE_COUNT; i++)
        if (tp_str_equal(id, tp_str_of(rows[i]->id)))
            return rows[i];
    return NULL;
}

struct tp_rule_gain tp_rule_measured_gain(enum tp_rule_id rule)
{
    struct tp_rule_gain gain = rows[rule]->gain;
    if (gain.high <= 0)
        gain.high = 1;
    return gain;
}
