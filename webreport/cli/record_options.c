/* Parses the options of `tracepress record`. See record_options.h. */
#include "webreport/cli/record_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writer/base/buf.h"
#include "writer/base/environment.h"
#include "writer/worker.h"

#define AT(field) offsetof(struct tp_record_options, field)

static const struct tp_opt table[] = {
    {"output", 'o', TP_OPT_PATH, AT(out), NULL},
    {"source", 0, TP_OPT_LIST, AT(source), NULL},
    {"no-source", 0, TP_OPT_LIST, AT(no_source), NULL},
    {"outside", 0, TP_OPT_FLAG, AT(outside), NULL},
    {"whole-cpus", 0, TP_OPT_FLAG, AT(records_whole_cpus), NULL},
    {"pid", 'p', TP_OPT_TEXT, AT(pid), NULL},
    {"all-of-user", 0, TP_OPT_OPTIONAL_TEXT, AT(all_of_user), NULL},
    {"list-sources", 0, TP_OPT_FLAG, AT(list_sources), NULL},
    {"duration", 0, TP_OPT_TEXT, AT(duration), NULL},
    {"skip", 0, TP_OPT_TEXT, AT(skip_first), NULL},
    {"wait", 0, TP_OPT_TEXT, AT(wait), NULL},
    {"warmup", 0, TP_OPT_TEXT, AT(warmup), NULL},
    {"active", 0, TP_OPT_TEXT, AT(active), NULL},
    {"repeat", 0, TP_OPT_TEXT, AT(repeat), NULL},
    {"torch-options", 0, TP_OPT_TEXT, AT(torch), NULL},
    {"no-tfevents", 0, TP_OPT_FLAG, AT(omits_tfevents), NULL},
    {"report", 0, TP_OPT_FLAG, AT(report), NULL},
    {"summary", 0, TP_OPT_FLAG, AT(summary), NULL},
    {"summary-only", 0, TP_OPT_FLAG, AT(summary_only), NULL},
    TP_OPT_COMMON(struct tp_record_options),
};

static const struct {
    const char *name;
    size_t field; /* offset of the option's member in struct tp_kineto_options, bytes */
} torch_options[] = {
    {"shapes", offsetof(struct tp_kineto_options, has_shapes)},
    {"stack", offsetof(struct tp_kineto_options, has_stack)},
    {"memory", offsetof(struct tp_kineto_options, has_memory)},
    {"flops", offsetof(struct tp_kineto_options, has_flops)},
    {"modules", offsetof(struct tp_kineto_options, has_modules)},
};

enum { TORCH_OPTIONS = sizeof torch_options / sizeof *torch_options };

static bool *torch_option_field(struct tp_kineto_options *options, int i)
{
    return (bool *)((char *)options + torch_options[i].field);
}

/* ---- parsing of options ---- */

static int parse_count(uint64_t *out, bool *is_given, const char *name, const char *text, struct tp_error *err)
{
    char *end;
    if (!text)
        return TP_OK;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end || errno || *text == '-' || value > 1000000000)
        return tp_error_set(err, TP_EUSAGE, 0, "--%s: \"%.40s\" is not a number of steps", name, text);
    *out = value;
    *is_given = true;
    return TP_OK;
}

static int parse_pid(int *pid, const char *text, struct tp_error *err)
{
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : 0;
    if (text && (end == text || *end || value < 1 || value > INT32_MAX))
        return tp_error_set(err, TP_EUSAGE, 0, "--pid: \"%.40s\" is not a process id", text);
    *pid = (int)value;
    return TP_OK;
}

static int parse_duration(uint64_t *out, const char *text, struct tp_error *err)
{
    char *end;
    if (!text)
        return TP_OK;
    double seconds = strtod(text, &end);
    end += *end == 's';
    if (end == text || *end || !(seconds >= 0.001 && seconds <= 1e6))
        return tp_error_set(err, TP_EUSAGE, 0, "--duration: \"%.40s\" is not a number of seconds", text);
    *out = (uint64_t)(seconds * 1000);
    return TP_OK;
}

/* Parses names separated by commas, each of which switches an option on. NULL selects the defaults, and "none"
 * switches all options off. */
static int parse_torch_options(struct tp_kineto_options *options, const char *text, struct tp_error *err)
{
    for (int i = 0; i < TORCH_OPTIONS; i++)
        /* by default, only shapes and memory are on, because the report needs them most */
        *torch_option_field(options, i) = !text && (i == 0 || i == 2);
    while (text && *text) {
        size_t n = strcspn(text, ",");
        int i = 0;
        while (i < TORCH_OPTIONS && (strlen(torch_options[i].name) != n || memcmp(torch_options[i].name, text, n) != 0))
            i++;
        if (i < TORCH_OPTIONS)
            *torch_option_field(options, i) = true;
        else if (n != 4 || memcmp(text, "none", 4) != 0)
            return tp_error_set(err, TP_EUSAGE, 0,
                                "--torch-options: \"%.*s\" is not one of shapes, stack, memory, flops, "
                                "modules, none",
                                (int)(n < 40 ? n : 40), text);
        text += n + (text[n] == ',');
    }
    return TP_OK;
}

