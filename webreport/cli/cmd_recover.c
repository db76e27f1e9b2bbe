/* tracepress recover SPOOL|DIR...: the trace of a recorded program that had no orderly end; of a folder, of all that
 * have none. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "webreport/cli/cmd.h"
#include "webreport/session/console.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"
#include "webreport/session/recordings_left.h"
#include "writer/spool/spool_read.h"
#include "writer/spool/spool_trace.h"

struct options {
    struct tp_opt_common common;
    const char *out;
    bool remove;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"output", 'o', TP_OPT_TEXT, AT(out), NULL},
    {"remove", 0, TP_OPT_FLAG, AT(remove), NULL},
    TP_OPT_COMMON(struct options),
};

/* The name the trace would have had: ".WORKER.NS.PID.tpspool" gives "WORKER.NS.pt.trace.json.gz" beside it. */
static bool name_trace(char *path, size_t size, const char *spool)
{
    const char *slash = strrchr(spool, '/'), *base = slash ? slash + 1 : spool;
    size_t folder = (size_t)(base - spool);
    base += *base == '.' && base[1];
    size_t n = strlen(base);
    if (n > 8 && strcmp(base + n - 8, ".tpspool") == 0) {
        n -= 8;
        while (n > 1 && base[n - 1] != '.') /* the process */
            n--;
        n -= n > 1;
    }
    int written = snprintf(path, size, "%.*s%.*s.pt.trace.json.gz", (int)folder, spool, (int)n, base);
    return written > 0 && (size_t)written < size;
}

static void say(struct tp_console *console, const char *spool, const struct tp_spool_trace_result *result)
{
    if (result->open_count)
        tp_console_notice(console, "%s: %llu ranges were open at the end; they end there, marked as not finished",
                          spool, (unsigned long long)result->open_count);
    if (result->broken_count)
        tp_console_notice(console, "%s: %llu damaged records were left out", spool,
                          (unsigned long long)result->broken_count);
    if (!result->range_count && !result->event_count)
        tp_console_notice(console, "%s: nothing was recorded in it", spool);
}

/* Removes what is no longer needed. */
static int drop(struct tp_console *console, const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return TP_EXIT_DONE;
    tp_console_error(console, "%s: cannot remove: %s", path, strerror(errno));
    return TP_EXIT_NO_OUTPUT;
}

static int recover(struct tp_console *console, const char *spool, const struct options *o)
{
    char path[4096 + 64];
    struct tp_spool_trace_result result;
    struct tp_error err = {0};
    bool is_live = tp_spool_is_live(spool);
    if (!o->out && !name_trace(path, sizeof path, spool)) {
        tp_console_error(console, "%s: the path is too long; name the trace with -o", spool);
        return TP_EXIT_USAGE;
    }
    const char *out = o->out ? o->out : path;
    size_t n = strlen(out);
    int code = tp_spool_trace(spool, out, n > 3 && strcmp(out + n - 3, ".gz") == 0, &result, &err);
    if (code) {
        tp_console_error(console, "%s", err.text);
        return tp_inputs_exit_code(code == TP_EFORMAT ? TP_ENOTFOUND : code);
    }
    say(console, spool, &result);
    if (strcmp(out, "-") != 0 && printf("%s\n", out) < 0)
        return TP_EXIT_NO_OUTPUT;
    if (is_live)
        tp_console_notice(console, "%s: its program still records; the trace has what was there by now%s", spool,
                          o->remove ? ", and the spool stays" : "");
    return o->remove && !is_live ? drop(console, spool) : TP_EXIT_DONE;
}

/* ---- folders ---- */

static int recover_leaving(struct tp_console *console, const struct tp_leaving *leaving, const struct options *o)
{
    if (leaving->is_spool && leaving->is_live)
        tp_console_notice(console, "%s: its program still records; name the spool to have its trace by now",
                          leaving->path);
    else if (leaving->is_spool)
        return recover(console, leaving->path, o);
    else if (o->remove)
        return drop(console, leaving->path);
    else
        tp_console_notice(console, "%s: an unfinished file of a program that was killed; --remove removes it",
                          leaving->path);
    return TP_EXIT_DONE;
}

struct search {
    struct tp_vec *leavings;
    const char *folder;
};

static int find_recordings_left(void *context, struct tp_error *err)
{
    const struct search *search = context;
    return tp_recordings_left_find(search->leavings, search->leavings->arena, search->folder, err);
}

static int recover_folder(struct tp_console *console, const char *folder, const struct options *o)
{
    struct tp_arena arena;
    struct tp_error err = {0};
    struct tp_vec leavings = TP_VEC(&arena, struct tp_leaving);
    int worst = TP_EXIT_DONE;
    size_t spools = 0;
    tp_arena_init(&arena, 0);
    if (tp_arena_run(&arena, find_recordings_left, &(struct search){&leavings, folder}, &err) < 0) {
        tp_console_error(console, "%s%s%s", arena.code ? folder : "", arena.code ? ": " : "", err.text);
        worst = arena.code ? TP_EXIT_LIMIT : TP_EXIT_NO_INPUT;
    }
    for (size_t i = 0; i < leavings.count && !arena.code; i++) {
        const struct tp_leaving *leaving = TP_AT(&leavings, struct tp_leaving, i);
        int code = recover_leaving(console, leaving, o);
        worst = worst > code ? worst : code;
        spools += leaving->is_spool;
    }
    if (!spools && worst == TP_EXIT_DONE)
        tp_console_notice(console, "%s: no spool in it; every recording had its trace", folder);
    tp_arena_release(&arena);
    return worst;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int tp_cmd_recover(int argc, char **argv)
{
    struct options o = {0};
    struct tp_console console;
    size_t count;
    int worst = TP_EXIT_DONE;
    int code = tp_cmd_start(&console, &(struct tp_cmd){"recover", table}, &o, argc, argv, &count);
    if (code != TP_CMD_GOES_ON)
        return code;
    if (count == 0)
        return tp_cmd_refuse(&console, "recover", "name a spool (.*.tpspool beside the traces) or a folder");
    if (o.out && (count > 1 || is_folder(argv[0])))
        return tp_cmd_refuse(&console, "recover", "-o names one trace: give one spool");
    for (size_t i = 0; i < count; i++) {
        code = is_folder(argv[i]) ? recover_folder(&console, argv[i], &o) : recover(&console, argv[i], &o);
        worst = worst > code ? worst : code;
    }
    return fflush(stdout) == 0 ? worst : TP_EXIT_NO_OUTPUT;
}
