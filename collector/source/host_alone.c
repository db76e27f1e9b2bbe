/* Stops the recorder's threads during calls that the kernel allows only in a process with a single thread. For
 * example, a program may enter a new user namespace only if it has one thread. The recorder's threads end before such
 * a call and start again after it. They do not start again if the program has put its children into a PID namespace,
 * because the kernel then allows no more threads. */
#include "collector/source/host_alone.h"

#include <errno.h>
#include <linux/sched.h>
#include <stdbool.h>
#include <sys/syscall.h>

#include "collector/confined.h"
#include "collector/hook.h"
#include "collector/session.h"

enum { CALL_UNSHARE, CALL_SETNS, CALL_COUNT };

static struct tp_hook hooks[CALL_COUNT] = {{"unshare", NULL, NULL}, {"setns", NULL, NULL}};

__attribute__((constructor)) static void find_originals(void)
{
    tp_hooks_find_originals(hooks, CALL_COUNT);
}

typedef int unshare_call(int);
typedef int setns_call(int, int);
unshare_call tp_unshare __asm__("unshare") __attribute__((visibility("default")));
setns_call tp_setns __asm__("setns") __attribute__((visibility("default")));

/* Returns whether the kernel allows the call only with a single thread. setns without flags may enter any kind of
 * namespace. */
static bool needs_single_thread(long number, long flags)
{
    return number == SYS_unshare ? flags & (CLONE_NEWUSER | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM)
                                 : !flags || flags & CLONE_NEWUSER;
}

bool tp_alone_stop_recorder_threads(void)
{
    if (tp_is_confined() || tp_session_is_in_forked_copy())
        return false;
    int why = tp_hook_enter_recorder();
    bool is_ended = tp_session_stop_threads();
    tp_hook_leave_recorder(why);
    return is_ended;
}

bool tp_alone_stop_threads_if_required(long number, long first, long second)
{
    bool is_it = number == SYS_unshare || number == SYS_setns;
    return is_it && needs_single_thread(number, number == SYS_unshare ? first : second) &&
           tp_alone_stop_recorder_threads();
}

void tp_alone_restart_recorder_threads(void)
{
    int error = errno, why = tp_hook_enter_recorder();
    tp_session_restart_threads();
    tp_hook_leave_recorder(why);
    errno = error;
}

int tp_unshare(int flags)
{
    bool is_ended = tp_alone_stop_threads_if_required(SYS_unshare, flags, 0);
    int result = ((unshare_call *)tp_hook_original(&hooks[CALL_UNSHARE], NULL))(flags);
    if (is_ended)
        tp_alone_restart_recorder_threads();
    return result;
}

int tp_setns(int fd, int kind)
{
    bool is_ended = tp_alone_stop_threads_if_required(SYS_setns, fd, kind);
    int result = ((setns_call *)tp_hook_original(&hooks[CALL_SETNS], NULL))(fd, kind);
    if (is_ended)
        tp_alone_restart_recorder_threads();
    return result;
}
