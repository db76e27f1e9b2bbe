/* Protects mapped files that another program may truncate: see mapped.h. */
#include "writer/base/mapped.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "writer/base/signal_handler.h"

enum { MAX_RANGES = 8192 };

/* A registered address range. `start` 0: the entry is free; 1: the entry is reserved until its size is set. */
static struct range {
    _Atomic uintptr_t start;
    _Atomic size_t size;
    _Atomic size_t cut_at; /* offset of the first unreadable byte; SIZE_MAX: all bytes are readable */
} ranges[MAX_RANGES];

static _Atomic uint32_t cuts;

/* ---- the list of ranges ---- */

static struct range *find_mapped_range(uintptr_t start)
{
    size_t first = start / 4096 % MAX_RANGES;
    for (size_t i = 0; start && i < MAX_RANGES; i++)
        if (atomic_load(&ranges[(first + i) % MAX_RANGES].start) == start)
            return &ranges[(first + i) % MAX_RANGES];
    return NULL;
}

static void add_mapped_range(uintptr_t start, size_t size)
{
    size_t first = start / 4096 % MAX_RANGES;
    for (size_t i = 0; i < MAX_RANGES; i++) {
        struct range *range = &ranges[(first + i) % MAX_RANGES];
        uintptr_t none = 0;
        if (!atomic_compare_exchange_strong(&range->start, &none, 1))
            continue;
        atomic_store(&range->size, size);
        atomic_store(&range->cut_at, SIZE_MAX);
        atomic_store(&range->start, start);
        return;
    }
}

/* Replaces unreadable pages with private pages of zeros. */
static bool map_zeros_over_range(uintptr_t from, size_t size)
{
    void *at = (void *)from; // NOLINT(performance-no-int-to-ptr)
    return mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at;
}

/* true while a library that maps files by itself runs on this thread */
static _Thread_local bool is_lenient __attribute__((tls_model("initial-exec")));

/* Replaces pages with zeros, from the page of `address` to the end of the registered range that contains it. If no
 * registered range contains `address`, replaces only its page, provided that a library maps files on this thread.
 * Returns false if nothing was replaced. */
static bool replace_unreadable_pages(uintptr_t address)
{
    const size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
    const uintptr_t page = address & ~((uintptr_t)page_size - 1);
    for (size_t i = 0; i < MAX_RANGES; i++) {
        uintptr_t start = atomic_load(&ranges[i].start);
        size_t size = atomic_load(&ranges[i].size);
        if (start <= 1 || address < start || address - start >= size)
            continue;
        if (!map_zeros_over_range(page, start + size - page))
            return false;
        if (page - start <
            atomic_load(&ranges[i].cut_at)) /* two threads may fault at the same time; either value is correct */
            atomic_store(&ranges[i].cut_at, page - start);
        atomic_fetch_add(&cuts, 1);
        return true;
    }
    return is_lenient && map_zeros_over_range(page, page_size);
}

/* ---- the signal handler ---- */

static tp_mapped_setter *set_action; /* function that is called to set signal actions; NULL: sigaction */

/* The program's own action for SIGBUS. Two copies exist, so that the handler always finds a complete copy. */
static struct {
    struct sigaction actions[2];
    _Atomic unsigned newest;
    _Atomic bool is_set;
    atomic_flag is_changing;
    struct sigaction first; /* action that was set when our handler was first installed */
} program = {.is_changing = ATOMIC_FLAG_INIT};

/* The signal that our handler is passing to the program's handler. The program's handler may call the previous handler,
 * which is ours. The program's handler may also leave by siglongjmp; then the next signal has the same stack position,
 * not a lower one. */
static _Thread_local struct {
    const void *context, *frame;
} passed __attribute__((tls_model("initial-exec")));

static int set_bus_action(const struct sigaction *action, struct sigaction *before)
{
    return (set_action ? set_action : sigaction)(SIGBUS, action, before);
}

static void store_action_of_program(const struct sigaction *action)
{
    unsigned next = !atomic_load(&program.newest);
    program.actions[next] = *action;
    atomic_store(&program.newest, next);
}

/* Locks `program` and blocks all signals. Otherwise a signal handler on this thread could wait forever for a lock that
 * the thread itself owns. */
static void lock_actions(sigset_t *mask)
{
    sigset_t all;
    sigfillset(&all);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, mask, _NSIG / 8);
    while (atomic_flag_test_and_set(&program.is_changing))
        ;
}

