/* Makes sure that programs that a recorded process executes or starts are recorded too, whatever environment they get
 * (exec_environment.h).
 *
 * These hooks also run between vfork and exec, where they share the parent's memory. So they use only their stack.
 * They are not marked as the recorder's own code (tp_cursor.inside), because a successful call does not return. The C
 * library's system and popen cannot be intercepted here. Their children inherit the environment of the process. */
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <unistd.h>

#include "collector/exec_environment.h"
#include "collector/hook.h"

enum { CALL_EXECVE, CALL_EXECVPE, CALL_FEXECVE, CALL_EXECVEAT, CALL_SPAWN, CALL_SPAWNP, CALL_COUNT };

static struct tp_hook hooks[CALL_COUNT] = {
    {"execve", NULL, NULL},   {"execvpe", NULL, NULL},     {"fexecve", NULL, NULL},
    {"execveat", NULL, NULL}, {"posix_spawn", NULL, NULL}, {"posix_spawnp", NULL, NULL},
};

__attribute__((constructor)) static void find_originals(void)
{
    tp_hooks_find_originals(hooks, CALL_COUNT);
}

typedef int exec_call(const char *, char *const *, char *const *);
typedef int exec_file(int, char *const *, char *const *);
typedef int exec_at(int, const char *, char *const *, char *const *, int);
typedef int spawn_call(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                       char *const *, char *const *);

#define EXPORT __attribute__((visibility("default")))
#define NEXT(call, type) ((type *)tp_hook_original(&hooks[call], NULL))

/* Returns from the calling function with the result of the expression `call`. The expression can use `env`, which is a
 * changed copy of the environment `given`. The further arguments are the members of struct tp_exec_program. */
#define WITH_ENVIRONMENT(given, call, ...)                                                                             \
    do {                                                                                                               \
        size_t bytes = tp_exec_environment_bytes(given);                                                               \
        bool fits = tp_exec_report_unfit_program(&(struct tp_exec_program){__VA_ARGS__});                              \
        char **made = bytes ? tp_exec_build_environment(given, fits, __builtin_alloca(bytes)) : NULL;                  \
        char *const *env = made ? made : (given);                                                                      \
        return call;                                                                                                   \
    } while (0)

static int exec_with_environment(int call, const char *path, char *const *argv, char *const *given)
{
    WITH_ENVIRONMENT(given, NEXT(call, exec_call)(path, argv, env), path, call == CALL_EXECVPE, AT_FDCWD);
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    return exec_with_environment(CALL_EXECVE, path, argv, envp);
}

EXPORT int execv(const char *path, char *const argv[])
{
    return exec_with_environment(CALL_EXECVE, path, argv, environ);
}

EXPORT int execvp(const char *file, char *const argv[])
{
    return exec_with_environment(CALL_EXECVPE, file, argv, environ);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
    return exec_with_environment(CALL_EXECVPE, file, argv, envp);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
    WITH_ENVIRONMENT(envp, NEXT(CALL_FEXECVE, exec_file)(fd, argv, env), NULL, false, fd);
}

EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags);
EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
    WITH_ENVIRONMENT(envp, NEXT(CALL_EXECVEAT, exec_at)(fd, path, argv, env, flags), path, false, fd);
}

/* ---- functions whose arguments are a list that ends with NULL ---- */

static size_t count_arguments(va_list words)
{
    size_t count = 1;
    while (va_arg(words, char *))
        count++;
    return count;
}

/* Builds argv from `first` and the variable arguments after it. Afterwards `words` is after the final NULL. */
#define ARGUMENTS(argv, words, first)                                                                                  \
    va_list words;                                                                                                     \
    va_start(words, first);                                                                                            \
    size_t count = count_arguments(words);                                                                             \
    va_end(words);                                                                                                     \
    char **argv = __builtin_alloca((count + 1) * sizeof *argv);                                                        \
    argv[0] = (char *)(uintptr_t)(first);                                                                              \
    va_start(words, first);                                                                                            \
    for (size_t i = 1; i <= count; i++)                                                                                \
    argv[i] = va_arg(words, char *)

EXPORT int execl(const char *path, const char *first, ...)
{
    ARGUMENTS(argv, words, first);
    va_end(words);
    return exec_with_environment(CALL_EXECVE, path, argv, environ);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
    ARGUMENTS(argv, words, first);
    va_end(words);
    return exec_with_environment(CALL_EXECVPE, file, argv, environ);
}

EXPORT int execle(const char *path, const char *first, ...)
{
    ARGUMENTS(argv, words, first);
    char *const *envp = va_arg(words, char *const *);
    va_end(words);
    return exec_with_environment(CALL_EXECVE, path, argv, envp);
}

/* ---- posix_spawn ---- */

// NOLINTNEXTLINE(readability-function-size): same parameters as in the C library
static int spawn(int call, pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const *argv, char *const *given)
{
    WITH_ENVIRONMENT(given, NEXT(call, spawn_call)(pid, path, actions, attributes, argv, env), path,
                     call == CALL_SPAWNP, AT_FDCWD);
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    return spawn(CALL_SPAWN, pid, path, actions, attributes, argv, envp);
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    return spawn(CALL_SPAWNP, pid, file, actions, attributes, argv, envp);
}
