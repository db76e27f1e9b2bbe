# Adds rule H22, which fires for every program without a device. Changes at most 4 files outside of tests.
cat >webreport/measure/rules/host/rules_recipe.c <<'C'
/* Rule H22, of the test of the recipe: reports every program that has steps and no device. */
#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/rules/rules_texts.h"

static void evaluate_recipe(struct tp_advisor *a);

const struct tp_rule tp_rule_H22 = {
    .id = "H22",
    .title = "The recipe of a rule works",
    .confidence = TP_CONFIDENCE_LOW,
    .thresholds = {{"min_steps", 1, false}},
    .advice = "Remove this rule.",
    .doc_url = DOC_TUNE,
    .cause = "recipe.rule",
    .on_host = evaluate_recipe,
};

static void evaluate_recipe(struct tp_advisor *a)
{
    struct tp_candidate c = {.rule = TP_RULE_H22, .is_forced = true, .severity = TP_SEVERITY_LOW, .share = NAN};
    c.weight = 1;
    if (a->model->used_count >= tp_rule_value(a, TP_RULE_H22, "min_steps"))
        tp_advisor_add_finding(a, &c);
}
C
sed -i 's/RULE(C26)$/RULE(C26) RULE(H22)/' webreport/measure/rules/rules_list.h
sed -i 's/^| H21 .*/&\n| H22 recipe | low | one analysed step or more | null | - |/' docs/definitions.md
