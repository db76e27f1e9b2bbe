/* hostile_program WAY: changes its own process in ways that can disturb a recorder inside it. Each way checks itself,
 * prints "done" and exits with 7. */
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile unsigned sum;
static volatile sig_atomic_t faults, ticks;

static void work(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        char *bytes = malloc(i % 5000 + 1);
        if (bytes) {
            bytes[0] = (char)i;
            sum += (unsigned char)bytes[0];
        }
        free(bytes);
    }
}

static void *thread(void *unused)
{
    work(50);
    return unused;
}

/* Runs 2,000 simultaneous threads with the smallest usual stacks. */
static int threads(void)
{
    enum { COUNT = 2000 };
    static pthread_t ids[COUNT];
    pthread_attr_t small;
    int count = 0;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    for (int i = 0; i < COUNT; i++)
        count += pthread_create(&ids[i], &small, thread, NULL) == 0;
    for (int i = 0; i < count; i++)
        pthread_join(ids[i], NULL);
    return count == COUNT;
}

static int children(void)
{
    int good = 0, status;
    for (int i = 0; i < 2000; i++) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(sum == 1 ? 2 : 3);
        if (i % 50 == 49)
            while (waitpid(-1, &status, 0) > 0)
                good += WIFEXITED(status) && WEXITSTATUS(status) == 3;
    }
    return good == 2000;
}

/* Closes all descriptors except the first three, as daemons do. */
static int closes(void)
{
    work(1000);
    for (int fd = 3; fd < 4096; fd++)
        close(fd);
    work(100000);
    int own = open("/dev/null", O_RDONLY);
    work(100000);
    char byte;
    return own == 3 && read(own, &byte, 1) == 0;
}

static int closes_range(void)
{
    work(1000);
#ifdef SYS_close_range
    syscall(SYS_close_range, 3u, ~0u, 0u);
#endif
    work(100000);
    return open("/dev/null", O_RDONLY) == 3;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    faults += number == SIGSEGV || number == SIGBUS;
}

static void on_tick(int number)
{
    ticks += number == SIGPROF;
}

static int handlers(void)
{
    static char other[1 << 16];
    stack_t stack = {.ss_sp = other, .ss_size = sizeof other}, now;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK}, was;
    if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGSEGV, &action, NULL) != 0 ||
        sigaction(SIGBUS, &action, NULL) != 0)
        return 0;
    struct sigaction tick = {.sa_handler = on_tick};
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGPROF, &tick, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
    for (int i = 0; i < 2000 && ticks < 20; i++)
        work(10000);
    setitimer(ITIMER_PROF, &never, NULL);
    raise(SIGSEGV);
    raise(SIGBUS);
    sigaction(SIGBUS, NULL, &was);
    sigaltstack(NULL, &now);
    return faults == 2 && ticks >= 20 && was.sa_sigaction == on_fault && now.ss_sp == other;
}

static int limits(void)
{
    struct rlimit few = {16, 16}, small = {4096, 4096}, room = {256 << 20, 256 << 20};
    work(1000);
    if (setrlimit(RLIMIT_NOFILE, &few) != 0 || setrlimit(RLIMIT_AS, &room) != 0 || setrlimit(RLIMIT_FSIZE, &small) != 0)
        return 0;
    work(300000);
    pthread_t id;
    return pthread_create(&id, NULL, thread, NULL) == 0 && pthread_join(id, NULL) == 0;
}

/* Checks that the program gets the lowest free descriptor, because programs rely on this number. */
static int numbers(void)
{
    work(1000000);
    return open("/dev/null", O_RDONLY) == 3;
}

static int root(void)
{
    work(1000);
    if (chroot("/mnt") != 0)
        return 1; /* without root, chroot fails and this way ends here */
    work(100000);
    return 1;
}

static int ended(pid_t pid, int code)
{
    int status;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == code;
}

static int starts(void)
{
    volatile int good = 0;
    pid_t pid;
    char *argv[] = {"sh", "-c", "exit 3", NULL};
    for (int i = 0; i < 20; i++) {
        pid = vfork();
        if (pid == 0) {
            execve("/bin/sh", argv, environ);
            _exit(127);
        }
        good += ended(pid, 3);
        good += posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ) == 0 && ended(pid, 3);
        struct clone_args clone3 = {.exit_signal = SIGCHLD};
        pid = (pid_t)syscall(SYS_clone3, &clone3, sizeof clone3);
        if (pid == 0) {
            work(100);
            _exit(3);
        }
        good += ended(pid, 3);
    }
    return good == 60;
}

static int libraries(void)
{
    for (int i = 0; i < 200; i++) {
        void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
        work(200);
        if (library)
            dlclose(library);
    }
    return 1;
}

/* Checks the number of threads in several ways, as sandboxes do before they confine themselves. Also checks it in a
 * child, and with additional threads. */
static int has_thread_count(nlink_t threads)
{
    struct stat task;
    int proc = open("/proc", O_RDONLY | O_DIRECTORY), good = 0, thread_count = 0;
    char line[256];
    for (int i = 0; i < 10; i++) {
        work(20000);
        good += fstatat(proc, "self/task/", &task, 0) == 0 && task.st_nlink == 2 + threads;
        work(20000);
        good += stat("/proc/self/task", &task) == 0 && task.st_nlink == 2 + threads;
        FILE *status = fopen("/proc/self/status", "r");
        work(20000);
        for (thread_count = 0; status && !thread_count && fgets(line, sizeof line, status);)
            sscanf(line, "Threads: %d", &thread_count);
        good += status && fclose(status) == 0 && thread_count == (int)threads;
    }
    close(proc);
    return good == 30;
}

static void *waits(void *end)
{
    pthread_mutex_lock(end);
    pthread_mutex_unlock(end);
    return NULL;
}

static int counts(void)
{
    pthread_mutex_t end = PTHREAD_MUTEX_INITIALIZER;
    pthread_t other;
    int good = has_thread_count(1);
    pid_t pid = fork();
    if (pid == 0)
        _exit(has_thread_count(1) ? 3 : 1);
    good &= ended(pid, 3);
    pthread_mutex_lock(&end);
    good &= pthread_create(&other, NULL, waits, &end) == 0 && has_thread_count(2);
    pthread_mutex_unlock(&end);
    pthread_join(other, NULL);
    return good;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *way;
        int (*run)(void);
    } ways[] = {
        {"threads", threads},   {"children", children},   {"closes", closes},   {"closes_range", closes_range},
        {"handlers", handlers}, {"limits", limits},       {"numbers", numbers}, {"root", root},
        {"starts", starts},     {"libraries", libraries}, {"counts", counts},
    };
    for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(argv[1], ways[i].way) == 0 && ways[i].run())
            return write(1, "done\n", 5) == 5 ? 7 : 1;
    return 1;
}
