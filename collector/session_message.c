/* Prints the few lines that the library may print: see tp_session_print_message in session.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/confined.h"
#include "collector/session.h"
#include "writer/base/environment.h"
#include "writer/base/str.h"
#include "writer/text/terminal.h"
#include "writer/worker.h"

_Atomic int tp_confined_;
_Atomic pid_t tp_confined_child;
static const char *_Atomic run_folder;
/* 1 + highest weight (enum tp_say) of all messages printed so far; 0: no message was printed */
static _Atomic int said_until;

/* Returns true if no message of this or a higher weight was printed so far, and then stores the weight as printed. */
static bool is_first_message_of_weight(enum tp_say weight)
{
    int said = atomic_load(&said_until);
    while (said <= (int)weight)
        if (atomic_compare_exchange_weak(&said_until, &said, (int)weight + 1))
            return true;
    return false;
}

void tp_session_set_message_folder(const char *folder)
{
    atomic_store(&run_folder, folder);
}

/* Returns whether another process of the run has already printed `what`, because all processes share standard error.
 * If none has, marks `what` as printed. */
static bool is_message_printed_in_run(const char *what)
{
    char path[PATH_MAX];
    const char *folder = atomic_load(&run_folder);
    const int saved = errno;
    const uint64_t hash = tp_hash_bytes(what, strlen(what));
    int size =
        folder ? snprintf(path, sizeof path, "%s/" TP_WORKER_PRINTED_PREFIX "%" PRIx64 ".tmp", folder, hash) : -1;
    bool fits = size > 0 && (size_t)size < sizeof path;
    int fd = fits ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    bool is_said = size > 0 && fd < 0 && errno == EEXIST;
    if (fd >= 0)
        close(fd);
    errno = saved;
    return is_said;
}

void tp_session_print_message(enum tp_say weight, const char *what, const char *detail)
{
    char line[4400];
    const char *quiet = tp_environment("TRACEPRESS_QUIET");
    if (tp_is_confined() || (quiet && *quiet && *quiet != '0') || !is_first_message_of_weight(weight) ||
        is_message_printed_in_run(what))
        return;
    int n = snprintf(line, sizeof line, "tracepress: %s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
    size_t size = n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    if (size)
        tp_terminal_clean(line, size - 1); /* removes bytes that control a terminal, which paths in the line can
                                            * contain */
    tp_terminal_disable_commands(line, size);
    if (size && write(STDERR_FILENO, line, size) < 0)
        return; /* nothing can report an error of this write */
}
