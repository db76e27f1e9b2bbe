/* Stops recording before a program confines itself by a seccomp filter, by seccomp's strict mode, or by a time stamp
 * counter that faults.
 *
 * A filter kills the program at any forbidden system call, also at calls of the recorder's threads, timers and writes.
 * Therefore these hooks intercept the calls that install a filter, and end all activity of the recorder before such a
 * call. The spool contains everything recorded so far, and the program behaves as if it were not recorded. Only calls
 * through the C library's prctl and syscall are intercepted; libseccomp uses these. */
#include <errno.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "collector/hook.h"
#include "collector/session.h"
#include "collector/source/host_alone.h"
#include "collector/source/host_rights.h"

enum { CALL_PRCTL, CALL_SYSCALL, CALL_CLONE, CALL_COUNT };

static struct tp_hook hooks[CALL_COUNT] = {{"prctl", NULL, NULL}, {"syscall", NULL, NULL}, {"clone", NULL, NULL}};

__attribute__((constructor)) static void find_originals(void)
{
    tp_hooks_find_originals(hooks, CALL_COUNT);
}

/* Type of prctl. libc declares prctl with an ellipsis; the kernel takes five words. */
typedef int prctl_call(int, unsigned long, unsigned long, unsigned long, unsigned long);
typedef long system_call(long, long, long, long, long, long, long);
prctl_call tp_prctl __asm__("prctl") __attribute__((visibility("default")));
typedef int clone_call(int (*)(void *), void *, int, void *, void *, void *, void *);
clone_call tp_clone __asm__("clone") __attribute__((visibility("default")));
system_call tp_syscall __asm__("syscall") __attribute__((visibility("default")));

static __attribute__((noinline)) void stop_before_confining(const char *how)
{
    int why = tp_hook_enter_recorder();
    tp_session_end_by_confinement(how);
    tp_hook_leave_recorder(why);
}

/* Stops recording if recording has begun. Otherwise does nothing: a filter that was installed before the recording
 * permits the later activity of the program. */
static void confine_by_filter(void)
{
    if (tp_session_has_begun())
        stop_before_confining("seccomp");
}

/* Examines a seccomp call, and stops recording if the call installs a filter or strict mode. A call without a filter,
 * or with flags that strict mode does not have, only queries the kernel. */
static __attribute__((noinline)) void examine_seccomp(long operation, long flags, long filter)
{
    if (operation == SECCOMP_SET_MODE_STRICT && !flags && !filter)
        stop_before_confining("seccomp");
    if (operation == SECCOMP_SET_MODE_FILTER && filter)
        confine_by_filter();
}

static void examine_prctl(int option, unsigned long first, unsigned long second)
{
    if (option == PR_SET_SECCOMP && first == SECCOMP_MODE_STRICT)
        stop_before_confining("seccomp");
    if (option == PR_SET_SECCOMP && first == SECCOMP_MODE_FILTER && second)
        confine_by_filter();
#ifdef PR_TSC_SIGSEGV
    if (option == PR_SET_TSC && first == PR_TSC_SIGSEGV)
        stop_before_confining("PR_SET_TSC");
#endif
}

int tp_prctl(int option, unsigned long first, unsigned long second, unsigned long third, unsigned long fourth)
{
    examine_prctl(option, first, second);
    int result = ((prctl_call *)tp_hook_original(&hooks[CALL_PRCTL], NULL))(option, first, second, third, fourth);
    tp_rights_after_prctl(option);
    return result;
}

/* ---- copies of the process that sandboxes create ---- */

/* Returns whether the call creates a process with its own memory, which continues at the return of the call. */
static bool is_process_copy_call(long number, long first, long second)
{
    struct clone_args given;
    if (number == SYS_clone)
        return !(first & CLONE_VM);
#ifdef SYS_clone3
    if (number == SYS_clone3 && first && (size_t)second >= sizeof given.flags) {
        memcpy(&given.flags, (const void *)first, sizeof given.flags); // NOLINT(performance-no-int-to-ptr)
        return !(given.flags & CLONE_VM);
    }
#endif
#ifdef SYS_fork
    return number == SYS_fork;
#else
    return false;
#endif
}

static struct tp_paused_threads pause_threads(void)
{
    int why = tp_hook_enter_recorder();
    struct tp_paused_threads still = tp_session_pause_threads();
    tp_hook_leave_recorder(why);
    return still;
}

/* Lets the recorder's threads continue. Called in the parent. */
static void resume_threads(struct tp_paused_threads still)
{
    int why = tp_hook_enter_recorder();
    tp_session_resume_threads(still);
    tp_hook_leave_recorder(why);
}

// NOLINTNEXTLINE(readability-function-size): same parameters as in the C library
long tp_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    system_call *next = (system_call *)tp_hook_original(&hooks[CALL_SYSCALL], NULL);
    if (__builtin_expect(number == SYS_seccomp, 0))
        examine_seccomp(a, b, c);
    if (__builtin_expect(number == SYS_prctl, 0))
        examine_prctl((int)a, (unsigned long)b, (unsigned long)c);
    bool is_alone = tp_alone_stop_threads_if_required(number, a, b);
    if (__builtin_expect(
            !is_alone && !is_process_copy_call(number, a, b) && number != SYS_prctl && number != SYS_capset, 1))
        /* a tail call, because the system call may return twice (vfork) */
        return next(number, a, b, c, d, e, f);
    bool is_copy = is_process_copy_call(number, a, b);
    struct tp_paused_threads still = {0};
    if (is_copy)
        still = pause_threads();
    long result = next(number, a, b, c, d, e, f);
    if (is_copy && result != 0)
        resume_threads(still);
    if (result == 0 && is_copy)
        tp_session_abandon_in_copy();
    if (is_alone)
        tp_alone_restart_recorder_threads();
    tp_rights_after_syscall(number, a);
    return result;
}

struct beginning {
    int (*run)(void *);
    void *argument;
};

/* Runs the program's function in the new process, which has a copy of the memory and therefore of `context`. */
static int run_program_function_in_copy(void *context)
{
    struct beginning beginning = *(struct beginning *)context;
    tp_session_abandon_in_copy();
    return beginning.run(beginning.argument);
}

// NOLINTNEXTLINE(readability-function-size): same parameters as in the C library
int tp_clone(int (*run)(void *), void *stack, int flags, void *argument, void *parent, void *tls, void *child)
{
    clone_call *next = (clone_call *)tp_hook_original(&hooks[CALL_CLONE], NULL);
    struct beginning beginning = {run, argument};
    if (flags & CLONE_VM || !run)
        return next(run, stack, flags, argument, parent, tls, child);
    struct tp_paused_threads still = pause_threads();
    int result = next(run_program_function_in_copy, stack, flags, &beginning, parent, tls, child);
    resume_threads(still);
    return result;
}
