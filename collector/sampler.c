/* Samples the stacks of running threads: see sampler.h. */
#include "collector/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/loaded_modules.h"
#include "collector/perf.h"
#include "collector/recorder.h"
#include "collector/recorder_thread.h"
#include "collector/unwind.h"
#include "writer/base/environment.h"
#include "writer/base/proc_namespace.h"
#include "writer/base/signal_handler.h"

enum {
    MAX_WATCHED = 4096, /* maximum number of threads in the list; further threads are not sampled */
    MAX_RINGS = 64,     /* maximum number of threads that the kernel samples, at 260 KiB each; further threads get
                         * timers */
    /* maximum number of samples that wait to be written; if no slot is free, the next sample represents the lost one
     * too */
    MAX_SLOTS = 64,
    DRAIN_EVERY_MS = 2,
    LIST_EVERY_MS = 10, /* interval between updates of the list of threads, ms */
    END_MS = 20         /* longest wait for handlers that are still running, ms */
};

enum slot_state { SLOT_FREE, SLOT_FILLING, SLOT_FULL };

/* A sample that a signal handler has taken, and that the sampling thread has not written yet. */
struct slot {
    _Atomic int state;
    pid_t tid;
    uint64_t cpu_ns, ticks; /* cpu_ns: processor time of the thread so far, ns; ticks: time of the sample on the
                             * recording's clock */
    struct tp_stack_copy copy;
};

/* A sampled thread of the program. */
struct watched {
    /* tid: system thread id; listed: number of the thread in /proc, which may belong to another PID namespace */
    pid_t tid, listed;
    struct tp_perf perf; /* sampling by the kernel; zeroed: the thread has a timer instead */
    timer_t timer;
    uint64_t cpu_ns; /* processor time at the thread's last sample, ns */
    /* is_seen: the current update of the list has found the thread; is_written: the spool contains the thread's name */
    bool is_seen, is_written;
};

enum { IDLE, RUNNING, STOPPING };

static struct {
    pthread_t thread;
    _Atomic int phase;
    _Atomic bool must_stop;
    _Atomic bool is_asking; /* true while the sampling thread waits for the loader, which may never answer */
    uint64_t period_ns;
    struct slot *slots;
    struct watched *watched;
    uint32_t count, ring_count;
    bool has_perf, has_signal;  /* has_perf: this process is allowed to use the kernel's sampling (perf.h); has_signal:
                                 * the handler of the timers' signal is installed */
    struct tp_stack_copy *copy; /* buffer for one sample from the kernel */
    /* clocks at the start of sampling, for converting times of the kernel's samples to the recording's clock */
    struct tp_spool_clock begin;
    /* true during the first update of the list, so that no sample represents processor time from before */
    bool is_first;
    bool is_in_child;     /* true in a child of a sampled process, where samples represent all processor time since the
                           * fork */
    _Atomic uint32_t end; /* 1: the sampling thread must wake; that thread sets it to 0 */
    pid_t own_tid;
} sampler;

/* ---- the handler ---- */

static uint64_t timespec_ns(struct timespec time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t cpu_time_of_this_thread_ns(void)
{
    struct timespec used = {0, 0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return timespec_ns(used);
}

static void copy_stack_to_free_slot(struct slot *slots, void *context)
{
    pid_t tid = (pid_t)syscall(SYS_gettid);
    for (uint32_t i = 0; i < MAX_SLOTS; i++) {
        struct slot *slot = &slots[((uint32_t)tid + i) % MAX_SLOTS];
        int expected = SLOT_FREE;
        if (!atomic_compare_exchange_strong(&slot->state, &expected, SLOT_FILLING))
            continue;
        slot->tid = tid;
        slot->ticks = tp_clock_now();
        slot->cpu_ns = cpu_time_of_this_thread_ns();
        tp_stack_copy_context(&slot->copy, context);
        atomic_store_explicit(&slot->state, SLOT_FULL, memory_order_release);
        return;
    }
}

TP_SIGNAL_HANDLER static void on_signal(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    struct slot *slots = __atomic_load_n(&sampler.slots, __ATOMIC_ACQUIRE);
    (void)signal;
    if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &sampler && slots &&
        atomic_load(&sampler.phase) == RUNNING)
        copy_stack_to_free_slot(slots, context);
    errno = saved;
}

static const char *install_handler(void)
{
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK}, theirs;
    if (sigaction(SIGURG, NULL, &theirs) != 0)
        return "the signal cannot be handled";
    if (theirs.sa_sigaction == on_signal && theirs.sa_flags & SA_SIGINFO)
        return NULL;
    if (theirs.sa_flags & SA_SIGINFO || (theirs.sa_handler != SIG_DFL && theirs.sa_handler != SIG_IGN))
        return "the program handles SIGURG itself";
    sigfillset(&ours.sa_mask);
    return sigaction(SIGURG, &ours, NULL) == 0 ? NULL : "the signal cannot be handled";
}

