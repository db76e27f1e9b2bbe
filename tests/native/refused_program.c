/* refused_program [PROGRAM ARG...]: runs PROGRAM under a seccomp filter like that of containers, in which
 * perf_event_open fails with EPERM. Without arguments: blocks all signals, works for 0.2 s, partly in the kernel
 * because clock() is a system call, and exits with 4. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
static struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};

static int work(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    while (clock() < CLOCKS_PER_SEC / 5)
        for (volatile int i = 0; i < 100000; i++)
            ;
    return 4;
}

int main(int count, char **words)
{
    if (count < 2)
        return work();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
        return 77;
    execvp(words[1], words + 1);
    return 127;
}
