/* confined_program WAY: a program that confines itself, as servers, decoders of untrusted files and sandboxes do. Its
 * filter allows only its own system calls, so that any other call, for example by a recorder, kills it. Each way prints
 * "done". WAY:
 *   filter      an allow list that kills, by prctl; exit code 7
 *   syscall     the same by syscall(SYS_seccomp)
 *   threads     with TSYNC, by a thread, while others allocate memory and exit
 *   strict      strict mode; exit code 5
 *   counter     without the time stamp counter; exit code 6
 *   child       a forked child confines itself, and the parent continues; exit code 8
 *   raw, clone  the same with a child by the system call, and by the C library's clone
 *   probe       asks the kernel which filters it knows, as libseccomp does, and installs none; exit code 9 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000u
#endif

/* Allows the system call `name`. brk is not allowed, so even the size of the heap is fixed. */
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    ALLOW(read),
    ALLOW(write),
    ALLOW(exit),
    ALLOW(exit_group),
    ALLOW(futex),
    ALLOW(madvise),
    ALLOW(rt_sigprocmask),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};
static struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int must_end;
static _Atomic int begun;

/* Uses memory, a lock and input. Blocks are small enough for the free space of the heap. */
static int work(int rounds)
{
    int zero = 0;
    for (int i = 0; i < rounds; i++) {
        char *small = malloc((size_t)(i % 700) + 1), *large = malloc(70000), byte = 0;
        pthread_mutex_lock(&mutex);
        if (small && large && read(-1, &byte, 1) != 1)
            small[0] = large[0] = byte;
        zero += small ? small[0] : 1;
        pthread_mutex_unlock(&mutex);
        free(large);
        free(small);
    }
    return zero;
}

static int say(void)
{
    return write(STDOUT_FILENO, "done\n", 5) == 5 ? 0 : 1;
}

static int confine(int is_syscall, unsigned flags)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return 1;
    return is_syscall ? (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program)
                      : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static int filtered(int is_syscall)
{
    return work(200) == 0 && confine(is_syscall, 0) == 0 && work(200) == 0 && say() == 0 ? 7 : 1;
}

static void *busy(void *unused)
{
    work(1000); /* grows the heap to its final size, because the filter will forbid this */
    begun++;
    while (!must_end)
        work(10);
    return unused;
}

static void *confine_all_threads(void *unused)
{
    int code = confine(1, SECCOMP_FILTER_FLAG_TSYNC);
    return code == 0 ? unused : &mutex;
}

static int threads(void)
{
    pthread_t ids[4], confiner;
    pthread_attr_t small;
    void *failed = NULL;
    pthread_attr_init(&small);
    /* uses small stacks, because the C library keeps the stacks of finished threads */
    pthread_attr_setstacksize(&small, 1 << 20);
    for (int i = 0; i < 4; i++)
        pthread_create(&ids[i], &small, busy, NULL);
    while (begun < 4)
        work(100);
    pthread_create(&confiner, &small, confine_all_threads, NULL);
    pthread_join(confiner, &failed);
    work(1000);
    must_end = 1;
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
    return !failed && say() == 0 ? 7 : 1;
}

static int strict(void)
{
    if (work(200) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) == 0 && work(200) == 0 && say() == 0)
        syscall(SYS_exit, 5);
    return 1;
}

static int without_counter(void)
{
#ifdef PR_TSC_SIGSEGV
    if (work(200) == 0 && prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0)
#endif
        return work(200) == 0 && say() == 0 ? 6 : 1;
    return 1;
}

static int in_clone(void *unused)
{
    (void)unused;
    exit(filtered(0));
}

/* Creates a child as a sandbox does: by the system call, or by the C library's clone. */
static pid_t make_child(const char *way)
{
    static char stack[1 << 20] __attribute__((aligned(64)));
    if (strcmp(way, "clone") == 0)
        return clone(in_clone, stack + sizeof stack, SIGCHLD, NULL);
    return strcmp(way, "raw") == 0 ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
}

static int child(const char *way)
{
    int status;
    pid_t pid = make_child(way);
    if (pid == 0)
        exit(filtered(0));
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7 && work(2000) == 0 ? 8 : 1;
}

static int probe(void)
{
    unsigned action = SECCOMP_RET_ERRNO;
    syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL);
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, NULL);
    syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0);
    prctl(PR_GET_SECCOMP, 0, 0, 0, 0);
    return work(2000) == 0 && say() == 0 ? 9 : 1;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    mallopt(M_ARENA_MAX, 1); /* gives the heap free space while its size can still change */
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_MMAP_THRESHOLD, 16 << 20);
    char *volatile room = malloc(4 << 20);
    free(room);
    return strcmp(way, "filter") == 0    ? filtered(0)
           : strcmp(way, "syscall") == 0 ? filtered(1)
           : strcmp(way, "threads") == 0 ? threads()
           : strcmp(way, "strict") == 0  ? strict()
           : strcmp(way, "counter") == 0 ? without_counter()
           : strcmp(way, "child") == 0   ? child(way)
           : strcmp(way, "raw") == 0     ? child(way)
           : strcmp(way, "clone") == 0   ? child(way)
           : strcmp(way, "probe") == 0   ? probe()
                                         : 2;
}
