/* Defines the table of sources. A source records one kind of activity in a program that was not written for
 * tracepress.
 *
 * A source is one file in collector/source/ and one row in sources_table.c. It records with the functions of
 * tracepress.h and recorder.h into the session that inject.c has started. It may export functions that others call or
 * that intercept functions of the program (listed in collector/preload.map). It must never make the program fail.
 * After an error it switches itself off and reports that once. */
#ifndef TP_COLLECTOR_SOURCES_H
#define TP_COLLECTOR_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

/* Data about the process for its sources, valid for the life of the process. */
struct tp_source_host {
    const char *library; /* path of this library, for variables such as NVTX_INJECTION64_PATH */
    const char *spools;  /* folder of the run; `tracepress record` collects the files that a source writes there */
};

struct tp_source {
    const char *name; /* name of the source in one word, for --source and --no-source */
    const char *what; /* description of the source in one line, for --list-sources */
    bool is_default;  /* true if the source is on even if the user does not name it */
    /* Returns NULL if the source can record here, otherwise a short reason. Called before main in every process of the
     * run, so it must be fast: it must not read files or load libraries that the program does not load. */
    const char *(*probe)(const struct tp_source_host *host);
    /* Switches the source on. Called in every process before main, after the recording has started. setting: the text
     * after "name=" in TRACEPRESS_SOURCES, or "". Returns false if the source stays off; then the source itself
     * reports a reason that the user should know. */
    bool (*start)(const struct tp_source_host *host, const char *setting);
    /* called instead of start if the source stays off but was already active; NULL: nothing to do */
    void (*refuse)(void);
    void (*stop)(void);     /* called at exit, while recording continues; NULL: nothing to do */
    void (*in_child)(void); /* called in a child after fork, which already has its own recording; NULL: nothing to do */
};

/* all sources, ending with NULL */
extern const struct tp_source *const tp_sources[];

/* Starts the sources in `wanted`, a list of names separated by commas. A name may be followed by "=setting". "-name"
 * excludes a source, and "default" adds all sources that are on without being named. NULL or "" means "default".
 * Unknown names are ignored. */
void tp_sources_start(const struct tp_source_host *host, const char *wanted);

/* Calls refuse of all sources, because this process records nothing. */
void tp_sources_disable_early(void);

/* Stops all started sources, the last one first. */
void tp_sources_stop(void);

/* Calls in_child of all started sources. Must be called in the child after fork. */
void tp_sources_notify_child(void);

/* Writes one line per source to the descriptor `fd`: name, tab, state, tab, description. The state is "on", "off" (the
 * source records only if the user names it) or the reason why it does not work. */
void tp_sources_list(const struct tp_source_host *host, int fd);

#endif
