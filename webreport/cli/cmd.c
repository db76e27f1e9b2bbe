/* Implements functions that several commands use. See cmd.h. */
#include "webreport/cli/cmd.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "webreport/print/summaries_json.h"
#include "webreport/session/console.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"
#include "webreport/session/summarize.h"
#include "writer/base/fs.h"
#include "writer/text/assets.h"

int tp_cmd_parse_command_line(struct tp_console *console, const struct tp_cmd *cmd, void *options, int argc,
                              char **argv, size_t *operand_count)
{
    const struct tp_opt_common *common = options;
    struct tp_error err = {0};
    int code = tp_opt_parse(cmd->table, options, argc, argv, operand_count, &err);
    tp_console_init(console, common->quiet, common->color);
    if (common->help)
        return tp_help_print(cmd->name);
    return code < 0 ? tp_cmd_print_usage_error(console, cmd->name, err.text) : TP_CMD_CONTINUES;
}

int tp_cmd_print_usage_error(struct tp_console *console, const char *command, const char *what)
{
    tp_console_error(console, "%s: %s; 'tracepress help %s' lists the options", command, what, command);
    return TP_EXIT_USAGE;
}

bool tp_cmd_parse_percent(double *out, const char *text)
{
    char *end;
    *out = 0;
    if (!text)
        return true;
    double value = strtod(text, &end);
    if (end == text || !isfinite(value) || value < 0)
        return false;
    *out = value / 100;
    end += strspn(end, " ");
    return *end == '\0' || strcmp(end, "%") == 0;
}

/* ---- help ---- */

int tp_help_print(const char *command)
{
    struct tp_assets assets = {0}; /* empty, because built-in texts need no memory */
    struct tp_str text;
    char name[64];
    snprintf(name, sizeof name, "help/%.40s.txt", command);
    if (tp_assets_get(&assets, tp_str_of(name), &text, NULL) < 0)
        return -1;
    fwrite(text.ptr, 1, text.len, stdout);
    return fflush(stdout) ? TP_EXIT_NO_OUTPUT : TP_EXIT_DONE;
}

/* ---- signals ---- */

/* Removes temporary files of outputs, then exits with the code that a shell reports for this signal. */
static void handle_signal(int number)
{
    tp_outfile_remove_all();
    _exit(128 + number);
}

static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
enum { HANDLED = sizeof handled / sizeof *handled };
/* actions of the signals when the program started; tp_signals_restore restores them */
static struct sigaction before[HANDLED];

void tp_signals_handle(void)
{
    for (int i = 0; i < HANDLED; i++) {
        struct sigaction action = {.sa_handler = handle_signal};
        sigemptyset(&action.sa_mask);
        if (handled[i] == SIGPIPE || handled[i] == SIGXFSZ)
            /* ignores these signals, because a full disk or a closed pipe is reported as an error */
            action.sa_handler = SIG_IGN;
        sigaction(handled[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* a signal that was ignored before, as under nohup, stays ignored */
            sigaction(handled[i], &action, NULL);
    }
}

void tp_signals_restore(void)
{
    for (int i = 0; i < HANDLED; i++)
        sigaction(handled[i], &before[i], NULL);
}

/* ---- memory and outputs of a command ---- */

/* Indexes of the last two outputs: style and script of a page, if they are separate files. */
enum { CSS = TP_TEXT_OUTPUTS_MAX - 2, JS };

int tp_cmd_print_failure(struct tp_console *console, const char *command, int status)
{
    tp_console_error(console, "%s: %s", command, status == TP_ELIMIT ? "a limit was reached" : "out of memory");
    return tp_inputs_exit_code(status);
}

int tp_cmd_run_in_arena(struct tp_cmd_work *work, tp_arena_work *run, void *context)
{
    tp_arena_init(&work->arena, 0);
    for (int i = 0; i < TP_TEXT_OUTPUTS_MAX; i++)
        tp_buf_init(&work->outputs[i].text, 0);
    int code = tp_arena_run(&work->arena, run, context, &work->err);
    tp_console_progress_end(work->console);
    if (code < 0)
        tp_console_error(work->console, "%s", work->err.text);
    return code;
}

int tp_cmd_write_outputs(struct tp_cmd_work *work, const struct tp_document *document,
                         const struct tp_cmd_output *outputs, unsigned count, struct tp_print_options *options)
{
    int code = TP_OK;
    for (unsigned i = 0; i < count && code == TP_OK; i++) {
        work->outputs[i].path = outputs[i].path;
        if (outputs[i].path)
            code = outputs[i].print(&work->outputs[i].text, document, options, &work->err);
    }
    code = code < 0 ? code : tp_text_outputs_write(work->outputs, TP_TEXT_OUTPUTS_MAX, &work->err);
    const char *paths[TP_TEXT_OUTPUTS_MAX];
    for (unsigned i = 0; i < TP_TEXT_OUTPUTS_MAX; i++)
        paths[i] = work->outputs[i].path;
    if (code == TP_OK)
        tp_console_print_written(work->console, paths, TP_TEXT_OUTPUTS_MAX);
    return code;
}

const struct tp_summary_printer tp_cmd_summaries_json = {tp_summaries_json_begin, tp_summaries_json_add,
                                                         tp_summaries_json_end};

/* Returns the path of a file `name` in the folder of the page. The text is in the arena. */
static const char *path_in_page_folder(struct tp_arena *arena, const char *html, const char *name)
{
    const char *slash = strrchr(html, '/');
    size_t folder = slash ? (size_t)(slash - html) + 1 : 0, size = strlen(name);
    char *path = tp_arena_alloc(arena, folder + size + 1);
    memcpy(path, html, folder);
    memcpy(path + folder, name, size);
    return path;
}

int tp_cmd_separate_assets(struct tp_cmd_work *work, const char *html, struct tp_print_options *options)
{
    if (tp_is_stdout_path(html))
        return tp_error_set(&work->err, TP_EUSAGE, 0,
                            "--assets=separate needs -o FILE, because it writes report.css and report.js next to FILE");
    work->outputs[CSS].path = path_in_page_folder(&work->arena, html, "report.css");
    work->outputs[JS].path = path_in_page_folder(&work->arena, html, "report.js");
    options->css = &work->outputs[CSS].text;
    options->js = &work->outputs[JS].text;
    return TP_OK;
}

void tp_cmd_release(struct tp_cmd_work *work)
{
    for (int i = 0; i < TP_TEXT_OUTPUTS_MAX; i++)
        tp_buf_release(&work->outputs[i].text);
    tp_arena_release(&work->arena);
}