static int check_option_values(struct tp_record_options *o, struct tp_error *err)
{
    struct tp_kineto_options *k = &o->kineto;
    int code = parse_torch_options(k, o->torch, err);
    *k = (struct tp_kineto_options){.has_shapes = k->has_shapes,
                                    .has_stack = k->has_stack,
                                    .has_memory = k->has_memory,
                                    .has_flops = k->has_flops,
                                    .has_modules = k->has_modules,
                                    .wait = 1,
                                    .warmup = 1,
                                    .active = 3,
                                    .repeat = 1};
    code = code < 0 ? code : parse_pid(&o->attached, o->pid, err);
    code = code < 0 ? code : parse_duration(&k->duration_ms, o->duration, err);
    code = code < 0 ? code : parse_count(&k->skip_first, &o->has_schedule, "skip", o->skip_first, err);
    code = code < 0 ? code : parse_count(&k->wait, &o->has_schedule, "wait", o->wait, err);
    code = code < 0 ? code : parse_count(&k->warmup, &o->has_schedule, "warmup", o->warmup, err);
    code = code < 0 ? code : parse_count(&k->active, &o->has_schedule, "active", o->active, err);
    code = code < 0 ? code : parse_count(&k->repeat, &o->has_schedule, "repeat", o->repeat, err);
    if (code < 0)
        return code;
    if (k->active == 0)
        return tp_error_set(err, TP_EUSAGE, 0, "--active: must be at least 1");
    if (o->duration && o->has_schedule)
        return tp_error_set(err, TP_EUSAGE, 0, "--duration and steps exclude each other");
    return TP_OK;
}

int tp_record_parse_options(struct tp_record_options *options, int argc, char **argv, char ***program,
                            struct tp_error *err)
{
    int ours = 0;
    size_t operand_count;
    *options = (struct tp_record_options){.out = "runs"};
    while (ours < argc && strcmp(argv[ours], "--") != 0)
        ours++;
    *program = argv + (ours < argc ? ours + 1 : argc); /* the new argv must end with NULL, as the argv of main does */
    int code = tp_opt_parse(table, options, ours, argv, &operand_count, err);
    if (code < 0 || options->common.help)
        return code;
    if (operand_count > 0)
        return tp_error_set(err, TP_EUSAGE, 0, "\"%.60s\": write -- before the program", argv[0]);
    bool is_attached = options->pid || options->all_of_user;
    if (is_attached && (**program || options->list_sources || (options->pid && options->all_of_user)))
        return tp_error_set(err, TP_EUSAGE, 0, "--pid, --all-of-user and a program exclude each other");
    if (!**program && !options->list_sources && !is_attached)
        return tp_error_set(err, TP_EUSAGE, 0, "name a program behind --");
    if (!*options->out)
        return tp_error_set(err, TP_EUSAGE, 0, "-o: the name of the folder is empty");
    if ((options->outside || is_attached) && (options->source.count || options->no_source.count))
        return tp_error_set(err, TP_EUSAGE, 0,
                            "--outside and sources exclude each other: --outside loads nothing into "
                            "the program");
    if (options->records_whole_cpus && !options->outside && !is_attached && !tp_record_has_outside(options))
        return tp_error_set(err, TP_EUSAGE, 0,
                            "--whole-cpus needs the source outside, which is off; add outside to --source, or remove "
                            "--whole-cpus");
    return check_option_values(options, err);
}

/* ---- sources ---- */

static bool list_has_word(const struct tp_opt_list *list, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i < list->count; i++)
        for (const char *at = list->items[i]; *at;) {
            size_t n = strcspn(at, ","), name = strcspn(at, ",=");
            if (name == len && memcmp(at, word, len) == 0)
                return true;
            at += n + (at[n] == ',');
        }
    return false;
}

bool tp_record_wants_source(const struct tp_record_options *options, const char *source)
{
    return list_has_word(&options->source, source) && !list_has_word(&options->no_source, source);
}

void tp_record_source_setting(const struct tp_record_options *options, const char *source, char *text, size_t size)
{
    size_t len = strlen(source);
    *text = '\0';
    for (size_t i = 0; i < options->source.count; i++)
        for (const char *at = options->source.items[i]; *at;) {
            size_t n = strcspn(at, ",");
            if (n > len && n - len <= size && memcmp(at, source, len) == 0 && at[len] == '=')
                snprintf(text, size, "%.*s", (int)(n - len - 1), at + len + 1);
            at += n + (at[n] == ',');
        }
}

bool tp_record_starts_source(const struct tp_record_options *options, const char *source)
{
    bool is_default = options->source.count == 0 || list_has_word(&options->source, "default");
    return (is_default || list_has_word(&options->source, source)) && !list_has_word(&options->no_source, source);
}

