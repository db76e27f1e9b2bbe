/* Manages the folder of one call of `record`, LOGDIR/PROGRAM-YYYYMMDD-HHMMSS-PID. The folder contains all files of the
 * call, so that calls with the same LOGDIR never mix. `run.json` describes the program, its exit, and whether its
 * traces are complete. Raw records are kept in the folder `.spools` until they are converted.
 *
 * A process that works on the raw records locks `.spools` (flock). Only the lock, not a process id, distinguishes a
 * running recording from an abandoned one. The functions are for one thread at a time. */
#ifndef TP_COLLECTOR_LAUNCH_RUN_FOLDER_H
#define TP_COLLECTOR_LAUNCH_RUN_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/launch/launcher.h"
#include "writer/base/error.h"

enum { TP_RUN_PATH_BYTES = 4096, TP_RUN_NAME_BYTES = 64 };

struct tp_run_folder {
    char path[TP_RUN_PATH_BYTES];   /* path of the run's folder with traces and reports, below LOGDIR as given; "": no
                                     * folder */
    char home[TP_RUN_PATH_BYTES];   /* folder of this call's run.json and raw records: `path`, or `path`/.ranks/RANK
                                     * (run_ranks.h) */
    char spools[TP_RUN_PATH_BYTES]; /* folder of raw records, as an absolute path because programs change their working
                                     * directory */
    int lock;                       /* descriptor of `spools`, which has the lock; -1: not locked */
};

enum tp_run_state {
    TP_RUN_RECORDING,   /* the program runs, or `record` was killed; the lock shows which of the two */
    TP_RUN_UNPROCESSED, /* the program has ended, and raw records wait for `recover` */
    TP_RUN_COMPLETE,    /* all traces and reports are made */
    TP_RUN_INCOMPLETE   /* as COMPLETE, but `record` was killed, so later events were not recorded from outside */
};

/* The results that the user wants from the traces. */
struct tp_run_wishes {
    bool events, report, summary, summary_only;
};

/* Contents of run.json. Texts are borrowed; times are ns since the epoch. */
struct tp_run_note {
    enum tp_run_state state;
    char *const *argv;            /* program and arguments, ending with NULL */
    const char *mode;             /* recording mode: "inside", "outside", or "none" if no library can be preloaded */
    bool is_cut;                  /* set only when reading: `record` was killed while it recorded from outside */
    const char *reason;           /* reason why no library can be preloaded; NULL: it can be preloaded */
    int64_t started_ns, ended_ns; /* start and end of the program; ended_ns is 0 while it runs */
    pid_t pid;                    /* process id of the program; 0 before it runs */
    int64_t cpu_us;               /* processor time of the program and of the children that it waited for, us; valid if
                                   * ended_ns is not 0 */
    int exit_code, signal;        /* signal: number of the signal that killed the program, or 0; both are valid if
                                   * ended_ns is not 0 */
    struct tp_run_wishes wishes;
    const struct tp_launcher *launcher; /* launcher of the job; NULL: the process is not a rank of a job */
};

/* Creates the folder, and LOGDIR with its parents. program: argv[0], whose last part becomes a part of the name.
 * launcher: launcher of the job whose ranks on all hosts share the folder LOGDIR/PROGRAM-JOB; NULL: creates a folder
 * for this call only. Returns 0, or TP_EIO after removing everything that the call created. */
int tp_run_folder_make(struct tp_run_folder *run, const char *logdir, const char *program,
                       const struct tp_launcher *launcher, struct tp_error *err);

/* Fills `name` with the program's part of file names. This is the last part of argv[0], with '_' for characters other
 * than letters, digits and a few marks. */
void tp_run_folder_program(char name[TP_RUN_NAME_BYTES + 1], const char *program);

/* Opens and locks an existing run, or the folder of one rank, for `recover`. Returns 0, TP_ENOTFOUND if it has no raw
 * records, TP_EUNSUPPORTED if another process works on it, or TP_EIO. */
int tp_run_folder_open(struct tp_run_folder *run, const char *path, struct tp_error *err);

/* Writes run.json completely or not at all. Returns 0, TP_EIO, TP_ENOMEM. */
int tp_run_folder_note(const struct tp_run_folder *run, const struct tp_run_note *note, struct tp_error *err);

/* Reads state, process id, times and wishes from run.json; other members are not changed. Returns false if it cannot be
 * read. */
bool tp_run_folder_read(const struct tp_run_folder *run, struct tp_run_note *note);

/* Changes only the state in run.json. Returns 0, TP_EIO or TP_ENOMEM. */
int tp_run_folder_set_state(const struct tp_run_folder *run, enum tp_run_state state, struct tp_error *err);

/* Writes the raw records and the names in the folder to the disk (fsync). */
void tp_run_folder_sync(const struct tp_run_folder *run);

/* Removes `.spools` if it is empty; `recover` then no longer finds the run. */
void tp_run_folder_finish(const struct tp_run_folder *run);

/* Releases the lock. is_unused: removes the folder if it contains only `.spools`. */
void tp_run_folder_close(struct tp_run_folder *run, bool is_unused);

#endif
