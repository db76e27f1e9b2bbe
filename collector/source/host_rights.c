/* Restarts the sampler when a program changes the rights of one thread before it changes its user (PR_SET_KEEPCAPS,
 * capset).
 *
 * The C library's setuid and related functions make the system call in all threads, and abort the program if the
 * results differ. The sampling thread lacks the rights that the program's thread has just acquired, so its result
 * would differ. Therefore the sampling thread ends and starts again after such a call, because a new thread inherits
 * the rights of its creator. */
#include "collector/source/host_rights.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "collector/confined.h"
#include "collector/hook.h"
#include "collector/session.h"

static struct tp_hook hook = {"capset", NULL, NULL};

__attribute__((constructor)) static void find_originals(void)
{
    tp_hooks_find_originals(&hook, 1);
}

static __attribute__((noinline)) void renew_sampler(void)
{
    int error = errno, why = tp_hook_enter_recorder();
    /* neither a confined process nor a copy of a process has the recorder's threads */
    if (!tp_is_confined() && !tp_session_is_in_forked_copy())
        tp_session_restart_sampler();
    tp_hook_leave_recorder(why);
    errno = error;
}

void tp_rights_after_prctl(int option)
{
    if (__builtin_expect(option == PR_SET_KEEPCAPS || option == PR_SET_SECUREBITS, 0))
        renew_sampler();
}

void tp_rights_after_syscall(long number, long first)
{
    if (__builtin_expect(number == SYS_capset, 0))
        renew_sampler();
    else if (__builtin_expect(number == SYS_prctl, 0))
        tp_rights_after_prctl((int)first);
}

typedef int capset_call(void *header, const void *data);
capset_call tp_capset __asm__("capset") __attribute__((visibility("default")));

int tp_capset(void *header, const void *data)
{
    int result = ((capset_call *)tp_hook_original(&hook, NULL))(header, data);
    renew_sampler();
    return result;
}
