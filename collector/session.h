/* Manages the one recording of the process: its spool, names and schedule. No other module has process-wide state of
 * the recording. */
#ifndef TP_COLLECTOR_SESSION_H
#define TP_COLLECTOR_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/name_table.h"
#include "collector/spool.h"
#include "collector/tracepress.h"

/* A finished recording, as a handler receives it. Under `tracepress record` the session is part of the preload library
 * and the handler is part of libtracepress.so. Their versions may differ, so new members are only added at the end. */
struct tracepress_trace {
    const char *spool, *directory, *worker;
    bool is_gzip;
    uint64_t first_step;
    /* the handler sets *must_keep_spool to true if the trace could not be written; then the spool is kept */
    bool *must_keep_spool;
    uint32_t number; /* number of the recording in the process, from 1 */
};

/* Returns a chunk of the current recording for the calling thread. Returns NULL when the recording is over or the disk
 * is full. A full disk is reported once. */
struct tp_spool_chunk *tp_session_get_chunk(uint32_t recording, uint32_t size, const struct tp_spool_chunk *header);

/* Gives a chunk back to its recording, which may already be over. */
void tp_session_return_chunk(uint32_t recording, struct tp_spool_chunk *chunk);

/* Folder, worker and step from which file names of the current recording are made, and the text of one name. */
struct tp_session_place {
    char directory[4096], worker[256], name[TP_NAME_BYTES + 1];
    uint64_t step;
    uint32_t recording;
};

/* Fills *place. Returns false if nothing is recorded. Any thread may call it. */
bool tp_session_place(struct tp_session_place *place, uint32_t name);

/* Samples running threads `rate` times a second in the current recording, or in a recording that waits for its window.
 * Returns false after reporting the reason if sampling is not possible. Any thread may call it. */
bool tp_session_start_sampling(unsigned rate);

/* Result of tp_session_pause_threads, which the caller passes to tp_session_resume_threads. Between these calls, no
 * thread of the recorder has a lock of the C library or the loader. So a copy of the process has no lock that nobody
 * releases. The caller must not have the session's lock. */
struct tp_paused_threads {
    bool has_sampler, has_modules;
};
struct tp_paused_threads tp_session_pause_threads(void);
void tp_session_resume_threads(struct tp_paused_threads still);

/* Ends the recorder's threads in the process and waits until they have ended. Returns false if there was no such
 * thread. After false, tp_session_restart_threads must not be called. */
bool tp_session_stop_threads(void);
void tp_session_restart_threads(void);

/* Restarts the sampling thread with the rights of the calling thread. Does nothing if there is no sampling thread. */
void tp_session_restart_sampler(void);
/* Starts listing the loaded shared libraries in the spool. A source that records code addresses calls this function. */
void tp_session_list_modules(void);

/* Requests a search for newly loaded shared libraries. A thread of the recorder searches, because it may wait for the
 * loader. Most calls do nothing, because the search runs rarely. May be called anywhere, also inside malloc, but not in
 * signal handlers. */
void tp_session_request_modules(void);

/* Records for `tracepress record` while the program has no recording of its own. Creates all spools in `folder` and
 * does not remove them. folder: must stay valid. Returns false if nothing can be recorded. */
bool tp_session_start_for_command(const char *folder);

/* Sets a function that stops other activities before the program confines itself. The function is called once, without
 * the session's lock. Call this before the first recording. */
void tp_session_set_confine_stop(void (*stop)(void));

/* Ends the recording that `record` started. A recording that the program started continues. */
void tp_session_stop_for_command(void);

/* Stops everything because the program is about to confine itself. After that, a system call or a read of the time
 * stamp counter might kill the program. Every recording ends for good, without a call of the program's handler, and the
 * spool file is kept. The recorder's threads, timers and samples end, and this library makes no system call afterwards.
 * how: how the program confines itself, for the message. Any thread may call it. */
void tp_session_end_by_confinement(const char *how);

/* Returns whether the collector has started anything in the process that could make a system call. */
bool tp_session_has_begun(void);

/* Stops recording in a copy of the process that was made without pthread_atfork handlers. The parent's recording
 * continues. */
void tp_session_abandon_in_copy(void);

/* Returns whether this process is a copy of the recording process that was made without pthread_atfork handlers. */
bool tp_session_is_in_forked_copy(void);

/* Counts a record that was dropped because the spool had no room. */
void tp_session_count_dropped(void);

/* Returns the text of a name, or "" for an unknown number. The text stays valid. Takes the session's lock. */
const char *tp_session_name_text(tracepress_name name);
/* Functions that the session calls for every recording of the process: after the start (begun), before the end
 * (ending), and in a child after fork, which has its own recording (in_child). They are called without the session's
 * lock. Only one watch can be set, before the first recording; it must stay valid. */
struct tp_session_watch {
    void (*begun)(void), (*ending)(void), (*in_child)(void);
};
void tp_session_watch(const struct tp_session_watch *watch);

/* Severity of a message: how much of the recording is lost, in increasing order. */
enum tp_say {
    TP_SEVERITY_DETAIL,   /* a detail is not recorded, or not as requested */
    TP_SEVERITY_TRACE,    /* a trace was not written, but the recorded data exists */
    TP_SEVERITY_RECORDING /* nothing is recorded, or recording has stopped */
};

/* Prints one line on standard error, but never with TRACEPRESS_QUIET=1. A process prints its first line; it prints
 * later lines only if they report a greater loss. In a run of `record`, each text `what` is printed by only one
 * process. Any thread may call it. */
void tp_session_print_message(enum tp_say weight, const char *what, const char *detail);

/* Sets the folder of the run, in which its processes store which lines they have printed. NULL: no folder. The text
 * must stay valid. */
void tp_session_set_message_folder(const char *folder);

#endif