/* ---- samples ---- */

/* Returns the clock of a thread's processor time, as pthread_getcpuclockid does, but from the system's thread id. */
static clockid_t thread_cpu_clock(pid_t tid)
{
    return (clockid_t)((~(unsigned)tid << 3) | 6u);
}

/* Reads the thread's name from /proc/self/task/LISTED/comm. Returns the length of the name. */
static size_t read_thread_name(pid_t listed, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)listed);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* Returns the entry of a thread, or NULL if the list does not contain the thread. */
static struct watched *find_watched_thread(pid_t tid)
{
    for (uint32_t i = 0; i < sampler.count; i++)
        if (sampler.watched[i].tid == tid)
            return &sampler.watched[i];
    return NULL;
}

static void write_thread_name_record(pid_t tid)
{
    struct tp_spool_sampled thread = {.tid = (uint64_t)tid};
    const struct watched *known = find_watched_thread(tid);
    const uint32_t slots = sizeof thread / TP_SPOOL_SLOT;
    size_t n = read_thread_name(known ? known->listed : tid, thread.name, sizeof thread.name);
    if (n && thread.name[n - 1] == '\n')
        thread.name[n - 1] = '\0';
    struct tp_spool_record *record = tp_record_reserve_slots(slots);
    if (!record)
        return;
    memcpy(record + 1, &thread, sizeof thread);
    tp_record_finish(record, 0, TP_SPOOL_SAMPLED, slots, 0);
}

/* Writes a sample. If the stack cannot be walked, the sample has no frames, but still adds its processor time to the
 * thread. */
static void write_sample(pid_t tid, const struct tp_stack_copy *copy, uint64_t ticks, uint64_t cpu_ns)
{
    uint64_t frames[TP_MAX_FRAMES + 1] = {0};
    uint32_t count = tp_stack_unwind(copy, frames, TP_MAX_FRAMES);
    struct watched *thread = find_watched_thread(tid);
    if (thread && !thread->is_written)
        write_thread_name_record(tid);
    if (thread)
        thread->is_written = true;
    struct tp_spool_sample sample = {.tid = (uint64_t)tid, .ticks = ticks, .cpu_ns = cpu_ns, .frame_count = count};
    const uint32_t slots = (uint32_t)sizeof sample / TP_SPOOL_SLOT + (count + 1) / 2;
    struct tp_spool_record *record = tp_record_reserve_slots(slots);
    if (!record)
        return;
    memcpy(record + 1, &sample, sizeof sample);
    memcpy((char *)(record + 1) + sizeof sample, frames, (count + 1) / 2 * TP_SPOOL_SLOT);
    tp_record_finish(record, 0, TP_SPOOL_SAMPLE, slots, 0);
}

/* Converts a time of CLOCK_MONOTONIC to the recording's clock. */
static uint64_t ns_to_ticks(uint64_t monotonic_ns, const struct tp_spool_clock *now)
{
    double passed = (double)(now->monotonic_ns - sampler.begin.monotonic_ns);
    double rate = passed > 0 ? (double)(now->ticks - sampler.begin.ticks) / passed : 1.0;
    double since = (double)((int64_t)monotonic_ns - sampler.begin.monotonic_ns);
    return sampler.begin.ticks + (uint64_t)(since > 0 ? since * rate : 0);
}

/* Writes the samples that the kernel took of a thread. Each gets an equal share of the processor time since the
 * previous samples; the last one gets the remainder too. */
static void drain_ring(struct watched *thread)
{
    uint32_t count = tp_perf_unread_count(&thread->perf);
    uint64_t monotonic_ns, cpu_ns = thread->cpu_ns + count * sampler.period_ns;
    struct timespec used;
    if (count == 0)
        return;
    /* fails if the thread has ended; then the estimate above is used */
    if (clock_gettime(thread_cpu_clock(thread->tid), &used) == 0)
        cpu_ns = timespec_ns(used);
    const struct tp_spool_clock now = tp_clock_read_all();
    uint64_t left = cpu_ns > thread->cpu_ns ? cpu_ns - thread->cpu_ns : 0, part = left / count;
    thread->cpu_ns += left;
    for (uint32_t i = 0; i < count && tp_perf_take_sample(&thread->perf, sampler.copy, &monotonic_ns); i++) {
        uint64_t share = i + 1 < count ? part : left;
        write_sample(thread->tid, sampler.copy, ns_to_ticks(monotonic_ns, &now), share);
        left -= share;
    }
}

