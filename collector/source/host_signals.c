/* Keeps the recorder's SIGBUS handler installed in a recorded program (writer/base/mapped.h) without the program
 * noticing.
 *
 * The hooks store the handler that the program sets for SIGBUS. They call this handler for signals that the recorder
 * did not cause, and return it when the program queries the handler. No thread really blocks SIGBUS, because a
 * truncated spool would then kill the program. The program only sees the signal as blocked. All these functions may be
 * called in a signal handler. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "collector/hook.h"
#include "writer/base/mapped.h"

enum {
    CALL_SIGACTION,
    CALL_SIGNAL,
    CALL_BSD_SIGNAL,
    CALL_SYSV_SIGNAL,
    CALL_SYSV_SIGNAL_,
    CALL_SSIGNAL,
    CALL_SIGSET,
    CALL_SIGIGNORE,
    CALL_SIGPROCMASK,
    CALL_PTHREAD_SIGMASK,
    CALL_COUNT
};

static struct tp_hook hooks[CALL_COUNT] = {
    {"sigaction", NULL, NULL},       {"signal", NULL, NULL},        {"bsd_signal", NULL, NULL},
    {"sysv_signal", NULL, NULL},     {"__sysv_signal", NULL, NULL}, {"ssignal", NULL, NULL},
    {"sigset", NULL, NULL},          {"sigignore", NULL, NULL},     {"sigprocmask", NULL, NULL},
    {"pthread_sigmask", NULL, NULL},
};

#define EXPORT __attribute__((visibility("default")))
#define NEXT(call, type) ((type *)tp_hook_original(&hooks[call], __builtin_return_address(0)))

typedef __typeof__(signal) signal_call;
typedef __typeof__(sigprocmask) mask_call;
typedef int ignore_call(int);

static int call_original_sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    return ((tp_mapped_setter *)tp_hook_original(&hooks[CALL_SIGACTION], NULL))(number, action, before);
}

__attribute__((constructor)) static void find_originals(void)
{
    tp_hooks_find_originals(hooks, CALL_COUNT);
    tp_mapped_set_action_setter(call_original_sigaction);
}

/* ---- actions ---- */

EXPORT int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict before)
{
    if (number == SIGBUS && tp_mapped_change_action(action, before))
        return 0;
    if (!action || number == SIGBUS)
        return call_original_sigaction(number, action, before);
    struct sigaction without = *action;
    sigdelset(&without.sa_mask, SIGBUS);
    return call_original_sigaction(number, &without, before);
}

/* Sets the program's handler of SIGBUS for signal() and related functions. flags: flags that the called function
 * implies. Returns false if the signal is not SIGBUS. */
static bool set_handler(int number, sighandler_t handler, int flags, sighandler_t *before)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, was;
    if (number != SIGBUS || !tp_mapped_change_action(&action, &was))
        return false;
    /* can be a handler with three parameters, which the C library's signal() returns in the same way */
    *before = was.sa_handler;
    return true;
}

// NOLINTBEGIN(bugprone-macro-parentheses): a function's name is no expression
#define SIGNAL(name, call, flags)                                                                                      \
    EXPORT sighandler_t name(int number, sighandler_t handler)                                                         \
    {                                                                                                                  \
        sighandler_t before;                                                                                           \
        return set_handler(number, handler, flags, &before) ? before : NEXT(call, signal_call)(number, handler);       \
    }
sighandler_t bsd_signal(int number, sighandler_t handler);
SIGNAL(signal, CALL_SIGNAL, SA_RESTART)
SIGNAL(bsd_signal, CALL_BSD_SIGNAL, SA_RESTART)
SIGNAL(ssignal, CALL_SSIGNAL, SA_RESTART)
SIGNAL(sysv_signal, CALL_SYSV_SIGNAL, (int)SA_RESETHAND | SA_NODEFER)
SIGNAL(__sysv_signal, CALL_SYSV_SIGNAL_, (int)SA_RESETHAND | SA_NODEFER)
// NOLINTEND(bugprone-macro-parentheses)

EXPORT int sigignore(int number)
{
    sighandler_t before;
    return set_handler(number, SIG_IGN, 0, &before) ? 0 : NEXT(CALL_SIGIGNORE, ignore_call)(number);
}

/* ---- masks ---- */

static _Thread_local bool blocks_bus __attribute__((tls_model("initial-exec")));

static int change_signal_mask(mask_call *next, int how, const sigset_t *set, sigset_t *before)
{
    bool was_blocked = blocks_bus, names_bus = set && sigismember(set, SIGBUS) == 1;
    sigset_t without;
    if (names_bus && how != SIG_UNBLOCK) {
        without = *set;
        sigdelset(&without, SIGBUS);
    }
    int code = next(how, names_bus && how != SIG_UNBLOCK ? &without : set, before);
    if (code == 0 && set && (how == SIG_SETMASK || names_bus))
        blocks_bus = how != SIG_UNBLOCK && names_bus;
    if (code == 0 && before && was_blocked)
        sigaddset(before, SIGBUS);
    return code;
}

EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict before)
{
    return change_signal_mask(NEXT(CALL_SIGPROCMASK, mask_call), how, set, before);
}

/* Implements sigset, which accepts SIG_HOLD in place of a handler, and returns SIG_HOLD if the signal was blocked. */
EXPORT sighandler_t sigset(int number, sighandler_t handler)
{
    bool is_hold = handler == SIG_HOLD;
    struct sigaction action = {.sa_handler = handler}, was;
    sigset_t bus, before;
    if (number != SIGBUS)
        return NEXT(CALL_SIGSET, signal_call)(number, handler);
    sigemptyset(&bus);
    sigaddset(&bus, SIGBUS);
    if (sigaction(SIGBUS, is_hold ? NULL : &action, &was) != 0 ||
        sigprocmask(is_hold ? SIG_BLOCK : SIG_UNBLOCK, &bus, &before) != 0)
        return SIG_ERR;
    return sigismember(&before, SIGBUS) == 1 ? SIG_HOLD : was.sa_handler;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    return change_signal_mask(NEXT(CALL_PTHREAD_SIGMASK, mask_call), how, set, before);
}
