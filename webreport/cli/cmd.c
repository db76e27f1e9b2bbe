/* What the commands have in common: see cmd.h. */
#include "webreport/cli/cmd.h"

#include "webreport/measure/rules.h"
#include "webreport/session/console.h"
#include "webreport/session/opt.h"

int tp_cmd_refuse(struct tp_console *console, const char *command, const char *what)
{
    tp_console_error(console, "%s: %s; 'tracepress help %s' lists the options", command, what, command);
    return TP_EXIT_USAGE;
}

int tp_cmd_rules(struct tp_rule_overrides *overrides, const struct tp_opt_list *rules, struct tp_error *err)
{
    for (size_t i = 0; i < rules->count; i++) {
        int code = tp_rules_override(overrides, rules->items[i], err);
        if (code < 0)
            return code;
    }
    return 0;
}
