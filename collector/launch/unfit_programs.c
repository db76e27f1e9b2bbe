/* Names programs without the preload library: see unfit_programs.h. */
#include "collector/launch/unfit_programs.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/launch/program.h"
#include "collector/launch/run_folder.h"
#include "writer/base/buf.h"
#include "writer/base/input.h"
#include "writer/base/path.h"
#include "writer/worker.h"

enum { MOST_BYTES = 64 << 20, MOST_PROGRAMS = 64 };

struct path {
    const char *text;
    size_t length;
};

struct found {
    struct path paths[MOST_PROGRAMS];
    size_t count;
};

static void add_unfit_program(struct found *found, const char *text, size_t length)
{
    for (size_t i = 0; i < found->count; i++)
        if (found->paths[i].length == length && memcmp(found->paths[i].text, text, length) == 0)
            return;
    if (found->count < MOST_PROGRAMS)
        found->paths[found->count++] = (struct path){text, length};
}

static void find_unfit_programs(struct found *found, const char *lines)
{
    for (const char *line = lines, *next; *line; line = next) {
        char *end;
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        strtol(line, &end, 10);
        if (*end == TP_WORKER_LEFT_OUT && end < line + n)
            add_unfit_program(found, end + 1, (size_t)(line + n - end - 1));
    }
}

/* Writes the name of the first program, and the reason why no library can be preloaded into it. The notes contain no
 * reasons, so the program is examined again. */
static void write_first_program(char *text, size_t size, const struct found *found)
{
    char path[PATH_MAX];
    struct tp_program *program = malloc(sizeof *program);
    snprintf(path, sizeof path, "%.*s", (int)found->paths[0].length, found->paths[0].text);
    const char *why = NULL;
    if (program)
        tp_program_find(program, path);
    why = program ? program->why_plain : NULL;
    int n = snprintf(text, size, "%.200s: %s", tp_path_base(path), why ? why : "no library can be loaded into it");
    if (found->count > 1 && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, " (and %zu more program%s)", found->count - 1,
                 found->count == 2 ? "" : "s");
    free(program);
}

size_t tp_unfit_programs_write(char *text, size_t size, const char *folder)
{
    char path[TP_RUN_PATH_BYTES + 32];
    struct found found = {.count = 0};
    struct tp_buf lines;
    *text = '\0';
    tp_buf_init(&lines, MOST_BYTES);
    snprintf(path, sizeof path, "%s/%s", folder, TP_WORKER_PROCESS_LIST);
    bool is_read = tp_input_read_all(&lines, path, TP_INPUT_FILE, NULL) == 0;
    tp_buf_putc(&lines, '\0');
    if (is_read && !lines.failed)
        find_unfit_programs(&found, lines.data);
    if (found.count)
        write_first_program(text, size, &found);
    tp_buf_release(&lines);
    return found.count;
}
