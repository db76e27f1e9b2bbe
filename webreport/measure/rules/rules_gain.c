/* What experience says of each rule: the part of its ceiling that is gained in practice (a finding says a range, not
 * the ceiling alone; rules that find the range themselves have 0, 0 here), and in how many of the programs whose cause
 * is known it named that cause, of those in which it reported (`make truth` counts).
 *
 * Of programs without device three quarters of the recorded time to all of it is gained. Of 157 programs that were
 * mended and timed half gained more than what was recorded, because recording makes the rest of a program slower, too.
 * An estimate claims none of that: it is about the time of the finding.
 *
 * A finding gains only time that no finding before it is about (tp_findings_bound). */
#include "webreport/measure/rules/rules_eval.h"

static const struct tp_rule_gain gains[TP_RULE_COUNT] = {
    [TP_RULE_A1] = {0.6, 0.95, 8, 8},   [TP_RULE_A2] = {0.5, 0.95, 1, 1},   [TP_RULE_A3] = {0.3, 0.95, 0, 0},
    [TP_RULE_A4] = {0.3, 1.0, 0, 6},    [TP_RULE_A5] = {0.3, 1.0, 0, 0},    [TP_RULE_A6] = {0.3, 1.0, 0, 0},
    [TP_RULE_A8] = {0.5, 1.0, 0, 0},    [TP_RULE_A11] = {0.7, 1.0, 0, 0},   [TP_RULE_A12] = {0.3, 1.0, 0, 0},
    [TP_RULE_B1] = {0.8, 1.0, 0, 0},    [TP_RULE_B2] = {0.8, 1.0, 3, 3},    [TP_RULE_B3] = {0.5, 0.95, 3, 3},
    [TP_RULE_B4] = {0.2, 0.9, 1, 1},    [TP_RULE_B5] = {0.3, 0.95, 0, 0},   [TP_RULE_C1] = {0.4, 0.85, 0, 0},
    [TP_RULE_C2] = {0.3, 0.8, 0, 0},    [TP_RULE_C6] = {0.5, 1.0, 0, 0},    [TP_RULE_C7] = {0.5, 1.0, 4, 4},
    [TP_RULE_C10] = {0.3, 0.9, 1, 1},   [TP_RULE_C11] = {0.2, 0.9, 1, 2},   [TP_RULE_C13] = {0.0, 0.5, 1, 1},
    [TP_RULE_D1] = {0, 0, 0, 0},        [TP_RULE_D4] = {0, 0, 1, 1},        [TP_RULE_E1] = {0.0, 1.0, 6, 6},
    [TP_RULE_E3] = {0.6, 1.0, 1, 1},    [TP_RULE_H1] = {0.75, 1.0, 4, 6},  [TP_RULE_H2] = {0.75, 1.0, 2, 2},
    [TP_RULE_H3] = {0.75, 1.0, 1, 1},  [TP_RULE_H5] = {0.75, 1.0, 0, 0},  [TP_RULE_H6] = {0.75, 1.0, 0, 1},
    [TP_RULE_H7] = {0.75, 1.0, 2, 2},  [TP_RULE_H8] = {0.0, 1.0, 0, 1},    [TP_RULE_H9] = {0.75, 1.0, 1, 1},
    [TP_RULE_H10] = {0.75, 1.0, 1, 1}, [TP_RULE_H11] = {0.75, 1.0, 1, 1}, [TP_RULE_H12] = {0.75, 1.0, 1, 1},
    [TP_RULE_H13] = {0.75, 1.0, 1, 1}, [TP_RULE_H14] = {0.75, 1.0, 1, 1}, [TP_RULE_H15] = {0.75, 1.0, 1, 1},
    [TP_RULE_H16] = {0.75, 1.0, 1, 1}, [TP_RULE_H17] = {0.75, 1.0, 1, 1}, [TP_RULE_H18] = {0.75, 1.0, 1, 1},
    [TP_RULE_H19] = {0.75, 1.0, 1, 1}, [TP_RULE_H20] = {0, 0, 1, 1},       [TP_RULE_H21] = {0, 0, 1, 1},
    [TP_RULE_R1] = {0, 0, 3, 3},
    [TP_RULE_R2] = {0, 0, 3, 4},        [TP_RULE_R3] = {0, 0, 1, 1},        [TP_RULE_R4] = {0, 0, 2, 4},
    [TP_RULE_C14] = {0, 0, 3, 5},       [TP_RULE_C15] = {0, 0, 1, 1},       [TP_RULE_C16] = {0.4, 1.0, 2, 9},
    [TP_RULE_C17] = {0, 0, 1, 1},       [TP_RULE_C18] = {0.1, 1.0, 1, 1},   [TP_RULE_C19] = {0.5, 1.0, 1, 1},
    [TP_RULE_C20] = {0.5, 1.0, 1, 2},   [TP_RULE_C22] = {0.3, 0.75, 1, 2},  [TP_RULE_C24] = {0, 0, 4, 4},
    [TP_RULE_C25] = {0.33, 1.0, 0, 0},  [TP_RULE_E4] = {0.8, 1.0, 0, 0},    [TP_RULE_E5] = {0.3, 1.0, 0, 0},
    [TP_RULE_E6] = {0.0, 1.0, 0, 0},    [TP_RULE_E7] = {0.3, 1.0, 0, 0},    [TP_RULE_A13] = {0.7, 1.0, 0, 0},
    [TP_RULE_E8] = {0.5, 1.0, 0, 0},    [TP_RULE_E9] = {0.75, 1.0, 0, 0},   [TP_RULE_E10] = {0.0, 1.0, 0, 1},
    [TP_RULE_E11] = {0.0, 1.0, 0, 0},   [TP_RULE_R5] = {0, 0, 0, 0},        [TP_RULE_R6] = {0, 0, 0, 0},
};

struct tp_rule_gain tp_rule_gain_of(enum tp_rule_id rule)
{
    struct tp_rule_gain gain = gains[rule];
    if (gain.high <= 0)
        gain.high = 1;
    return gain;
}

/* Where most of the time is gained, all of it is likelier than what is far from it. Where it may be little or nothing,
 * the range says so. */
void tp_finding_set_gain(struct tp_finding *f, double left_percent)
{
    static const double MOST = 0.5;
    double high_part = fmin(fmax(f->high_part, 0), 1), low_part = fmin(fmax(f->low_part, 0), high_part);
    f->high_percent = left_percent * high_part;
    f->low_percent = left_percent * low_part;
    if (low_part >= MOST)
        f->low_percent = fmax(f->low_percent, f->high_percent - f->widest_percent);
    f->counted_percent = f->high_percent;
}
