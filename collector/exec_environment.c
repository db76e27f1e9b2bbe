/* Builds the environment of programs that the process starts: see exec_environment.h. */
#include "collector/exec_environment.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/confined.h"
#include "collector/spool_socket.h"
#include "writer/base/preload.h"
#include "writer/base/preload_fit.h"
#include "writer/worker.h"

/* MAX_KEPT: maximum number of variables that are added again. MAX_BYTES: maximum size of a new environment, which is on
 * the caller's stack. Larger environments are not changed. */
enum { MAX_KEPT = 32, MAX_BYTES = 256 << 10 };

static const char preload[] = "LD_PRELOAD=", ours[] = "TRACEPRESS_", folder[] = "TRACEPRESS_SPOOLS=";

static struct {
    const char *library;
    char *variables[MAX_KEPT]; /* variables that a new environment gets again, each as NAME=VALUE */
    size_t count;
} kept;

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

void tp_exec_set_library(const char *library)
{
    while (kept.count)
        free(kept.variables[--kept.count]);
    for (char *const *at = environ; at && *at && kept.count < MAX_KEPT; at++) {
        char *copy = begins_with(*at, ours) ? strdup(*at) : NULL;
        if (copy)
            kept.variables[kept.count++] = copy;
    }
    kept.library = library;
}

/* ---- notes about started programs ---- */

void tp_exec_append_to_run_notes(const char *spools, char mark, const char *text)
{
    char path[PATH_MAX], line[PATH_MAX + 32];
    int n = snprintf(path, sizeof path, "%s/" TP_WORKER_PROCESS_LIST, spools);
    int size = snprintf(line, sizeof line, "%d%c%s\n", (int)getpid(), mark, text);
    bool fits = n > 0 && (size_t)n < sizeof path && size > 0 && (size_t)size < sizeof line;
    int fd = fits ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666) : -1;
    if (fd < 0)
        return;
    if (write(fd, line, (size_t)size) < 0)
        size = 0; /* ignores the error, because the recording itself reports a full disk */
    close(fd);
}

static bool is_confined(void)
{
    pid_t child = atomic_load(&tp_confined_child);
    return atomic_load(&tp_confined_) == TP_CONFINED_ITSELF || (child && child == getpid());
}

/* Opens the first executable file with this name in a folder of PATH, as execvp does. Returns -1 if none exists. */
static int open_program_in_path(const char *name)
{
    char candidate[PATH_MAX];
    const char *path = "/bin:/usr/bin";
    int fd = -1;
    for (char *const *at = environ; at && *at; at++)
        path = begins_with(*at, "PATH=") ? *at + strlen("PATH=") : path;
    while (fd < 0 && path) {
        size_t n = strcspn(path, ":");
        int size = snprintf(candidate, sizeof candidate, "%.*s%s%s", (int)n, path, n ? "/" : "", name);
        if (size > 0 && (size_t)size < sizeof candidate && access(candidate, X_OK) == 0)
            fd = tp_preload_open(AT_FDCWD, candidate);
        path = path[n] ? path + n + 1 : NULL;
    }
    return fd;
}

/* Returns the reason why the library cannot be preloaded into the program. Returns NULL if it can be preloaded, or if
 * the program cannot be read. Also returns NULL for a static program, because its children get the library from its
 * environment. */
static const char *find_preload_refusal(const struct tp_exec_program *program)
{
    bool is_searched = program->name && program->is_searched && *program->name && !strchr(program->name, '/');
    int fd = !program->name || !*program->name ? program->fd
             : is_searched                     ? open_program_in_path(program->name)
                                               : tp_preload_open(program->fd, program->name);
    const char *why = fd >= 0 ? tp_preload_refusal(fd) : NULL;
    if (fd >= 0 && program->name && *program->name)
        close(fd);
    return why == tp_preload_static ? NULL : why;
}

bool tp_exec_report_unfit_program(const struct tp_exec_program *program)
{
    char path[PATH_MAX];
    const char *name = program->name, *spools = NULL;
    const int saved = errno;
    for (size_t i = 0; i < kept.count; i++)
        spools = begins_with(kept.variables[i], folder) ? kept.variables[i] + strlen(folder) : spools;
    if (!kept.library || is_confined())
        return true;
    const char mark = find_preload_refusal(program) ? TP_WORKER_LEFT_OUT : TP_WORKER_BECOMES;
    bool is_named = name && *name && (*name == '/' || program->fd == AT_FDCWD) && !strchr(name, '\n');
    if (spools && is_named) {
        bool is_relative = *name != '/' && (!program->is_searched || strchr(name, '/'));
        size_t size = is_relative && getcwd(path, sizeof path) ? strlen(path) : 0;
        if (!size)
            tp_exec_append_to_run_notes(spools, mark, name);
        else if ((size_t)snprintf(path + size, sizeof path - size, "/%s", name) < sizeof path - size)
            tp_exec_append_to_run_notes(spools, mark, path);
    }
    errno = saved;
    return mark == TP_WORKER_BECOMES;
}

/* ---- the environment ---- */

static const char *find_preload_value(char *const *given)
{
    for (; given && *given; given++)
        if (begins_with(*given, preload))
            return *given + strlen(preload);
    return NULL;
}

size_t tp_exec_environment_bytes(char *const *given)
{
    const char *before = find_preload_value(given);
    size_t count = 0;
    if (!kept.library)
        return 0;
    while (given && given[count])
        count++;
    size_t text = strlen(preload) + strlen(kept.library) + (before ? strlen(before) : 0) + 2;
    size_t bytes = (count + kept.count + 2) * sizeof(char *) + text;
    return bytes <= MAX_BYTES ? bytes : 0;
}

/* Returns whether the environment has a variable with the same name as `variable`. */
static bool has_variable(char *const *given, const char *variable)
{
    size_t name = strcspn(variable, "=") + 1;
    for (; given && *given; given++)
        if (strncmp(*given, variable, name) == 0)
            return true;
    return false;
}

static bool can_library_be_loaded(void)
{
    return !is_confined() && faccessat(AT_FDCWD, kept.library, R_OK, AT_EACCESS) == 0;
}

char **tp_exec_build_environment(char *const *given, bool fits, void *room)
{
    const bool is_kept = fits && can_library_be_loaded();
    const char *before = find_preload_value(given);
    size_t count = 0;
    if (!is_kept && !before)
        return NULL;
    if (is_kept)
        tp_spool_socket_keep_open();
    char **out = room;
    for (char *const *at = given; at && *at; at++)
        if (!begins_with(*at, preload) && (is_kept || !begins_with(*at, folder)))
            out[count++] = *at;
    for (size_t i = 0; is_kept && i < kept.count; i++)
        if (!has_variable(given, kept.variables[i]))
            out[count++] = kept.variables[i];
    char *text = (char *)(out + count + 2), *value = text + strlen(preload);
    size_t size = strlen(kept.library) + (before ? strlen(before) : 0) + 2;
    memcpy(text, preload, sizeof preload);
    if (is_kept)
        tp_preload_list_add(value, size, before, kept.library);
    else
        tp_preload_list_remove(value, before, kept.library);
    if (*value)
        out[count++] = text;
    out[count] = NULL;
    return out;
}
