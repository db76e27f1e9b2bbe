/* Hides the recorder's threads from programs that count their threads. Chromium reads the link count of
 * /proc/self/task before it creates a sandbox, and aborts if it has more than one thread. Python reads /proc/self/stat
 * when it forks, and warns of deadlocks. The recorder's threads end before such a read and start again after it. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "collector/hook.h"
#include "collector/source/host_alone.h"

/* Table of functions that query a file: name, declared parameters, passed arguments. It includes the names of this C
 * library and the names before glibc 2.33. Names, numbers and functions of this source are generated from the table. */
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
enum { STATS(NUMBER) CALL_FOPEN, CALL_FOPEN64, CALL_COUNT };

#define HOOK(name, parameters, arguments) {#name, NULL, NULL},
static struct tp_hook hooks[CALL_COUNT] = {STATS(HOOK){"fopen", NULL, NULL}, {"fopen64", NULL, NULL}};

__attribute__((constructor)) static void find_originals(void)
{
    tp_hooks_find_originals(hooks, CALL_COUNT);
}

/* Returns whether the path is the folder of the process's threads. The link count of this folder shows the number of
 * threads. */
static bool is_thread_folder(const char *path)
{
    static const char folder[] = "self/task";
    size_t length = path ? strlen(path) : 0;
    length -= length > 0 && path[length - 1] == '/';
    return length >= sizeof folder - 1 && memcmp(path + length - (sizeof folder - 1), folder, sizeof folder - 1) == 0;
}

// NOLINTBEGIN(bugprone-macro-parentheses,readability-function-size): a function's name cannot have parentheses,
// and the C library defines the parameters of the functions
#define STAT(name, parameters, arguments)                                                                              \
    typedef int name##_call parameters;                                                                                \
    name##_call tp_##name __asm__(#name) __attribute__((visibility("default")));                                       \
    int tp_##name parameters                                                                                           \
    {                                                                                                                  \
        bool is_ended = is_thread_folder(path) && tp_cursor.inside == 0 && tp_alone_stop_recorder_threads();           \
        int result = ((name##_call *)tp_hook_original(&hooks[CALL_##name], NULL))arguments;                            \
        if (is_ended)                                                                                                  \
            tp_alone_restart_recorder_threads();                                                                       \
        return result;                                                                                                 \
    }
STATS(STAT)
// NOLINTEND(bugprone-macro-parentheses,readability-function-size)

/* ---- streams ---- */

typedef FILE *fopen_call(const char *, const char *);
fopen_call tp_fopen __asm__("fopen") __attribute__((visibility("default")));
fopen_call tp_fopen64 __asm__("fopen64") __attribute__((visibility("default")));

/* Opens a file while the recorder's threads do not exist. Also reads the beginning of the file into the stream's
 * buffer, so that the program reads the state of this moment. */
static FILE *open_without_recorder_threads(fopen_call *next, const char *path, const char *how)
{
    bool is_it = path && strncmp(path, "/proc/self/stat", sizeof "/proc/self/stat" - 1) == 0;
    bool is_ended = is_it && *how == 'r' && tp_cursor.inside == 0 && tp_alone_stop_recorder_threads();
    FILE *file = next(path, how);
    if (is_ended && file) {
        int first = getc(file);
        if (first != EOF)
            ungetc(first, file);
    }
    if (is_ended)
        tp_alone_restart_recorder_threads();
    return file;
}

FILE *tp_fopen(const char *path, const char *how)
{
    return open_without_recorder_threads((fopen_call *)tp_hook_original(&hooks[CALL_FOPEN], NULL), path, how);
}

FILE *tp_fopen64(const char *path, const char *how)
{
    return open_without_recorder_threads((fopen_call *)tp_hook_original(&hooks[CALL_FOPEN64], NULL), path, how);
}