/* Returns the processor time since the thread's last sample, ns; 0 for a thread that is not in the list. */
static uint64_t cpu_ns_since_sample(pid_t tid, uint64_t cpu_ns)
{
    struct watched *thread = find_watched_thread(tid);
    uint64_t before = thread ? thread->cpu_ns : cpu_ns;
    if (thread)
        thread->cpu_ns = cpu_ns > before ? cpu_ns : before;
    return cpu_ns > before ? cpu_ns - before : 0;
}

/* ---- threads of the program ---- */

/* Sets a timer that sends a signal to the thread after each period of the thread's processor time. */
static bool set_timer(struct watched *thread)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG, .sigev_value.sival_ptr = &sampler};
    const struct timespec period = {(time_t)(sampler.period_ns / 1000000000u), (long)(sampler.period_ns % 1000000000u)};
    event._sigev_un._tid = thread->tid; /* the member sigev_notify_thread_id; the C library has no name for it */
    /* a thread without a ring gets a timer even if the kernel samples other threads */
    sampler.has_signal = sampler.has_signal || !install_handler();
    return sampler.has_signal && timer_create(thread_cpu_clock(thread->tid), &event, &thread->timer) == 0 &&
           timer_settime(thread->timer, 0, &(struct itimerspec){period, period}, NULL) == 0;
}

static void watch_thread(pid_t tid, pid_t listed)
{
    struct watched *known = find_watched_thread(tid);
    if (known) {
        known->is_seen = true;
        return;
    }
    struct watched fresh = {.tid = tid, .listed = listed, .is_seen = true};
    struct timespec used = {0, 0};
    if (sampler.count == MAX_WATCHED || clock_gettime(thread_cpu_clock(tid), &used) != 0)
        return;
    bool has_ring =
        sampler.has_perf && sampler.ring_count < MAX_RINGS && tp_perf_open(&fresh.perf, tid, sampler.period_ns);
    if (!has_ring && !set_timer(&fresh))
        return;
    sampler.ring_count += has_ring;
    if (sampler.is_first)
        fresh.cpu_ns = timespec_ns(used);
    sampler.watched[sampler.count++] = fresh;
}

/* Stops sampling a thread, because the thread or the recording has ended. */
static void unwatch_thread(struct watched *thread)
{
    if (thread->perf.ring) {
        drain_ring(thread);
        tp_perf_close(&thread->perf);
        sampler.ring_count--;
    } else {
        timer_delete(thread->timer);
    }
}

/* Returns the last number in the line "NSpid:", which is the id in the innermost PID namespace. The line lists PID
 * namespaces from that of /proc inwards. */
static pid_t innermost_pid(const char *status)
{
    const char *line = strstr(status, "\nNSpid:"), *end = line ? strchr(line + 1, '\n') : NULL;
    while (end && end > line && end[-1] >= '0' && end[-1] <= '9')
        end--;
    return end ? (pid_t)strtol(end, NULL, 10) : 0;
}

/* Returns the id in this PID namespace of the thread that /proc/self/task lists as `listed`; 0: the thread has
 * ended. */
static pid_t namespace_tid(pid_t listed)
{
    char path[64], status[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)listed);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, status, sizeof status - 1) : -1;
    if (fd >= 0)
        close(fd);
    status[n > 0 ? n : 0] = '\0';
    return innermost_pid(status);
}

/* Entries of a folder, read by the system call getdents64. The C library's opendir would call the program's allocator,
 * which may be out of memory or locked by a stopped thread. */
struct entries {
    int folder;
    ssize_t size; /* number of valid bytes in `bytes` */
    ssize_t at;   /* position of the next entry in `bytes` */
    _Alignas(8) char bytes[2048];
};

/* Returns the name of the next entry, valid until the next call; NULL at the end. */
static const char *next_thread_of_folder(struct entries *entries)
{
    /* positions of members in struct linux_dirent64, bytes, see getdents64(2) */
    enum { LENGTH_AT = 16, NAME_AT = 19 };
    uint16_t length;
    if (entries->at >= entries->size) {
        entries->size = syscall(SYS_getdents64, entries->folder, entries->bytes, sizeof entries->bytes);
        entries->at = 0;
    }
    if (entries->size <= 0)
        return NULL;
    const char *entry = entries->bytes + entries->at;
    memcpy(&length, entry + LENGTH_AT, sizeof length);
    entries->at += length;
    return entry + NAME_AT;
}

