/* What is gained of a rule's ceiling in practice: a finding says a range, not the ceiling alone. Rules that find the
 * range themselves (struct tp_candidate, low) are not here. Source of each: docs/definitions.md, section 15. */
#include "webreport/measure/rules_eval.h"

static const struct tp_rule_gain gains[TP_RULE_COUNT] = {
    [TP_RULE_A1] = {0.6, 0.95}, [TP_RULE_A2] = {0.5, 0.95}, [TP_RULE_A3] = {0.3, 0.95},  [TP_RULE_A4] = {0.3, 1.0},
    [TP_RULE_A5] = {0.3, 1.0},  [TP_RULE_A6] = {0.3, 1.0},  [TP_RULE_A8] = {0.5, 1.0},   [TP_RULE_A11] = {0.7, 1.0},
    [TP_RULE_A12] = {0.3, 1.0}, [TP_RULE_B1] = {0.8, 1.0},  [TP_RULE_B2] = {0.8, 1.0},   [TP_RULE_B3] = {0.5, 0.95},
    [TP_RULE_B4] = {0.2, 0.9},  [TP_RULE_B5] = {0.3, 0.95}, [TP_RULE_C1] = {0.4, 0.85},  [TP_RULE_C2] = {0.3, 0.8},
    [TP_RULE_C6] = {0.5, 1.0},  [TP_RULE_C7] = {0.5, 1.0},  [TP_RULE_C10] = {0.3, 0.9},  [TP_RULE_C11] = {0.2, 0.9},
    [TP_RULE_C13] = {0.0, 0.5}, [TP_RULE_E1] = {0.0, 1.0},  [TP_RULE_H1] = {0.8, 1.0},   [TP_RULE_H2] = {0.7, 1.0},
    [TP_RULE_H3] = {0.5, 0.95}, [TP_RULE_H5] = {0.3, 0.9},  [TP_RULE_H6] = {0.3, 1.0},   [TP_RULE_H7] = {0.3, 0.95},
    [TP_RULE_H8] = {0.0, 1.0},  [TP_RULE_H9] = {0.8, 1.0},  [TP_RULE_H10] = {0.8, 1.0},  [TP_RULE_H11] = {0.8, 1.0},
    [TP_RULE_H13] = {0.6, 1.0}, [TP_RULE_H14] = {0.7, 1.0}, [TP_RULE_H15] = {0.5, 1.0},  [TP_RULE_H16] = {0.6, 1.0},
    [TP_RULE_H17] = {0.5, 1.0}, [TP_RULE_H18] = {0.7, 1.0}, [TP_RULE_C16] = {0.4, 1.0},  [TP_RULE_C18] = {0.1, 1.0},
    [TP_RULE_C19] = {0.5, 1.0}, [TP_RULE_C20] = {0.5, 1.0}, [TP_RULE_C22] = {0.3, 0.75}, [TP_RULE_C24] = {0.3, 0.75},
};

struct tp_rule_gain tp_rule_gain_of(enum tp_rule_id rule)
{
    return gains[rule].high > 0 ? gains[rule] : (struct tp_rule_gain){0, 1};
}
