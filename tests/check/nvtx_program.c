/* nvtx_program WHAT [COUNT]: an ordinary program that calls NVTX through the dispatch code that NVTX adds to programs.
 * It does not use tracepress, prints nothing unless WHAT says so, and exits with 0. WHAT:
 *  calls    COUNT times: a range in a range, a mark, a started range that ends on another thread
 *  threads  4 threads, each with COUNT ranges in a range, and COUNT started ranges that overlap
 *  cross    COUNT pairs of ranges of two domains that cross
 *  fork     a range around a fork; parent and child each do calls, and the child also ends the range
 *  kill     COUNT ranges, an open range, then SIGKILL
 *  exec     COUNT ranges, then runs this program again: calls COUNT
 *  bound    prints whether a tool filled the slots, and NVTX_INJECTION64_PATH; calls early_work if it exists
 *  time     prints nanoseconds per push and pop: without a registered name, and with attributes and such a name */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/fake/nvtx_part.h"

static int count = 1;

static void *end_range(void *id)
{
    nvtxRangeEnd(*(uint64_t *)id);
    return NULL;
}

static void do_calls(void)
{
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        uint64_t id = nvtxRangeStartA("elsewhere");
        nvtxRangePushA("outer");
        nvtxRangePushW(L"inner");
        nvtxMarkA("mark");
        nvtxRangePop();
        nvtxRangePop();
        if (pthread_create(&thread, NULL, end_range, &id) == 0)
            pthread_join(thread, NULL);
    }
}

static void *work(void *unused)
{
    (void)unused;
    uint64_t last = 0;
    nvtxRangePushA("thread");
    for (int i = 0; i < count; i++) {
        uint64_t id = nvtxRangeStartA("overlapping");
        nvtxRangePushA("work");
        nvtxRangePop();
        nvtxRangeEnd(last);
        last = id;
    }
    nvtxRangeEnd(last);
    nvtxRangePop();
    return NULL;
}

static void do_threads(void)
{
    pthread_t threads[4];
    int started = 0;
    while (started < 4 && pthread_create(&threads[started], NULL, work, NULL) == 0)
        started++;
    while (started > 0)
        pthread_join(threads[--started], NULL);
}

static struct nvtx_attributes attributes(void *registered)
{
    return (struct nvtx_attributes){.version = 3,
                                    .size = sizeof(struct nvtx_attributes),
                                    .category = 3,
                                    .color_type = 1,
                                    .color = 0xFF00FF00,
                                    .payload_type = 1,
                                    .payload.u64 = 4,
                                    .message_type = 3,
                                    .message.registered = registered};
}

static void do_cross(void)
{
    void *one = nvtxDomainCreateA("one"), *two = nvtxDomainCreateA("two");
    struct nvtx_attributes a = attributes(nvtxDomainRegisterStringA(one, "crossing"));
    for (int i = 0; i < count; i++) {
        nvtxDomainRangePushEx(one, &a);
        nvtxDomainRangePushEx(two, &a);
        nvtxDomainRangePop(one);
        nvtxDomainRangePop(two);
    }
}

static void do_fork(void)
{
    nvtxRangePushA("around the fork");
    pid_t pid = fork();
    do_calls();
    nvtxRangePop();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
}

static void do_kill(void)
{
    nvtxRangePushA("open");
    for (int i = 0; i < count; i++) {
        nvtxRangePushA("ended");
        nvtxRangePop();
    }
    nvtxRangeStartA("started");
    raise(SIGKILL);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void plain(int n)
{
    for (int i = 0; i < n; i++) {
        nvtxRangePushA("work");
        nvtxRangePop();
    }
}

static void ranges_with_attributes(int n)
{
    void *domain = nvtxDomainCreateA("bench");
    struct nvtx_attributes a = attributes(nvtxDomainRegisterStringA(domain, "work"));
    for (int i = 0; i < n; i++) {
        nvtxDomainRangePushEx(domain, &a);
        nvtxDomainRangePop(domain);
    }
}

/* Returns the time of the fastest of many short rounds, ns. Rounds are short, so that most of them touch no new
 * page. */
static double least(void (*run)(int), int n, int rounds)
{
    double best = 1e18;
    for (int i = 0; i < rounds; i++) {
        double start = now_ns();
        run(n);
        double ns = (now_ns() - start) / n;
        best = ns < best ? ns : best;
    }
    return best;
}

static void do_time(void)
{
    printf("nvtx push + pop: %.1f ns; with domain, category, color, payload: %.1f ns; with the fresh pages of the "
           "spool: %.1f ns\n",
           least(plain, 30, 10000), least(ranges_with_attributes, 20, 10000), least(plain, 250000, 7));
}

static void do_early(void)
{
    void (*early_work)(void);
    void *found = dlsym(RTLD_DEFAULT, "early_work");
    memcpy(&early_work, &found, sizeof found);
    if (found)
        early_work();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *path = getenv("NVTX_INJECTION64_PATH");
    int is_bound = nvtx_load();
    static const struct {
        const char *name;
        void (*run)(void);
    } runs[] = {{"calls", do_calls}, {"threads", do_threads}, {"cross", do_cross},
                {"fork", do_fork},   {"kill", do_kill},       {"time", do_time}};
    count = argc > 2 ? atoi(argv[2]) : 1;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (strcmp(what, runs[i].name) == 0) {
            runs[i].run();
            return 0;
        }
    if (strcmp(what, "exec") == 0) {
        do_calls();
        execl(argv[0], argv[0], "calls", argc > 2 ? argv[2] : "1", (char *)NULL);
    }
    if (strcmp(what, "bound") != 0)
        return 2;
    do_early();
    printf("%d %s\n", is_bound, path ? path : "");
    return 0;
}