/* Updates the list to the threads that exist now. */
static void list_threads(void)
{
    struct entries entries = {.folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    bool is_own = tp_proc_matches_namespace();
    if (entries.folder < 0)
        return;
    for (uint32_t i = 0; i < sampler.count; i++)
        sampler.watched[i].is_seen = false;
    for (const char *name; (name = next_thread_of_folder(&entries)) != NULL;) {
        pid_t listed = (pid_t)strtol(name, NULL, 10), tid = is_own || listed <= 0 ? listed : namespace_tid(listed);
        if (tid > 0 && tid != sampler.own_tid)
            watch_thread(tid, listed);
    }
    close(entries.folder);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sampler.count; i++)
        if (sampler.watched[i].is_seen)
            sampler.watched[kept++] = sampler.watched[i];
        else
            unwatch_thread(&sampler.watched[i]);
    sampler.count = kept;
    sampler.is_first = false;
}

/* ---- our thread ---- */

/* Writes the samples that handlers have taken. Returns the number of samples that handlers are still taking. */
static uint32_t drain_samples(void)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < sampler.count; i++)
        if (sampler.watched[i].perf.ring)
            drain_ring(&sampler.watched[i]);
    for (uint32_t i = 0; i < MAX_SLOTS; i++) {
        struct slot *slot = &sampler.slots[i];
        int state = atomic_load_explicit(&slot->state, memory_order_acquire);
        open += state == SLOT_FILLING;
        if (state != SLOT_FULL)
            continue;
        write_sample(slot->tid, &slot->copy, slot->ticks, cpu_ns_since_sample(slot->tid, slot->cpu_ns));
        atomic_store_explicit(&slot->state, SLOT_FREE, memory_order_release);
    }
    return open;
}

/* Set unless the sampling thread is waiting, because that thread can have locks of the C library. The flag is not a
 * mutex, because hooks would then ignore the calls of the thread (hook_locks.c). */
static atomic_flag at_work = ATOMIC_FLAG_INIT;

