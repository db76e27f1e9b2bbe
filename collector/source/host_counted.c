/* A program that counts its threads, by the links of /proc/self/task: Chromium and its kin do before they build a
 * sandbox, and end where they are not alone. Threads of ours end before such a question and begin anew behind it. */
#include <stdbool.h>
#include <string.h>

#include "collector/hook.h"
#include "collector/source/host_alone.h"

/* How a file is asked about: name, parameters as declared and as passed on, in this C library and in those before 2.33.
 * A table of the whole source: names, numbers and functions are made of it. */
#define STATS(X)                                                                                                       \
    X(stat, (const char *path, void *to), (path, to))                                                                  \
    X(stat64, (const char *path, void *to), (path, to))                                                                \
    X(fstatat, (int folder, const char *path, void *to, int flags), (folder, path, to, flags))                         \
    X(fstatat64, (int folder, const char *path, void *to, int flags), (folder, path, to, flags))                       \
    X(__xstat, (int version, const char *path, void *to), (version, path, to))                                         \
    X(__xstat64, (int version, const char *path, void *to), (version, path, to))                                       \
    X(__fxstatat, (int version, int folder, const char *path, void *to, int flags),                                    \
      (version, folder, path, to, flags))                                                                              \
    X(__fxstatat64, (int version, int folder, const char *path, void *to, int flags),                                  \
      (version, folder, path, to, flags))

#define NUMBER(name, parameters, arguments) CALL_##name,
enum { STATS(NUMBER) CALL_COUNT };

#define HOOK(name, parameters, arguments) {#name, NULL, NULL},
static struct tp_hook hooks[CALL_COUNT] = {STATS(HOOK)};

__attribute__((constructor)) static void find(void)
{
    tp_hooks_find(hooks, CALL_COUNT);
}

/* Whether the path is of the folder with the threads of the process, whose links say how many there are. */
static bool counts_threads(const char *path)
{
    static const char folder[] = "self/task";
    size_t length = path ? strlen(path) : 0;
    length -= length > 0 && path[length - 1] == '/';
    return length >= sizeof folder - 1 && memcmp(path + length - (sizeof folder - 1), folder, sizeof folder - 1) == 0;
}

// NOLINTBEGIN(bugprone-macro-parentheses,readability-function-size): a function's name is no expression, and its
// parameters are others' choice
#define STAT(name, parameters, arguments)                                                                              \
    typedef int name##_call parameters;                                                                                \
    name##_call tp_##name __asm__(#name) __attribute__((visibility("default")));                                       \
    int tp_##name parameters                                                                                           \
    {                                                                                                                  \
        bool is_ended = counts_threads(path) && tp_cursor.inside == 0 && tp_alone_end();                               \
        int result = ((name##_call *)tp_hook_of(&hooks[CALL_##name], NULL))arguments;                                  \
        if (is_ended)                                                                                                  \
            tp_alone_after();                                                                                          \
        return result;                                                                                                 \
    }
STATS(STAT)
// NOLINTEND(bugprone-macro-parentheses,readability-function-size)
