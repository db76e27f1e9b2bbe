/* The one recording of the process: its spool, its names, its schedule. The only place with process-wide state. */
#ifndef TP_COLLECTOR_SESSION_H
#define TP_COLLECTOR_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/name_table.h"
#include "collector/spool.h"
#include "collector/tracepress.h"

/* What a handler is given: a finished recording. Under `tracepress record` the session is the preload library's and the
 * handler libtracepress.so's, maybe of another version: members are only added, at the end. */
struct tracepress_trace {
    const char *spool, *directory, *worker;
    bool is_gzip;
    uint64_t first_step;
    bool *must_stay; /* set when the trace could not be written: the spool is then kept */
    uint32_t number; /* of the recordings of the process, from 1 */
};

/* A chunk of the current recording for the calling thread; NULL when it is over or the disk is full, which is said
 * once. */
struct tp_spool_chunk *tp_session_chunk(uint32_t recording, uint32_t size, const struct tp_spool_chunk *header);

/* Gives back a chunk of that recording, which may be over. */
void tp_session_return(uint32_t recording, struct tp_spool_chunk *chunk);

/* Where files of the current recording go, and the text of a name. */
struct tp_session_place {
    char directory[4096], worker[256], name[TP_NAME_BYTES + 1];
    uint64_t step;
    uint32_t recording;
};

/* False when nothing is recorded. Any thread. */
bool tp_session_place(struct tp_session_place *place, uint32_t name);

/* Samples running threads, `rate` times a second, in the recording that goes on or waits for its window. False, after
 * saying why, when it cannot be. Any thread. */
bool tp_session_sample(unsigned rate);

/* While a copy of the process is made, between the two, no thread of ours holds a lock of the C library's or of the
 * loader's, of which the copy would find one that nobody gives back. Not with the session's lock. */
struct tp_stillness {
    bool has_sampler, has_modules;
};
struct tp_stillness tp_session_still(void);
void tp_session_go_on(struct tp_stillness still);

/* Ends the threads of ours in the process, and waits until the kernel has none; false: there was none, and nothing is
 * to be begun again. */
bool tp_session_end_threads(void);
void tp_session_begin_threads(void);

/* Ends the sampling thread and begins one with the rights of the calling thread; nothing when there is none. */
void tp_session_renew_sampler(void);
/* From now on notes say what is loaded where, for a source that records addresses. */
void tp_session_note_modules(void);

/* Looks for what was loaded meanwhile, soon and on a thread of ours, which may wait for the loader. Seldom: most calls
 * do nothing. From anywhere, also inside of malloc; not from signal handlers. */
void tp_session_ask_for_modules(void);

/* Records for `tracepress record` until the program begins a recording of its own, and again when that has ended; from
 * now on every spool is made in `folder`, which must stay valid, and stays there. False: nothing can be recorded. */
bool tp_session_lend(const char *folder);

/* What ends before the program confines itself, beside recordings; called once, without the lock. Set before the first
 * recording. */
void tp_session_at_confine(void (*stop)(void));

/* Ends what is recorded for `record`; a recording of the program's own goes on. */
void tp_session_reclaim(void);

/* The program is about to confine itself, so that a call of the kernel, or a look at the time stamp counter, may end
 * it: every recording ends for good, without the program's handler, and its spool stays; threads, timers and samples of
 * ours end, and nothing here calls the kernel afterwards. how: by what, for the line that says so. Any thread. */
void tp_session_confine(const char *how);

/* Whether anything of ours has begun in the process, so that something is there which could call the kernel. */
bool tp_session_has_begun(void);

/* In a copy of the process that no function of pthread_atfork has seen: nothing is recorded in it, and the parent's
 * recording is left alone. */
void tp_session_abandon(void);

/* Whether this is one, maybe unseen so far. */
bool tp_session_is_copy(void);

/* Counts a record that had no room. */
void tp_session_drop(void);

/* The text of a name, "" for an unknown number; it stays where it is. Takes the session's lock. */
const char *tp_session_name(tracepress_name name);
/* Called about every recording of the process, without the session's lock: when it has begun, before it ends, and in a
 * child after fork, which has one of its own. One watch; set before the first recording. Borrowed. */
struct tp_session_watch {
    void (*begun)(void), (*ending)(void), (*in_child)(void);
};
void tp_session_watch(const struct tp_session_watch *watch);

/* How much is lost, the least first. */
enum tp_say {
    TP_SAY_PART,  /* something particular is not recorded, or not as it was asked for */
    TP_SAY_TRACE, /* a trace was not made; what was recorded is there */
    TP_SAY_ALL    /* nothing is recorded, or nothing more */
};

/* Says one line on standard error, never with TRACEPRESS_QUIET=1: once per process, and again only where more is lost
 * than what was said before, so that no lesser line silences a greater one. In a run of `record` one of its processes says
 * `what`, the others do not again. Any thread. */
void tp_session_say(enum tp_say weight, const char *what, const char *detail);

/* The folder of the run that the process belongs to, where its processes note what they have said; NULL: none. Borrowed. */
void tp_session_say_in(const char *folder);

#endif
