/* Starts the recorder's own threads: see recorder_thread.h. */
#include "collector/recorder_thread.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "writer/worker.h"

/* BEGINNING: tid of a slot whose thread was created but has not stored its id yet */
enum { MAX_THREADS = 64, BEGINNING = -1 };

static struct slot {
    _Atomic pid_t tid; /* id of the slot's thread, which can already have ended; 0: the slot is free */
    void *(*run)(void *);
    void *argument;
} slots[MAX_THREADS];

/* Returns whether the thread still exists in the system. A thread that has ended may still exist for a moment. */
static bool is_thread_alive(pid_t tid)
{
    return tid == BEGINNING || (tid > 0 && syscall(SYS_tgkill, getpid(), tid, 0) == 0);
}

static struct slot *reserve_thread_slot(void)
{
    for (int i = 0; i < MAX_THREADS; i++) {
        pid_t tid = atomic_load(&slots[i].tid);
        if (!is_thread_alive(tid) && atomic_compare_exchange_strong(&slots[i].tid, &tid, BEGINNING))
            return &slots[i];
    }
    return NULL;
}

static void *run_thread(void *context)
{
    struct slot *slot = context;
    void *(*run)(void *) = slot->run;
    void *argument = slot->argument;
    atomic_store(&slot->tid, (pid_t)syscall(SYS_gettid));
    pthread_setname_np(pthread_self(), TP_WORKER_THREAD);
    return run(argument);
}

int tp_recorder_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    sigset_t blocked, before;
    pthread_t unnamed;
    struct slot *slot = reserve_thread_slot();
    if (!slot)
        return EAGAIN;
    slot->run = run;
    slot->argument = argument;
    sigfillset(&blocked);
    /* SIGBUS stays unblocked, because a mapped file that is truncated causes it: see writer/base/mapped.h */
    sigdelset(&blocked, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int code = pthread_create(thread ? thread : &unnamed, NULL, run_thread, slot);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code)
        atomic_store(&slot->tid, 0);
    else if (!thread)
        pthread_detach(unnamed);
    return code;
}

/* ---- threads of sources ---- */

enum { MAX_OWNERS = 4 };

static struct {
    void (*leave)(void);
    void (*come_back)(void);
} owners[MAX_OWNERS];
static int owner_count;

void tp_recorder_threads_register(void (*leave)(void), void (*come_back)(void))
{
    if (owner_count == MAX_OWNERS)
        return;
    owners[owner_count].leave = leave;
    owners[owner_count].come_back = come_back;
    owner_count++;
}

void tp_recorder_threads_stop(void)
{
    for (int i = 0; i < owner_count; i++)
        owners[i].leave();
}

void tp_recorder_threads_restart(void)
{
    for (int i = 0; i < owner_count; i++)
        owners[i].come_back();
}

/* ---- all threads ---- */

bool tp_recorder_threads_wait_for_end(unsigned patience_ms)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (unsigned waited_ms = 0;; waited_ms++) {
        bool is_any = false;
        for (int i = 0; i < MAX_THREADS; i++)
            is_any |= is_thread_alive(atomic_load(&slots[i].tid));
        if (!is_any || waited_ms == patience_ms)
            return !is_any;
        nanosleep(&pause, NULL);
    }
}

void tp_recorder_threads_reset_in_child(void)
{
    for (int i = 0; i < MAX_THREADS; i++)
        atomic_store(&slots[i].tid, 0);
}
