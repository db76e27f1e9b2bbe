/* Preserves the recorded data if the recorder is killed.
 *
 * Each second the recorder forks a sleeping copy of itself and ends the previous copy. If the recorder is killed, the
 * copy wakes and writes the trace of everything recorded before the fork. A copy costs the fork, and a copy of each
 * page that the recorder changes in the following second. */
#ifndef TP_COLLECTOR_OUTSIDE_OUTSIDE_BACKUP_H
#define TP_COLLECTOR_OUTSIDE_OUTSIDE_BACKUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tp_outside_backup {
    pid_t pid; /* process id of the copy; 0: no copy exists */
    int pipe;  /* write end of a pipe to the copy, which wakes when this end closes; valid while a copy exists */
    int64_t copied_ns;           /* time of the last copy, ns */
    int64_t cost_ns;             /* duration of the last fork, ns */
    int kept_fd;                 /* descriptor that stays open in the copy and keeps the lock of the run; -1: none */
    void (*save)(void *context); /* function that writes the trace, called only in the copy; NULL: no copies are made */
    void *context;
};

/* Makes a new copy if it is due, and returns false. Returns true only inside a copy, after its recorder was killed; the
 * caller then ends its recording and calls save and _exit. A copy that is no longer needed exits inside this
 * function. */
bool tp_outside_backup_renew(struct tp_outside_backup *keeper, int64_t now_ns);

/* Ends the copy. Call it before the recorder writes the trace itself. */
void tp_outside_backup_end(struct tp_outside_backup *keeper);

#endif
