/* Implements nsys_convert.h. Elsewhere than on Linux, record_unsupported.c does. */
#include "webreport/cli/nsys_convert.h"

#include <string.h>
#include <sys/stat.h>

#include "webreport/cli/bench_child.h"
#include "webreport/cli/bench_revisions.h"
#include "writer/base/input.h"
#include "writer/base/path.h"
#include "writer/base/str.h"
#include "writer/text/format.h"

static bool is_nsys_report(const char *path)
{
    static const char *const endings[] = {".nsys-rep", ".qdrep"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (tp_str_ends(tp_str_of(path), endings[i]))
            return true;
    return false;
}

/* Prints why nsys failed: the last line of its output. */
static void print_failure(const struct tp_bench_child *nsys, const char *input, struct tp_console *console)
{
    struct tp_buf said;
    if (nsys->start_error) {
        tp_console_error(
            console,
            "--convert runs `nsys export`, and nsys cannot be started: %s. Add the folder of nsys to PATH, "
            "or run `nsys export --type sqlite %s` where Nsight Systems is installed",
            strerror(nsys->start_error), input);
        return;
    }
    tp_buf_init(&said, 1 << 16);
    tp_input_read_all(&said, nsys->output, TP_INPUT_FILE, NULL);
    while (said.size && said.data[said.size - 1] == '\n')
        said.size--;
    size_t start = said.size;
    while (start && said.data[start - 1] != '\n')
        start--;
    tp_console_error(console, "%s: `nsys export` failed with exit code %d: %.*s", input, nsys->exit_code,
                     (int)(said.size - start), said.size ? said.data + start : "");
    tp_buf_release(&said);
}

/* Returns the path of the converted file; NULL after printing an error. number: index of the input. */
static const char *convert(const struct tp_bench_folders *folders, const char *input, size_t number,
                           struct tp_arena *arena, struct tp_console *console)
{
    const char *base = tp_path_base(input), *folder = tp_text_printf(arena, "%s/%zu", folders->temporary, number);
    const char *path = tp_text_printf(arena, "%s/%.*s.sqlite", folder, (int)(strrchr(base, '.') - base), base);
    const char *from = *input == '-' ? tp_text_printf(arena, "./%s", input) : input;
    const char *const words[] = {"nsys", "export", "--type", "sqlite", "--output", path, from, NULL};
    char *argv[sizeof words / sizeof *words];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        argv[i] = (char *)(uintptr_t)words[i];
    struct tp_bench_child nsys = {.argv = argv, .output = folders->log};
    struct stat info;
    if (mkdir(folder, 0700) != 0) {
        tp_console_error(console, "no folder can be made below the temporary folder");
        return NULL;
    }
    tp_console_notice(console, "converting %s with nsys", input);
    tp_bench_child_block_signals(); /* a signal to stop ends nsys first */
    tp_bench_child_run(&nsys);
    tp_bench_child_unblock_signals();
    if (!nsys.start_error && nsys.exit_code == 0 && stat(path, &info) == 0)
        return path;
    print_failure(&nsys, input, console);
    return NULL;
}

bool tp_nsys_convert_inputs(struct tp_nsys_conversion *conversion, char **inputs, size_t count, struct tp_arena *arena,
                            struct tp_console *console)
{
    struct tp_bench_folders folders = {0};
    struct tp_error err = {0};
    for (size_t i = 0; i < count; i++) {
        if (!is_nsys_report(inputs[i]))
            continue;
        if (!*folders.temporary && tp_bench_folders_open(&folders, &err) < 0) {
            tp_console_error(console, "%s", err.text);
            return false;
        }
        memcpy(conversion->folder, folders.temporary, sizeof conversion->folder);
        const char *path = convert(&folders, inputs[i], i, arena, console);
        if (!path)
            return false;
        inputs[i] = (char *)(uintptr_t)path;
    }
    return true;
}

void tp_nsys_conversion_release(struct tp_nsys_conversion *conversion)
{
    if (*conversion->folder)
        tp_bench_remove_folder(conversion->folder);
    *conversion->folder = '\0';
}