bool tp_record_has_outside(const struct tp_record_options *options)
{
    return tp_record_starts_source(options, "outside") && !options->summary_only &&
           !tp_environment("TRACEPRESS_RANKS") && !tp_environment("TRACEPRESS_WINDOW");
}

unsigned tp_record_sample_rate(const struct tp_record_options *options)
{
    char setting[32];
    tp_record_source_setting(options, "sample", setting, sizeof setting);
    unsigned long rate = strtoul(setting, NULL, 10);
    return !tp_record_starts_source(options, "sample") ? 0
           : rate > 0 && rate <= 10000                 ? (unsigned)rate
                                                       : TP_WORKER_SAMPLES;
}

static bool is_known_source(const struct tp_source_rows *rows, const char *name, size_t len)
{
    static const char *const ours[] = {"kineto", "default", "outside"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strlen(ours[i]) == len && memcmp(ours[i], name, len) == 0)
            return true;
    for (size_t i = 0; i < rows->count; i++)
        if (strlen(rows->rows[i].name) == len && memcmp(rows->rows[i].name, name, len) == 0)
            return true;
    return false;
}

static int check_source_names(const struct tp_opt_list *list, const struct tp_source_rows *rows, struct tp_error *err)
{
    for (size_t i = 0; i < list->count; i++)
        for (const char *at = list->items[i]; *at;) {
            size_t n = strcspn(at, ","), name = strcspn(at, ",=");
            if (!is_known_source(rows, at, name))
                return tp_error_set(err, TP_EUSAGE, 0, "unknown source \"%.*s\"; --list-sources lists them",
                                    (int)(name < 40 ? name : 40), at);
            at += n + (at[n] == ',');
        }
    return TP_OK;
}

int tp_record_check_names(const struct tp_record_options *options, const struct tp_source_rows *rows,
                          struct tp_error *err)
{
    int code = check_source_names(&options->source, rows, err);
    return code < 0 ? code : check_source_names(&options->no_source, rows, err);
}

const char *tp_record_source_setting_text(const struct tp_record_options *options, bool has_outside, char *words,
                                          size_t size)
{
    struct tp_buf buf;
    tp_buf_init(&buf, size - 1);
    for (size_t i = 0; i < options->source.count; i++)
        tp_buf_printf(&buf, "%s,", options->source.items[i]);
    if (options->source.count == 0)
        tp_buf_puts(&buf, "default,");
    for (size_t i = 0; i < options->no_source.count; i++)
        for (const char *at = options->no_source.items[i]; *at;) {
            size_t n = strcspn(at, ",");
            tp_buf_printf(&buf, "-%.*s,", (int)n, at);
            at += n + (at[n] == ',');
        }
    if (has_outside && !list_has_word(&options->source, "sample"))
        tp_buf_puts(&buf, "-sample,");
    /* torch and kineto cannot both record PyTorch; with kineto, torch only marks the first step */
    if (tp_record_wants_source(options, "kineto"))
        tp_buf_puts(&buf, "torch,");
    snprintf(words, size, "%s", buf.data ? buf.data : "");
    tp_buf_release(&buf);
    return words;
}

const char *tp_record_torch_setting_text(const struct tp_record_options *options, char *words, size_t size)
{
    const struct tp_kineto_options *k = &options->kineto;
    snprintf(words, size,
             "duration_ms=%llu skip_first=%llu wait=%llu warmup=%llu active=%llu repeat=%llu shapes=%d stack=%d "
             "memory=%d flops=%d modules=%d steps_only=%d",
             (unsigned long long)k->duration_ms, (unsigned long long)k->skip_first, (unsigned long long)k->wait,
             (unsigned long long)k->warmup, (unsigned long long)k->active, (unsigned long long)k->repeat, k->has_shapes,
             k->has_stack, k->has_memory, k->has_flops, k->has_modules, tp_record_wants_source(options, "kineto"));
    return words;
}

/* ---- table of sources ---- */

static int print_source_row(const char *name, const char *state, const char *what)
{
    bool is_short = strcmp(state, "on") == 0 || strcmp(state, "off") == 0;
    return is_short ? printf("  %-10s %-4s %s\n", name, state, what)
                    : printf("  %-10s %-4s %s\n  %15s not available: %s\n", name, "-", what, "", state);
}

int tp_record_print_sources(const struct tp_source_rows *rows, const char *why_not_outside)
{
    printf("on: on by default; off: needs --source NAME; -: not available\n\n");
    print_source_row("outside", why_not_outside ? why_not_outside : "on",
                     "the states and samples of all processes, from kernel events; switches sample off");
    for (size_t i = 0; i < rows->count; i++)
        print_source_row(rows->rows[i].name, rows->rows[i].state, rows->rows[i].what);
    print_source_row("kineto", "off",
                     "PyTorch 2.3 or later, from outside by Kineto's protocol, instead of torch; see 'help "
                     "record'");
    return fflush(stdout);
}
