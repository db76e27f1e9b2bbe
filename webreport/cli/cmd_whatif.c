/* Runs `tracepress whatif TRACE [CHANGE...]`: parses options, writes the outputs and sets the exit code. */
#include <string.h>

#include "webreport/cli/cmd.h"
#include "webreport/print/what_if_outputs.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"
#include "webreport/session/snapshot_session.h"
#include "webreport/session/what_if_session.h"

struct options {
    struct tp_opt_common common;
    struct tp_trace_options read;
    const char *text, *json;
    struct tp_opt_list changes;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"if", 0, TP_OPT_LIST, AT(changes), NULL},
    {"output", 'o', TP_OPT_PATH, AT(text), NULL},
    {"json", 0, TP_OPT_PATH, AT(json), NULL},
    TP_OPT_READING(struct options),
    TP_OPT_MAP(struct options),
    TP_OPT_COMPILE(struct options),
    TP_OPT_PARTS(struct options),
    TP_OPT_COMMON(struct options),
};

enum { TEXT, JSON, OUTPUTS };

struct job {
    const struct options *options;
    char **operands; /* the input, followed by changes */
    size_t operand_count;
    const char *paths[OUTPUTS];
    struct tp_what_if_session session;
    struct tp_what_if_outputs outputs;
    struct tp_cmd_work work;
};

/* Lists the changes of the operands and of the option --if, in this order. */
static void set_changes(struct job *job)
{
    const struct tp_opt_list *more = &job->options->changes;
    size_t count = job->operand_count - 1;
    struct tp_str *texts = tp_arena_array(&job->work.arena, count + more->count, sizeof *texts);
    for (size_t i = 0; i < count; i++)
        texts[i] = tp_str_of(job->operands[i + 1]);
    for (size_t i = 0; i < more->count; i++)
        texts[count + i] = tp_str_of(more->items[i]);
    job->session.asked = (struct tp_asked_changes){.texts = texts, .count = count + more->count};
}

static int run_what_if_in_guard(void *context, struct tp_error *err)
{
    struct job *job = context;
    (void)err; /* the parameter is unused, because errors are reported through job->work.err */
    set_changes(job);
    int code = tp_what_if_session_run(&job->session, &job->work.err);
    if (code < 0)
        return code;
    tp_what_if_outputs_finish(&job->outputs);
    struct tp_text_output files[OUTPUTS] = {{job->paths[TEXT], job->outputs.text},
                                            {job->paths[JSON], job->outputs.json}};
    code = tp_text_outputs_write(files, OUTPUTS, &job->work.err);
    if (code == TP_OK)
        tp_console_print_written(job->work.console, job->paths, OUTPUTS);
    return code;
}

static const char *find_conflict(const struct job *job)
{
    return tp_inputs_find_conflict(&(struct tp_named_files){
        .outputs = job->paths, .output_count = OUTPUTS, .inputs = &job->session.input, .input_count = 1});
}

int tp_cmd_whatif(int argc, char **argv)
{
    struct options o = {0};
    struct tp_console console;
    struct job job = {.options = &o, .operands = argv, .work = {.console = &console}};
    int code =
        tp_cmd_parse_command_line(&console, &(struct tp_cmd){"whatif", table}, &o, argc, argv, &job.operand_count);
    if (code != TP_CMD_CONTINUES)
        return code;
    if (job.operand_count == 0)
        return tp_cmd_print_usage_error(&console, "whatif", "name a trace, and then changes such as host=1/2");
    job.paths[TEXT] = o.text ? o.text : tp_is_stdout_path(o.json) ? NULL : "-";
    job.paths[JSON] = o.json;
    job.session = (struct tp_what_if_session){.input = argv[0],
                                              .read = o.read,
                                              .outputs = job.paths,
                                              .output_count = OUTPUTS,
                                              .console = &console,
                                              .receiver = tp_what_if_outputs_add,
                                              .context = &job.outputs};
    const char *wrong = find_conflict(&job);
    if (wrong)
        return tp_cmd_print_usage_error(&console, "whatif", wrong);
    if (tp_snapshot_refuse_inputs(&job.session.input, 1, "a memory snapshot has no work to replay: name a trace",
                                  &console))
        return TP_EXIT_NO_INPUT;
    code = tp_inputs_exit_code(tp_cmd_run_in_arena(&job.work, run_what_if_in_guard, &job));
    tp_what_if_outputs_release(&job.outputs);
    tp_cmd_release(&job.work);
    return code == TP_EXIT_DONE && job.session.withheld_count ? TP_EXIT_DAMAGED : code;
}