static void unlock_actions(const sigset_t *mask)
{
    atomic_flag_clear(&program.is_changing);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, _NSIG / 8);
}

/* Makes the kernel handle SIGBUS as if our handler did not exist. A fault repeats when the handler returns; a signal
 * that a process sent is sent again. */
static void let_kernel_handle_fault(const siginfo_t *info)
{
    set_bus_action(&(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    if (info->si_code <= 0)
        syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), SIGBUS);
}

static void forward_signal_to_program(const struct sigaction *theirs, int number, siginfo_t *info, void *context)
{
    bool is_sent = info->si_code <= 0;
    if (!(theirs->sa_flags & SA_SIGINFO) && theirs->sa_handler == SIG_IGN && is_sent)
        return;
    if (!(theirs->sa_flags & SA_SIGINFO) && (theirs->sa_handler == SIG_DFL || theirs->sa_handler == SIG_IGN)) {
        let_kernel_handle_fault(info);
        return;
    }
    sigset_t bus, mask = theirs->sa_mask;
    sigemptyset(&bus);
    sigaddset(&bus, SIGBUS);
    pthread_sigmask(theirs->sa_flags & SA_NODEFER ? SIG_UNBLOCK : SIG_BLOCK, &bus, NULL);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    if (theirs->sa_flags & (int)SA_RESETHAND)
        store_action_of_program(&(struct sigaction){.sa_handler = SIG_DFL});
    if (theirs->sa_flags & SA_SIGINFO)
        theirs->sa_sigaction(number, info, context);
    else
        theirs->sa_handler(number);
}

TP_SIGNAL_HANDLER static void on_signal(int number, siginfo_t *info, void *context)
{
    int why = errno;
    const char here = 0;
    bool is_again = passed.context == context && (uintptr_t)&here < (uintptr_t)passed.frame;
    bool is_replaced = info->si_code > 0 && replace_unreadable_pages((uintptr_t)info->si_addr);
    if (!is_replaced) {
        struct sigaction theirs = is_again ? program.first : program.actions[atomic_load(&program.newest)];
        passed.context = context;
        passed.frame = is_again ? passed.frame : &here;
        forward_signal_to_program(&theirs, number, info, context);
        passed.context = NULL;
    }
    errno = why;
}

static bool is_action_of_this_library(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_signal;
}

static void install_handler(void)
{
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART}, now;
    sigset_t mask;
    sigemptyset(&ours.sa_mask);
    if (set_bus_action(NULL, &now) != 0 || is_action_of_this_library(&now))
        return;
    lock_actions(&mask);
    if (set_bus_action(NULL, &now) == 0 && !is_action_of_this_library(&now)) {
        store_action_of_program(&now);
        if (!atomic_load(&program.is_set))
            program.first = now;
        if (set_bus_action(&ours, NULL) == 0)
            atomic_store(&program.is_set, true);
    }
    unlock_actions(&mask);
}

/* ---- functions for other modules ---- */

void tp_mapped_set_action_setter(tp_mapped_setter *setter)
{
    set_action = setter;
}

bool tp_mapped_change_action(const struct sigaction *action, struct sigaction *before)
{
    sigset_t mask;
    if (!atomic_load(&program.is_set))
        return false;
    lock_actions(&mask);
    struct sigaction was = program.actions[atomic_load(&program.newest)];
    if (action)
        store_action_of_program(action);
    unlock_actions(&mask);
    if (before)
        *before = was;
    return true;
}

void tp_mapped_reset_in_child(void)
{
    atomic_flag_clear(&program.is_changing);
}

void tp_mapped_add(const void *start, size_t size)
{
    install_handler();
    add_mapped_range((uintptr_t)start, size);
}

void tp_mapped_remove(const void *start, size_t size)
{
    struct range *range = find_mapped_range((uintptr_t)start);
    size = range ? atomic_load(&range->size) : size;
    if (range)
        atomic_store(&range->start, 0);
    if (start)
        munmap((void *)(uintptr_t)start, size);
}

size_t tp_mapped_cut_offset(const void *start)
{
    struct range *range = find_mapped_range((uintptr_t)start);
    return range ? atomic_load(&range->cut_at) : SIZE_MAX;
}

void tp_mapped_replace_lost_pages(bool is)
{
    if (is)
        install_handler();
    is_lenient = is;
}

uint32_t tp_mapped_cut_count(void)
{
    return atomic_load(&cuts);
}