static bool wait_for_turn(unsigned patience_us)
{
    enum { PAUSE_US = 50 };
    const struct timespec pause = {.tv_nsec = PAUSE_US * 1000};
    for (unsigned waited_us = 0; atomic_flag_test_and_set(&at_work); waited_us += PAUSE_US) {
        if (waited_us >= patience_us)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

static void wait_for_turn_without_limit(void)
{
    while (!wait_for_turn(UINT32_MAX / 2))
        ;
}

/* Waits for `ms` milliseconds, or until sampling stops, so that no thread waits for the sampling thread at exit. All
 * signals are blocked here. Uses a futex, because the C library can wait by a steady clock only since 2.30
 * (sem_clockwait). */
static void wait_ms(long ms)
{
    atomic_flag_clear(&at_work);
    struct timespec rest = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    if (!atomic_exchange(&sampler.end, 0)) {
        syscall(SYS_futex, &sampler.end, FUTEX_WAIT_PRIVATE, 0, &rest, NULL, 0);
        atomic_store(&sampler.end, 0);
    }
    wait_for_turn_without_limit();
}

/* Returns whether the loader's list of modules can be read. In a child of fork this test can hang for ever. The thread
 * that stops the sampler sees this in is_asking. */
static bool can_ask_loader(void)
{
    atomic_store(&sampler.is_asking, true);
    bool may_ask = tp_modules_test_loader();
    atomic_store(&sampler.is_asking, false);
    return may_ask;
}

static void *run_sampling_thread(void *unused)
{
    (void)unused;
    wait_for_turn_without_limit();
    sampler.own_tid = (pid_t)syscall(SYS_gettid);
    if (sampler.is_in_child)
        wait_ms(DRAIN_EVERY_MS); /* waits first, because most children exit or exec immediately */
    tp_stack_clear_code_cache(); /* discards cached data about code, because modules can have changed since the last
                                  * recording */
    for (uint64_t turn = 0; !atomic_load(&sampler.must_stop); turn++) {
        if (turn % (LIST_EVERY_MS / DRAIN_EVERY_MS) == 0) {
            if (can_ask_loader() && tp_modules_update()) /* clears the cached data after code was loaded */
                tp_stack_clear_code_cache();
            list_threads();
        }
        wait_ms(DRAIN_EVERY_MS);
        drain_samples();
    }
    for (int i = 0; i < END_MS && drain_samples(); i++)
        wait_ms(1);
    for (uint32_t i = 0; i < sampler.count; i++)
        unwatch_thread(&sampler.watched[i]);
    tp_record_release_chunk();
    atomic_flag_clear(&at_work);
    return NULL;
}

bool tp_sampler_pause(void)
{
    enum { PATIENCE_US = 200000 };
    bool is_running = atomic_load(&sampler.phase) == RUNNING && !pthread_equal(sampler.thread, pthread_self());
    return is_running && wait_for_turn(PATIENCE_US);
}

void tp_sampler_resume(void)
{
    atomic_flag_clear(&at_work);
}

/* ---- start, stop ---- */

static bool allocate_sampler_memory(void)
{
    if (!sampler.slots) { /* allocated once and never freed, because a handler may run late */
        void *slots = mmap(NULL, MAX_SLOTS * sizeof(struct slot), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (slots != MAP_FAILED)
            __atomic_store_n(&sampler.slots, slots, __ATOMIC_RELEASE);
    }
    if (!sampler.watched)
        sampler.watched = calloc(MAX_WATCHED, sizeof *sampler.watched);
    if (!sampler.copy)
        sampler.copy = malloc(sizeof *sampler.copy);
    return sampler.slots && sampler.watched && sampler.copy;
}

/* Returns whether this process is allowed to use the kernel's sampling (perf.h). TRACEPRESS_PERF=0 switches it off. */
static bool can_use_perf(void)
{
    struct tp_perf perf;
    const char *wish = tp_environment("TRACEPRESS_PERF");
    bool is_allowed = !(wish && *wish == '0') && tp_perf_open(&perf, (pid_t)syscall(SYS_gettid), 1000000000);
    if (is_allowed)
        tp_perf_close(&perf);
    return is_allowed;
}

const char *tp_sampler_start(uint32_t rate)
{
    if (atomic_load(&sampler.phase) == RUNNING)
        return NULL;
    if (atomic_load(&sampler.phase) != IDLE)
        return "the previous recording has not ended";
    if (!tp_stack_prepare())
        return "libunwind is not installed (Debian: libunwind8)";
    if (!allocate_sampler_memory())
        return "out of memory";
    sampler.has_perf = can_use_perf();
    const char *reason = sampler.has_perf ? NULL : install_handler();
    sampler.has_signal = false;
    if (reason)
        return reason;
    sampler.begin = tp_clock_read_all();
    sampler.period_ns = 1000000000u / (rate < 1 ? 1 : rate < 10000 ? rate : 10000);
    sampler.count = sampler.ring_count = 0;
    sampler.is_first = !sampler.is_in_child;
    atomic_store(&sampler.end, 0);
    atomic_store(&sampler.must_stop, false);
    atomic_store(&sampler.phase, RUNNING);
    bool is_running = tp_recorder_thread_start(&sampler.thread, run_sampling_thread, NULL) == 0;
    if (!is_running)
        atomic_store(&sampler.phase, IDLE);
    return is_running ? NULL : "cannot create a thread";
}

/* Waits until the loader has answered the sampling thread. Returns false if there is no answer after 0.2 s. */
static bool wait_for_loader_answer(void)
{
    enum { PAUSE_US = 100, PATIENCE_US = 200000 };
    const struct timespec pause = {.tv_nsec = PAUSE_US * 1000};
    for (unsigned waited_us = 0; atomic_load(&sampler.is_asking); waited_us += PAUSE_US) {
        if (waited_us >= PATIENCE_US)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

void tp_sampler_stop(void)
{
    int expected = RUNNING;
    if (!atomic_compare_exchange_strong(&sampler.phase, &expected, STOPPING))
        return;
    atomic_store(&sampler.must_stop, true);
    atomic_store(&sampler.end, 1);
    syscall(SYS_futex, &sampler.end, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    if (!wait_for_loader_answer()) {
        pthread_detach(sampler.thread);
        return;
    }
    pthread_join(sampler.thread, NULL);
    sampler.is_in_child = false;
    atomic_store(&sampler.phase, IDLE);
}

void tp_sampler_release_signal(void)
{
    struct sigaction theirs;
    if (sigaction(SIGURG, NULL, &theirs) == 0 && theirs.sa_flags & SA_SIGINFO && theirs.sa_sigaction == on_signal)
        /* SIG_DFL also discards SIGURG signals that are pending */
        sigaction(SIGURG, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
}

void tp_sampler_reset_in_child(void)
{
    sampler.is_in_child = atomic_load(&sampler.phase) == RUNNING;
    atomic_store(&sampler.phase, IDLE);
    atomic_store(&sampler.is_asking, false);
    atomic_flag_clear(&at_work); /* cleared, because the thread that set the flag does not exist in the child */
    for (uint32_t i = 0; sampler.slots && i < MAX_SLOTS; i++)
        atomic_store(&sampler.slots[i].state, SLOT_FREE);
}
