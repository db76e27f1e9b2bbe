/* Parses the options of a command with a table: see opt.h. */
#include "webreport/session/opt.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/measure/rules/rules.h"
#include "writer/base/input.h"
#include "writer/base/limits.h"
#include "writer/base/path.h"
#include "writer/text/nearest.h"

enum { HINT_BYTES = 96 };

static const struct tp_opt *find_option(const struct tp_opt *table, const char *name, size_t size)
{
    for (; table->name; table++)
        if (strlen(table->name) == size && memcmp(table->name, name, size) == 0)
            return table;
    return NULL;
}

static const struct tp_opt *find_option_by_letter(const struct tp_opt *table, char letter)
{
    for (; table->name; table++)
        if (table->letter && table->letter == letter)
            return table;
    return NULL;
}

static int parse_size(uint64_t *out, const char *text)
{
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || errno || text[0] == '-')
        return -1;
    const char *unit = *end ? strchr(units, *end & ~32) : NULL;
    if (unit) {
        for (int i = 0; i <= unit - units; i++)
            if (__builtin_mul_overflow(value, 1024ull, &value))
                return -1;
        end++;
        end += *end == 'B' || *end == 'b';
    }
    *out = value;
    return *end || value == 0 ? -1 : 0;
}

static int parse_int(int64_t *out, const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *out = value;
    return end == text || *end || errno ? -1 : 0;
}

static int parse_choice(int *out, const char *choices, const char *text)
{
    size_t n = strlen(text);
    for (int i = 0;; i++) {
        size_t size = strcspn(choices, "|");
        if (size == n && memcmp(choices, text, n) == 0) {
            *out = i;
            return 0;
        }
        if (!choices[size])
            return -1;
        choices += size + 1;
    }
}

/* Writes a hint such as " (did you mean --markdown?)" to `text` and returns it; "" if no known name is similar. mark:
 * text before the name; "--" for options, otherwise "". */
static const char *spelling_hint(char *text, size_t size, const struct tp_nearest *nearest, const char *mark)
{
    *text = '\0';
    if (nearest->found.len)
        snprintf(text, size, " (did you mean %s%.*s?)", mark, (int)nearest->found.len, nearest->found.ptr);
    return text;
}

static int set_choice_error(const struct tp_opt *opt, const char *value, struct tp_error *err)
{
    struct tp_nearest nearest = tp_nearest_start(tp_str_of(value));
    char text[HINT_BYTES];
    for (const char *choice = opt->choices; *choice;) {
        size_t size = strcspn(choice, "|");
        tp_nearest_compare(&nearest, (struct tp_str){choice, size});
        choice += size + (choice[size] == '|');
    }
    return tp_error_set(err, TP_EUSAGE, 0, "--%s: \"%.40s\" is not one of %s%s", opt->name, value, opt->choices,
                        spelling_hint(text, sizeof text, &nearest, ""));
}

static int set_option_error(const struct tp_opt *table, const char *argument, struct tp_error *err)
{
    struct tp_nearest nearest = {0};
    char text[HINT_BYTES];
    if (argument[1] == '-') {
        nearest = tp_nearest_start((struct tp_str){argument + 2, strcspn(argument + 2, "=")});
        for (const struct tp_opt *opt = table; opt->name; opt++)
            tp_nearest_compare(&nearest, tp_str_of(opt->name));
    }
    return tp_error_set(err, TP_EUSAGE, 0, "unknown option %.60s%s", argument,
                        spelling_hint(text, sizeof text, &nearest, "--"));
}

