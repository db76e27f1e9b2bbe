/* Sources: what can be recorded of a program that knows nothing of us.
 *
 * A source is one file in collector/source/ and one row in sources.c. It records with the calls of tracepress.h and
 * recorder.h into the session that inject.c has started, may export functions that others call or that stand before the
 * program's own (collector/preload.map lists them), and obeys the rule of the whole library: it never fails the
 * program. A source that meets an error switches itself off and says so once. */
#ifndef TP_COLLECTOR_SOURCES_H
#define TP_COLLECTOR_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

/* Where a source finds itself. Valid for the life of the process. */
struct tp_source_host {
    const char *library; /* path of this library, for variables such as NVTX_INJECTION64_PATH */
    const char *spools;  /* folder of the run; what a source leaves there, `tracepress record` takes over */
};

struct tp_source {
    const char *name; /* one word, for --source and --no-source */
    const char *what; /* one line for --list-sources */
    bool is_default;  /* on without being named */
    /* NULL when it can record here, else the reason in a few words. Called before main, in every process of the run, so
     * it must be cheap: no file is read, nothing loaded that the program would not load. */
    const char *(*probe)(const struct tp_source_host *host);
    /* Switches it on: before main, when recording has begun, in every process. setting: the text behind "name=" in
     * TRACEPRESS_SOURCES, or "". False: it stays off, and the source has said why when that is of interest. */
    bool (*start)(const struct tp_source_host *host, const char *setting);
    /* Called instead of start where the source stays off and has something that works before it; NULL: nothing. */
    void (*refuse)(void);
    void (*stop)(void);     /* at exit, while recording still goes on; NULL: nothing to do */
    void (*in_child)(void); /* in a child after fork, which already has a recording of its own; NULL: nothing to do */
};

/* All sources; NULL ends the table. */
extern const struct tp_source *const tp_sources[];

/* Starts what `wanted` asks for: names by comma, each with or without "=setting", "-name" for not this one, "default"
 * for those that are on without being named; NULL or "": "default". Names that are unknown are left out. */
void tp_sources_start(const struct tp_source_host *host, const char *wanted);

/* Tells all sources that they stay off: nothing is recorded in this process. */
void tp_sources_refuse(void);

/* Stops all that were started, the last first. */
void tp_sources_stop(void);

/* After fork, in the child. */
void tp_sources_in_child(void);

/* Writes a line per source to fd: name, tab, "on", "off" (works here, when named) or the reason why not, tab, what. */
void tp_sources_list(const struct tp_source_host *host, int fd);

#endif
