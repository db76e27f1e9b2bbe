/* itt_program WHAT [COUNT]: an ordinary program that calls ITT through the protocol of ITT's static part. It does not
 * use tracepress. WHAT:
 *  calls  COUNT times: a task in a task with metadata, a frame, a counter, overlapping tasks that end in another order
 *  bound  prints whether a tool filled the list, and INTEL_LIBITTNOTIFY64
 *  time   prints nanoseconds per task: with a handle, and with a lookup of the handle by its name as PyTorch does */
#include <stdio.h>
#include <time.h>

#include "tests/fake/itt_part.h"

static int count = 1;

static void call_all_functions(void)
{
    struct itt_domain *domain = itt_domain_create("work");
    struct itt_string *outer = itt_string_handle_create("outer"), *inner = itt_string_handle_create("inner");
    struct itt_counter *items = itt_counter_create("items", "work");
    itt_thread_set_name("worker");
    for (int i = 0; i < count; i++) {
        struct itt_id a = {1, (unsigned long long)i, 0}, b = {2, (unsigned long long)i, 0};
        itt_frame_begin_v3(domain, NULL);
        itt_task_begin(domain, itt_null, itt_null, outer);
        itt_metadata_add(domain, itt_null, itt_string_handle_create("number"), 4, 1, &i);
        itt_task_begin(&itt_early_domain, itt_null, itt_null, inner);
        itt_task_begin_overlapped(domain, a, itt_null, outer);
        itt_task_begin_overlapped(domain, b, itt_null, inner);
        itt_task_end_overlapped(domain, a);
        itt_task_end(&itt_early_domain);
        itt_task_end(domain);
        itt_task_end_overlapped(domain, b);
        itt_counter_inc(items);
        itt_frame_end_v3(domain, NULL);
    }
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void tasks(int n, int is_looked_up)
{
    static struct itt_domain *domain;
    static struct itt_string *name;
    domain = domain ? domain : itt_domain_create("bench");
    name = name ? name : itt_string_handle_create("aten::addmm");
    for (int i = 0; i < n; i++) {
        itt_task_begin(domain, itt_null, itt_null, is_looked_up ? itt_string_handle_create("aten::addmm") : name);
        itt_task_end(domain);
    }
}

static double least(int is_looked_up)
{
    enum { ROUNDS = 10000, TASKS = 30 };
    double best = 1e18;
    for (int i = 0; i < ROUNDS; i++) {
        double start = now_ns();
        tasks(TASKS, is_looked_up);
        double ns = (now_ns() - start) / TASKS;
        best = ns < best ? ns : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *path = getenv("INTEL_LIBITTNOTIFY64");
    int is_bound = itt_load();
    count = argc > 2 ? atoi(argv[2]) : 1;
    if (strcmp(what, "bound") == 0) {
        printf("%d %s\n", is_bound, path ? path : "");
        return 0;
    }
    if (!is_bound)
        return 3;
    if (strcmp(what, "calls") == 0)
        call_all_functions();
    else if (strcmp(what, "time") == 0)
        printf("itt task: %.1f ns; with its name looked up: %.1f ns\n", least(0), least(1));
    else
        return 2;
    return 0;
}
