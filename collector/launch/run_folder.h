/* The folder of one call of `record`, LOGDIR/PROGRAM-YYYYMMDD-HHMMSS-PID: all that the call leaves is in it, so that
 * two calls with one LOGDIR never mix. `run.json` tells what ran and how it ended, and whether its traces are made; raw
 * records wait in the folder `.spools` until they are.
 *
 * Whoever works on the raw records holds a lock on `.spools` (flock): that, and no number of a process, tells a run
 * that is being recorded from one that was abandoned. Calls are for one thread at a time. */
#ifndef TP_COLLECTOR_LAUNCH_RUN_FOLDER_H
#define TP_COLLECTOR_LAUNCH_RUN_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/launch/launcher.h"
#include "writer/base/error.h"

enum { TP_RUN_PATH_BYTES = 4096, TP_RUN_NAME_BYTES = 64 };

struct tp_run_folder {
    char path[TP_RUN_PATH_BYTES]; /* as LOGDIR was given; "": there is none. Traces and what is made of them */
    char home[TP_RUN_PATH_BYTES]; /* of this call's run.json and raw records: path, or path/.ranks/RANK (run_ranks.h) */
    char spools[TP_RUN_PATH_BYTES]; /* absolute: programs change their folder */
    int lock;                       /* a descriptor of `spools`, or -1 */
};

enum tp_run_state {
    TP_RUN_RECORDING,   /* the program runs, or `record` was killed: the lock tells */
    TP_RUN_UNPROCESSED, /* it is over, and raw records wait for `recover` */
    TP_RUN_COMPLETE,    /* all that can be made of the records is made */
    TP_RUN_INCOMPLETE   /* the same, but `record` was killed, so what happened afterwards was not seen from outside */
};

/* What is made of the traces. */
struct tp_run_wishes {
    bool events, report, summary, summary_only;
};

/* What run.json says. Texts are borrowed; times are wall-clock nanoseconds. */
struct tp_run_note {
    enum tp_run_state state;
    char *const *argv;  /* PROGRAM and its arguments, NULL-terminated */
    const char *mode;   /* how it is recorded: "inside", "outside", or "none" where nothing can be preloaded */
    bool is_cut;        /* as it was read: `record` was killed while it recorded from outside */
    const char *reason; /* why nothing can be preloaded; NULL: it can */
    int64_t started_ns, ended_ns; /* ended_ns: 0 while it runs */
    pid_t pid;                    /* of the program; 0 before it runs */
    int64_t cpu_us;               /* of the program and its children that it waited for; counts once ended_ns is set */
    int exit_code, signal;        /* signal: 0, or what ended it; both count once ended_ns is set */
    struct tp_run_wishes wishes;
    const struct tp_launcher *launcher; /* NULL: it is no rank of a job */
};

/* Makes the folder, with LOGDIR and those above it. program: argv[0], whose last part names it. launcher: the ranks of
 * a job share one folder, LOGDIR/PROGRAM-JOB, however many hosts they are on; NULL: the call has its own. Returns 0, or
 * TP_EIO and then nothing of the call is there. */
int tp_run_folder_make(struct tp_run_folder *run, const char *logdir, const char *program,
                       const struct tp_launcher *launcher, struct tp_error *err);

/* The program's part of names: the last part of argv[0] with letters, digits and a few marks; the rest becomes '_'. */
void tp_run_folder_program(char name[TP_RUN_NAME_BYTES + 1], const char *program);

/* Takes the lock of a run that is there, or of a rank's home in one, for `recover`. Returns 0; TP_ENOTFOUND: no raw
 * records wait in it; TP_EUNSUPPORTED: somebody else works on it; TP_EIO. */
int tp_run_folder_open(struct tp_run_folder *run, const char *path, struct tp_error *err);

/* Writes run.json whole or not at all. Returns 0, TP_EIO, TP_ENOMEM. */
int tp_run_folder_note(const struct tp_run_folder *run, const struct tp_run_note *note, struct tp_error *err);

/* State, number of the program's process, times and wishes, as run.json has them, the rest as it is; false: there is
 * none that can be read. */
bool tp_run_folder_read(const struct tp_run_folder *run, struct tp_run_note *note);

/* Changes the state in run.json and nothing else. Returns 0, TP_EIO, TP_ENOMEM. */
int tp_run_folder_set_state(const struct tp_run_folder *run, enum tp_run_state state, struct tp_error *err);

/* Brings the raw records and the folder's names to the disk. */
void tp_run_folder_sync(const struct tp_run_folder *run);

/* Removes `.spools`, when nothing is left in it: the run is no longer found by `recover`. */
void tp_run_folder_finish(const struct tp_run_folder *run);

/* Lets go of the lock. is_unused: the folder goes, when nothing is in it but `.spools`. */
void tp_run_folder_close(struct tp_run_folder *run, bool is_unused);

#endif
