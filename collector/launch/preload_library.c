/* Finds the preload library and queries its table of sources: see preload_library.h. */
#include "collector/launch/preload_library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "writer/base/environment.h"
#include "writer/base/preload.h"
#include "writer/worker.h"

static const char file_name[] = TP_WORKER_LIBRARY;

/* Writes the path of this program to `file`; "" if the path is unknown. Some containers have no /proc. */
static void find_path_of_this_program(char *file, size_t size)
{
    char *name = (char *)getauxval(AT_EXECFN), *whole = NULL; // NOLINT(performance-no-int-to-ptr)
    ssize_t n = readlink("/proc/self/exe", file, size - 1);
    file[n > 0 ? n : 0] = '\0';
    if (n <= 0 && name && (whole = realpath(name, NULL)) != NULL)
        snprintf(file, size, "%s", whole);
    free(whole);
}

int tp_library_find(char *path, size_t size, struct tp_error *err)
{
    static const char *const places[] = {"", "../lib/tracepress/", "../lib64/tracepress/"};
    char self[4096];
    const char *given = tp_environment("TRACEPRESS_PRELOAD");
    find_path_of_this_program(self, sizeof self);
    char *slash = strrchr(self, '/');
    if (slash)
        slash[1] = '\0';
    bool is_found = given && *given && snprintf(path, size, "%s", given) > 0 && access(path, R_OK) == 0;
    for (size_t i = 0; !is_found && *self && i < sizeof places / sizeof *places; i++) {
        int len = snprintf(path, size, "%s%s%s", self, places[i], file_name);
        is_found = len > 0 && (size_t)len < size && access(path, R_OK) == 0;
    }
    if (!is_found)
        return tp_error_set(err, TP_ENOTFOUND, 0, "%s is neither in %s nor in ../lib/tracepress relative to it",
                            file_name, self);
    if (strpbrk(path, " :\t\n"))
        return tp_error_set(err, TP_EUNSUPPORTED, 0, "%s: LD_PRELOAD accepts no path with a blank or a colon", path);
    return TP_OK;
}

int tp_library_make_preload_value(char *value, size_t size, const char *library)
{
    return tp_preload_list_add(value, size, tp_environment("LD_PRELOAD"), library);
}

static void run_source_query(const char *library, const char *program, char *const *argv, int out)
{
    static char *const ourselves[] = {"tracepress", "--version", NULL};
    char value[8192], self[4096];
    find_path_of_this_program(self, sizeof self);
    int nothing = open("/dev/null", O_RDWR);
    if (tp_library_make_preload_value(value, sizeof value, library) != TP_OK || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(nothing, STDERR_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
        _exit(1);
    setenv("LD_PRELOAD", value, 1);
    setenv("TRACEPRESS_LIST_SOURCES", "1", 1);
    execv(program ? program : self, program ? argv : ourselves);
    _exit(1);
}

/* Adds the row of the table that a line of text describes. The line consists of name, tab, state, tab, description. */
static void add_source_row(struct tp_source_rows *rows, const char *line)
{
    if (rows->count == TP_LIBRARY_SOURCES)
        return;
    struct tp_source_row *row = &rows->rows[rows->count];
    if (sscanf(line, "%31[^\t]\t%95[^\t]\t%159[^\t\n]", row->name, row->state, row->what) == 3)
        rows->count++;
}

int tp_library_read_sources(struct tp_source_rows *rows, const char *library, const char *program, char *const *argv,
                            struct tp_error *err)
{
    int fds[2];
    char *line = NULL;
    size_t size = 0;
    rows->count = 0;
    if (pipe2(fds, O_CLOEXEC) != 0)
        return tp_error_set(err, TP_EIO, 0, "%s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0)
        run_source_query(library, program, argv, fds[1]);
    close(fds[1]);
    FILE *in = fdopen(fds[0], "r");
    if (!in)
        close(fds[0]);
    while (in && getline(&line, &size, in) > 0)
        add_source_row(rows, line);
    free(line);
    if (in)
        fclose(in);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return rows->count ? TP_OK : tp_error_set(err, TP_EIO, 0, "%s: it cannot be loaded on this system", library);
}
