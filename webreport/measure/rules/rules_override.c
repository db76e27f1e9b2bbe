/* Reads the user's thresholds, such as "A4.min_pct=2", and finds the value of a threshold. Implements parts of rules.h
 * and rules_eval.h. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/measure/rules/rules_eval.h"

enum { MAX_OVERRIDE_BYTES = 128 };

/* Appends a blank and `text` to a list for a message, unless the list is full. */
static void append_to_list(char *list, size_t size, const char *text)
{
    size_t used = strlen(list);
    if (used + strlen(text) + 3 > size)
        return;
    if (used)
        strcat(list, " ");
    strcat(list, text);
}

static int set_unknown_rule_error(const char *id, struct tp_error *err)
{
    char list[280] = "";
    for (unsigned i = 0; i < TP_RULE_COUNT; i++)
        append_to_list(list, sizeof list, tp_rule_at(i)->id);
    return tp_error_set(err, TP_EUSAGE, 0, "--rule: no rule %.16s; known: %s", id, list);
}

static int set_unknown_key_error(const struct tp_rule *rule, const char *key, struct tp_error *err)
{
    char list[160] = "";
    for (unsigned k = 0; k < TP_RULE_THRESHOLDS && rule->thresholds[k].key; k++)
        append_to_list(list, sizeof list, rule->thresholds[k].key);
    return tp_error_set(err, TP_EUSAGE, 0, "--rule: rule %s has no threshold %.32s; known: %s", rule->id, key,
                        list[0] ? list : "none");
}

/* Reads a plain decimal number from 0 to 1e12. Returns false for any other text. */
static bool read_number(const char *text, double *value)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    *value = strtod(text, &end);
    return *end == '\0' && isfinite(*value) && *value <= 1e12 && !strpbrk(text, "xXpP");
}

/* Returns whether a value is in the range of its threshold. Some thresholds are divisors or limits of loops, so not all
 * values are allowed. */
static bool is_allowed(const struct tp_threshold *threshold, double value)
{
    if (threshold->is_whole && value != floor(value))
        return false;
    bool is_period = strcmp(threshold->key, "max_period") == 0;
    bool divides = strstr(threshold->key, "speedup") || strcmp(threshold->key, "multiple") == 0 || is_period ||
                   strcmp(threshold->key, "pinned_gb_s") == 0;
    return (!divides || value >= 1) && (!is_period || value <= 64);
}

int tp_rules_override(struct tp_rule_overrides *overrides, const char *text, struct tp_error *err)
{
    char copy[MAX_OVERRIDE_BYTES];
    if (strlen(text) >= sizeof copy)
        return tp_error_set(err, TP_EUSAGE, 0, "--rule: too long: %.40s...", text);
    strcpy(copy, text);
    char *equals = strchr(copy, '='), *dot = strchr(copy, '.');
    if (!equals || !dot || dot > equals)
        return tp_error_set(err, TP_EUSAGE, 0, "--rule: expected RULE.key=value, such as A4.min_pct=2, not %.60s",
                            text);
    *equals = *dot = '\0';
    const char *id = copy, *key = dot + 1, *number = equals + 1;
    unsigned k = 0;
    const struct tp_rule *rule = tp_rule_by_id(tp_str_of(id));
    if (!rule)
        return set_unknown_rule_error(id, err);
    const struct tp_threshold *thresholds = rule->thresholds;
    while (k < TP_RULE_THRESHOLDS && thresholds[k].key && strcmp(thresholds[k].key, key) != 0)
        k++;
    if (k == TP_RULE_THRESHOLDS || !thresholds[k].key)
        return set_unknown_key_error(rule, key, err);
    double value;
    if (!read_number(number, &value) || !is_allowed(&thresholds[k], value))
        return tp_error_set(err, TP_EUSAGE, 0, "--rule: %s.%s=%.40s: expected a %snumber in range (default %g)", id,
                            key, number, thresholds[k].is_whole ? "whole " : "", thresholds[k].value);
    unsigned at = tp_rule_number(rule);
    overrides->items[at][k].is_set = true;
    overrides->items[at][k].value = value;
    return 0;
}

double tp_rule_value(const struct tp_advisor *a, enum tp_rule_id rule, const char *key)
{
    const struct tp_threshold *thresholds = tp_rule_at(rule)->thresholds;
    for (unsigned k = 0; k < TP_RULE_THRESHOLDS && thresholds[k].key; k++)
        if (strcmp(thresholds[k].key, key) == 0)
            return a->overrides && a->overrides->items[rule][k].is_set ? a->overrides->items[rule][k].value
                                                                       : thresholds[k].value;
    return 0;
}