static int set_option_value(const struct tp_opt *opt, void *options, char *value, struct tp_error *err)
{
    void *field = (char *)options + opt->offset;
    struct tp_opt_list *list = field;
    switch (opt->type) {
    case TP_OPT_FLAG:
        *(bool *)field = true;
        return TP_OK;
    case TP_OPT_TEXT:
    case TP_OPT_OPTIONAL_TEXT:
        *(const char **)field = value;
        return TP_OK;
    case TP_OPT_PATH:
        *(const char **)field = tp_path_normalize(value);
        return TP_OK;
    case TP_OPT_SIZE:
        if (parse_size(field, value) < 0)
            return tp_error_set(err, TP_EUSAGE, 0, "--%s: \"%.40s\" is not a size; write bytes, or 5M, 2G", opt->name,
                                value);
        return TP_OK;
    case TP_OPT_INT:
        if (parse_int(field, value) < 0)
            return tp_error_set(err, TP_EUSAGE, 0, "--%s: \"%.40s\" is not a whole number", opt->name, value);
        return TP_OK;
    case TP_OPT_CHOICE:
        if (parse_choice(field, opt->choices, value) < 0)
            return set_choice_error(opt, value, err);
        return TP_OK;
    case TP_OPT_LIST:
        if (list->count == TP_OPT_LIST_MAX)
            return tp_error_set(err, TP_EUSAGE, 0, "--%s: given more than %d times", opt->name, TP_OPT_LIST_MAX);
        list->items[list->count++] = value;
        return TP_OK;
    }
    return TP_OK;
}

/* Returns the table row of the option that `argument` names, or NULL. *value: the text after "=" in the argument, or
 * NULL. */
static const struct tp_opt *match_option(const struct tp_opt *table, char *argument, char **value)
{
    *value = NULL;
    if (argument[1] != '-') {
        const struct tp_opt *opt = find_option_by_letter(table, argument[1]);
        if (opt && argument[2])
            *value = argument + 2 + (argument[2] == '=');
        return opt;
    }
    size_t size = strcspn(argument + 2, "=");
    if (argument[2 + size] == '=')
        *value = argument + 3 + size;
    return find_option(table, argument + 2, size);
}

int tp_opt_parse(const struct tp_opt *table, void *options, int argc, char **argv, size_t *operand_count,
                 struct tp_error *err)
{
    bool only_operands = false;
    *operand_count = 0;
    for (int i = 0; i < argc; i++) {
        char *value;
        if (only_operands || argv[i][0] != '-' || argv[i][1] == '\0') {
            argv[(*operand_count)++] = tp_path_normalize(argv[i]);
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            only_operands = true;
            continue;
        }
        const struct tp_opt *opt = match_option(table, argv[i], &value);
        if (!opt)
            return set_option_error(table, argv[i], err);
        if (opt->type == TP_OPT_FLAG && value)
            return tp_error_set(err, TP_EUSAGE, 0, "--%s takes no value", opt->name);
        bool may_lack = opt->type == TP_OPT_FLAG || opt->type == TP_OPT_OPTIONAL_TEXT;
        if (opt->type == TP_OPT_OPTIONAL_TEXT && !value)
            value = argv[i] + strlen(argv[i]);
        if (!may_lack && !value) {
            if (i + 1 == argc)
                return tp_error_set(err, TP_EUSAGE, 0, "--%s needs a value", opt->name);
            value = argv[++i];
        }
        int code = set_option_value(opt, options, value, err);
        if (code < 0)
            return code;
    }
    return TP_OK;
}

int tp_opt_parse_rules(struct tp_rule_overrides *overrides, const struct tp_opt_list *rules, struct tp_error *err)
{
    int code = TP_OK;
    for (size_t i = 0; i < rules->count && code == TP_OK; i++)
        code = tp_rules_override(overrides, rules->items[i], err);
    return code;
}

int tp_opt_parse_peaks(struct tp_rule_overrides *overrides, struct tp_peaks_file *file, const char *path,
                       struct tp_error *err)
{
    struct tp_buf bytes;
    struct tp_error why = {0};
    if (!path)
        return TP_OK;
    tp_buf_init(&bytes, TP_MAX_PEAKS_BYTES);
    int code = tp_input_read_all(&bytes, path, TP_INPUT_NAMED, &why);
    if (code < 0)
        tp_error_set(err, code == TP_ENOMEM ? code : TP_EUSAGE, 0, "--peaks: %.200s: %s", path, why.text);
    else if ((code = tp_peaks_parse(file, path, (struct tp_str){bytes.data, bytes.size}, &why)) < 0)
        tp_error_set(err, code, 0, "--peaks: %s", why.text);
    tp_buf_release(&bytes);
    overrides->peaks = code == TP_OK ? file : NULL;
    return code;
}
