/* Inputs of a command: see inputs.h. */
#include "webreport/cli/inputs.h"

#include <sys/stat.h>

#include <string.h>

#include "webreport/cli/cmd.h"

int tp_inputs_find(struct tp_runs *runs, size_t *file_count, struct tp_arena *arena, const char *const *paths,
                   size_t path_count, struct tp_error *err)
{
    struct tp_error local;
    struct tp_error *why = err ? err : &local;
    int code = tp_rundir_find(runs, arena, paths, path_count, why);
    *file_count = 0;
    for (size_t i = 0; code == TP_OK && i < runs->count; i++)
        *file_count += runs->items[i].file_count;
    if (code == TP_EIO) /* a folder that cannot be opened is an input */
        return why->code = TP_ENOTFOUND;
    if (code == TP_OK && *file_count == 0)
        return tp_error_set(why, TP_ENOTFOUND, 0,
                            "no *.pt.trace.json[.gz] found; name the trace file itself if it is called otherwise");
    return code;
}

void tp_inputs_say_notices(struct tp_console *console, const char *path, const struct tp_reading *reading)
{
    for (enum tp_notice i = 0; i < TP_NOTICE_COUNT; i++)
        if (reading->notices[i])
            tp_console_notice(console, tp_notice_is_damage(i) ? "%s: %s (%llu, first at byte %llu)" : "%s: %s (%llu)",
                              path, tp_notice_text(i), (unsigned long long)reading->notices[i],
                              (unsigned long long)reading->notice_offset[i]);
}

const char *tp_inputs_shown_name(struct tp_arena *arena, const char *path)
{
    size_t size = strlen(path), from;
    while (size > 1 && path[size - 1] == '/')
        size--;
    for (from = size; from > 0 && path[from - 1] != '/'; from--)
        ;
    return tp_arena_copy(arena, path + from, size - from);
}

bool tp_inputs_is_same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int tp_inputs_exit_code(int status)
{
    switch (status) {
    case TP_OK:
        return TP_EXIT_DONE;
    case TP_EIO:
        return TP_EXIT_NO_OUTPUT;
    case TP_ENOMEM:
    case TP_ELIMIT:
        return TP_EXIT_LIMIT;
    case TP_ENOTFOUND:
        return TP_EXIT_NO_INPUT;
    default: /* a broken template, an address that is no link */
        return TP_EXIT_USAGE;
    }
}
