/* Manages the folder of one call of `record`, LOGDIR/PROGRAM-YYYYMMDD-HHMMSS-PID. The folder contains all files of the
 * call, so that calls with the same LOGDIR never mix. `run.json` describes the program, its exit, and whether its
 * traces are complete. Raw records are kept in the folder `.spools` until they are converted.
 *
 * A process that works on the raw records locks `.spools` (flock). The lock, and not a process id, distinguishes a
 * running recording from an abandoned one. Only one thread at a time may call the functions. */
#ifndef TP_COLLECTOR_LAUNCH_RUN_FOLDER_H
#define TP_COLLECTOR_LAUNCH_RUN_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/launch/launcher.h"
#include "writer/base/error.h"

enum { TP_RUN_PATH_BYTES = 4096, TP_RUN_NAME_BYTES = 64 };

struct tp_run_folder {
    /* path of the run's folder, which contains traces and reports; begins with LOGDIR as the user gave it; "": no
     * folder */
    char path[TP_RUN_PATH_BYTES];
    /* folder of this call's run.json and raw records: `path`, or PATH/.ranks/RANK for a rank (run_ranks.h) */
    char home[TP_RUN_PATH_BYTES];
    /* folder of raw records, an absolute path because programs change their working directory */
    char spools[TP_RUN_PATH_BYTES];
    int lock; /* descriptor of `spools`, through which the folder is locked; -1: not locked */
};

enum tp_run_state {
    /* the program is running, or `record` was killed; the lock of `.spools` shows which case it is */
    TP_RUN_RECORDING,
    TP_RUN_UNPROCESSED, /* the program has exited, and its raw records can be converted by `recover` */
    TP_RUN_COMPLETE,    /* all traces and reports were made */
    TP_RUN_INCOMPLETE   /* all traces and reports were made, but `record` was killed, so later events were not recorded
                           from outside */
};

/* Results that the user wants from the traces. */
struct tp_run_wishes {
    bool events, report, summary, summary_only;
};

/* Contents of run.json. Texts are borrowed; times are ns since the epoch. */
struct tp_run_note {
    enum tp_run_state state;
    char *const *argv;  /* program and its arguments, ending with NULL */
    const char *mode;   /* recording mode: "inside", "outside", or "none" if no library can be preloaded */
    bool is_cut;        /* true if `record` was killed while it recorded from outside; set only when run.json is read */
    const char *reason; /* reason why no library can be preloaded; NULL: it can be preloaded */
    /* start and end of the program, ns since the epoch; ended_ns is 0 while the program runs */
    int64_t started_ns, ended_ns;
    pid_t pid; /* process id of the program; 0 before it runs */
    /* processor time of the program, and of children for which it waited, us; valid if ended_ns is not 0 */
    int64_t cpu_us;
    /* exit_code: exit code of the program; signal: number of the signal that killed it, or 0; both valid if ended_ns
     * is not 0 */
    int exit_code, signal;
    struct tp_run_wishes wishes;
    const struct tp_launcher *launcher; /* launcher of the job; NULL: the process is not a rank of a job */
};

/* Creates the folder of the run, and LOGDIR with its parents. program: argv[0], whose last part becomes a part of the
 * name. launcher: launcher of the job, whose ranks on all hosts share the folder LOGDIR/PROGRAM-JOB; NULL: the folder
 * is only for this call. Returns 0. After a failure, removes everything that the call created and returns TP_EIO. */
int tp_run_folder_make(struct tp_run_folder *run, const char *logdir, const char *program,
                       const struct tp_launcher *launcher, struct tp_error *err);

/* Writes the name of the program for file names to `name`: the last part of argv[0], with '_' instead of characters
 * other than letters, digits and a few marks. */
void tp_run_folder_program_name(char name[TP_RUN_NAME_BYTES + 1], const char *program);

/* Opens and locks an existing run, or the folder of one rank, for `recover`. Returns 0, TP_ENOTFOUND if there are no
 * raw records, TP_EUNSUPPORTED if another process has the lock, or TP_EIO. */
int tp_run_folder_open(struct tp_run_folder *run, const char *path, struct tp_error *err);

/* Writes run.json completely or not at all. Returns 0, TP_EIO, TP_ENOMEM. */
int tp_run_folder_write_note(const struct tp_run_folder *run, const struct tp_run_note *note, struct tp_error *err);

/* Reads state, process id, times and wishes from run.json into *note; other members are not changed. Returns false if
 * run.json cannot be read. */
bool tp_run_folder_read_note(const struct tp_run_folder *run, struct tp_run_note *note);

/* Changes only the state in run.json. Returns 0, TP_EIO or TP_ENOMEM. */
int tp_run_folder_set_state(const struct tp_run_folder *run, enum tp_run_state state, struct tp_error *err);

/* Writes raw records and the names of files in the folder to the disk (fsync). */
void tp_run_folder_sync(const struct tp_run_folder *run);

/* Removes the folder `.spools` if it is empty, so that `recover` no longer finds the run. */
void tp_run_folder_remove_spools(const struct tp_run_folder *run);

/* Releases the lock. is_unused: also removes the folder of the run if it contains only `.spools`. */
void tp_run_folder_release(struct tp_run_folder *run, bool is_unused);

#endif
