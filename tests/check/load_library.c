/* load_library LIBRARY DIR: uses the library as a program with plugins does.
 *
 * Opens the library, records, and closes it while one of its threads still owns a chunk of the spool. Then the thread
 * exits, the process forks, and the library is opened again and the recording continues. Exits with 0 if DIR has a
 * trace with the ranges "before", "closed" and "again". Otherwise prints an error and exits with 1. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/tracepress.h"

static struct {
    int (*start)(const struct tracepress_options *options);
    void (*stop)(void);
    void (*begin)(const char *name);
    void (*end)(void);
    tracepress_handler handler;
} library;

static void *load(const char *path)
{
    static const char *const names[] = {"tracepress_start", "tracepress_stop", "tracepress_record_text_",
                                        "tracepress_record_end_", "tracepress_tensorboard_trace_handler"};
    void *handle = dlopen(path, RTLD_NOW);
    for (size_t i = 0; handle && i < sizeof names / sizeof *names; i++) {
        void *found = dlsym(handle, names[i]);
        memcpy((char *)&library + i * sizeof found, &found, sizeof found);
        if (!found)
            return NULL;
    }
    return handle;
}

static pthread_barrier_t has_recorded, is_closed;

static void record(const char *name)
{
    library.begin(name);
    library.end();
}

static void *on_thread(void *unused)
{
    (void)unused;
    record("before");
    pthread_barrier_wait(&has_recorded);
    pthread_barrier_wait(&is_closed);
    record("closed"); /* calls the closed library with pointers that the program kept, which must stay valid */
    return NULL;      /* when the thread exits, a destructor in the library gives the thread's chunk back */
}

static int fail(const char *what)
{
    const char *why = dlerror();
    fprintf(stderr, "%s%s%s\n", what, why ? ": " : "", why ? why : "");
    return 1;
}

static int fork_once(void)
{
    int status = -1;
    pid_t child = fork(); /* runs fork handlers of the library here and in the child */
    if (child == 0)
        _exit(0);
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    void *handle = argc > 2 ? load(argv[1]) : NULL;
    if (!handle)
        return fail("cannot load");
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.directory = argv[2];
    options.worker = "plugin";
    options.handler = library.handler;
    options.no_gzip = 1;
    if (library.start(&options) != 0)
        return fail("cannot start");
    pthread_barrier_init(&has_recorded, NULL, 2);
    pthread_barrier_init(&is_closed, NULL, 2);
    pthread_create(&thread, NULL, on_thread, NULL);
    pthread_barrier_wait(&has_recorded);
    if (dlclose(handle) != 0)
        return fail("cannot close");
    pthread_barrier_wait(&is_closed);
    pthread_join(thread, NULL);
    if (fork_once() != 0)
        return fail("the child did not end well");
    handle = load(argv[1]);
    if (!handle)
        return fail("cannot load again");
    record("again");
    library.stop();
    return dlclose(handle) == 0 && fork_once() == 0 ? 0 : fail("the end failed");
}
