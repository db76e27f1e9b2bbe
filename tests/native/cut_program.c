/* cut_program WAY FOLDER: a program whose spools are truncated while it works. It creates FOLDER/now, waits until
 * FOLDER/cut exists, works for a while, prints "done" and exits with code 7. WAY:
 *   plain    no signal handling
 *   threads  four threads that block all signals
 *   own      sets its own SIGBUS handler before and after the truncation; the handler gets only signals from the
 *            program's own file, and exits by siglongjmp or returns
 *   asks     the program reads back the SIGBUS settings that it made
 *   older    the same with the older relatives of signal(), also for another signal
 *   die      truncates its own file without a handler (dies by SIGBUS)
 *   send     sends itself SIGBUS (dies by it) */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

sighandler_t bsd_signal(int number, sighandler_t handler);

static char now[4096], cut[4096];
static volatile int is_cut, caught;
static sigjmp_buf back;
static char *own;

static void take_block(void)
{
    char *volatile block = malloc(70000);
    free(block);
}

static void work(int rounds)
{
    for (int i = 0; i < rounds; i++)
        take_block();
}

static void *busy(void *unused)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    while (!is_cut)
        work(100);
    work(20000);
    return unused;
}

static void wait_for_cut(void)
{
    close(open(now, O_WRONLY | O_CREAT, 0600));
    while (access(cut, F_OK) != 0)
        usleep(2000);
    is_cut = 1;
    work(20000);
}

static int touch_own(void)
{
    int file = memfd_create("own", 0);
    own =
        file >= 0 && ftruncate(file, 4096) == 0 ? mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : NULL;
    if (!own || own == MAP_FAILED || ftruncate(file, 0) != 0)
        return 1;
    close(file);
    own[17] = 1;
    return own[17] != 1;
}

static void leaves(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    caught += info->si_addr == own + 17 ? 1 : 1000;
    siglongjmp(back, 1);
}

/* Handles SIGBUS: repairs the file and returns. */
static void returns(int number)
{
    (void)number;
    caught += 10;
    mmap(own, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static int own_handler(void)
{
    struct sigaction action = {.sa_sigaction = leaves, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, NULL);
    for (volatile int i = 0; i < 3; i++)
        if (sigsetjmp(back, 1) == 0)
            touch_own();
    wait_for_cut();
    for (volatile int i = 0; i < 3; i++)
        if (sigsetjmp(back, 1) == 0)
            touch_own();
    if (signal(SIGBUS, returns) != (sighandler_t)(void *)leaves || touch_own() != 0)
        return 1;
    return caught == 16 ? 0 : 1;
}

static int asks(void)
{
    struct sigaction previous;
    sigset_t mask;
    work(1000);
    sigaction(SIGBUS, NULL, &previous);
    if (previous.sa_handler != SIG_DFL || signal(SIGBUS, returns) != SIG_DFL || signal(SIGBUS, SIG_IGN) != returns)
        return 1;
    raise(SIGBUS); /* this signal must be ignored */
    sigemptyset(&mask);
    sigaddset(&mask, SIGBUS);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    if (sigismember(&mask, SIGBUS) != 1 || sigprocmask(SIG_UNBLOCK, &mask, NULL) != 0)
        return 1;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    return sigismember(&mask, SIGBUS) == 0 ? 0 : 1;
}

/* Checks that each call returns the previous setting, for SIGBUS, which the recorder handles, and for SIGUSR2, which it
 * does not handle. */
static int older(void)
{
    for (int i = 0; i < 2; i++) {
        int number = i == 0 ? SIGUSR2 : SIGBUS;
        if (ssignal(number, returns) != SIG_DFL || sysv_signal(number, SIG_IGN) != returns || raise(number) != 0 ||
            sigset(number, SIG_DFL) != SIG_IGN || sigset(number, SIG_HOLD) != SIG_DFL || sigignore(number) != 0 ||
            sigset(number, SIG_IGN) != SIG_HOLD || bsd_signal(number, SIG_DFL) != SIG_IGN)
            return 1;
    }
    return signal(SIGUSR2, SIG_ERR) == SIG_ERR && signal(9999, SIG_DFL) == SIG_ERR ? 0 : 1;
}

static int threads(void)
{
    pthread_t ids[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&ids[i], NULL, busy, NULL);
    wait_for_cut();
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
    return 0;
}

int main(int argc, char **argv)
{
    const char *way = argc > 2 ? argv[1] : "";
    int code = 0;
    snprintf(now, sizeof now, "%s/now", argc > 2 ? argv[2] : ".");
    snprintf(cut, sizeof cut, "%s/cut", argc > 2 ? argv[2] : ".");
    work(1000);
    if (strcmp(way, "plain") == 0)
        wait_for_cut();
    else if (strcmp(way, "threads") == 0)
        code = threads();
    else if (strcmp(way, "own") == 0)
        code = own_handler();
    else if (strcmp(way, "asks") == 0)
        code = asks();
    else if (strcmp(way, "older") == 0)
        code = older();
    else if (strcmp(way, "die") == 0)
        touch_own();
    else if (strcmp(way, "send") == 0)
        raise(SIGBUS);
    if (code == 0)
        puts("done");
    return code == 0 ? 7 : 1;
}
