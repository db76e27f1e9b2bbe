/* phases DIR stop|leave: records in every phase of a process: in the constructor that runs first, in main, in an atexit
 * function, and in the destructor that runs last. The destructor stops the recording or leaves it running. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/tracepress.h"

static int is_stopped;

static void record(const char *name)
{
    tracepress_begin_text(name);
    tracepress_end();
}

static void handle(const struct tracepress_trace *trace, void *path)
{
    tracepress_export_chrome_trace(trace, path);
}

__attribute__((constructor(101))) static void first(int argc, char **argv)
{
    static char path[4096];
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    if (argc < 3)
        _exit(2);
    record("before the start");
    tracepress_end();
    tracepress_step();
    tracepress_stop();
    tracepress_metadata("phase", "constructor");
    snprintf(path, sizeof path, "%s/trace.json", argv[1]);
    options.directory = argv[1];
    options.handler = handle;
    options.context = path;
    is_stopped = strcmp(argv[2], "stop") == 0;
    if (tracepress_step_num() != 0 || tracepress_start(&options) != 0)
        _exit(1);
    record("constructor");
}

__attribute__((destructor(101))) static void last(void)
{
    record("destructor");
    if (is_stopped)
        tracepress_stop();
    record("after the stop");
}

static void at_exit(void)
{
    record("atexit");
}

int main(void)
{
    record("main");
    return atexit(at_exit);
}
