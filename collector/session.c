/* The one recording of the process: see session.h.
 *
 * Everything here runs under one lock and only on slow paths: start, step, stop, a new name, a new chunk. */
#include "collector/session.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/config.h"
#include "collector/live.h"
#include "collector/modules.h"
#include "collector/names.h"
#include "collector/notes.h"
#include "collector/record.h"
#include "collector/sampler.h"
#include "collector/schedule.h"
#include "collector/unwind.h"

enum { HOOK_WAIT_NS = 20000000 };

static struct {
    pthread_mutex_t lock;
    struct tracepress_options options; /* texts are ours */
    bool is_started, has_step;         /* has_step: a ProfilerStep range is open */
    bool is_awaited;                   /* recording is on, and its spool is opened at the first record */
    uint64_t step, first_step;
    struct tp_spool spool;
    pthread_cond_t is_idle; /* busy_count is 0 */
    unsigned busy_count;    /* threads that prepare chunks without the lock */
    uint32_t recordings;    /* number of the last one */
    bool has_addresses;     /* a source records some */
    const char *run_folder; /* of `tracepress record`, NULL: it is not there. Every spool goes there and stays */
    unsigned run_rate;      /* samples a second that it wants */
    bool is_lent;           /* what goes on was begun for it, and ends when the program begins a recording of its own */
    uint64_t own_step;      /* what the program was at when its own recording ended */
} session = {.lock = PTHREAD_MUTEX_INITIALIZER, .is_idle = PTHREAD_COND_INITIALIZER, .spool = {.fd = -1}};

static const struct tp_session_watch *watch;
static _Atomic uint64_t dropped;
static _Atomic bool wants_modules; /* some recording of the process did */
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

void tp_session_watch(const struct tp_session_watch *given)
{
    watch = given;
}

void tp_session_drop(void)
{
    atomic_fetch_add_explicit(&dropped, 1, memory_order_relaxed);
}

/* ---- what threads ask for ---- */

/* Modules that stacks may run through: looking for them, without the lock; telling the spool, with it. */
static void want_modules(void)
{
    atomic_store(&wants_modules, true);
    tp_modules_update();
}

static void look_for_modules(void)
{
    if (atomic_load_explicit(&wants_modules, memory_order_relaxed))
        tp_modules_update();
}

static void note_modules(void)
{
    if (session.options.with_stack || session.options.sample_rate || session.has_addresses)
        tp_notes_modules();
}

/* The rate of the clock is told as the recording goes, in case it has no orderly end; seldom in a ring, where notes are
 * what grows. */
static bool is_time_to_note(uint32_t sequence)
{
    return sequence % (sequence < 1024 || !session.spool.spare.ring_bytes ? 64 : 4096) == 0;
}

static bool open_spool(void);

/* A record that is made inside a function of the program's (malloc, within dlopen) may find the lock held by a thread
 * that waits for what this one holds: it is lost rather than waited for. */
static bool lock_for_chunk(bool is_in_hook)
{
    struct timespec until;
    if (!is_in_hook)
        return pthread_mutex_lock(&session.lock) == 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += HOOK_WAIT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_mutex_timedlock(&session.lock, &until) == 0;
}

struct tp_spool_chunk *tp_session_chunk(uint32_t recording, uint32_t size, const struct tp_spool_chunk *header)
{
    struct tp_spool_chunk *chunk = NULL;
    bool is_in_hook = tp_cursor.inside > 1; /* 1: the refill itself */
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* nobody may end with the lock, or counted as busy */
    if (!is_in_hook)
        look_for_modules();
    if (!lock_for_chunk(is_in_hook)) {
        pthread_setcancelstate(cancel, NULL);
        return NULL;
    }
    if (recording == __atomic_load_n(&tracepress_recording_, __ATOMIC_SEQ_CST) && open_spool()) {
        chunk = tp_spool_take(&session.spool, size);
        session.busy_count += chunk != NULL;
        if (chunk && is_in_hook) { /* once let go, the lock may not be had again */
            chunk = tp_spool_prepare(&session.spool, chunk, header);
            session.busy_count--;
        } else if (chunk) { /* what is in it is copied by each thread for itself, the spool waits with its end */
            pthread_mutex_unlock(&session.lock);
            chunk = tp_spool_prepare(&session.spool, chunk, header);
            pthread_mutex_lock(&session.lock);
            if (--session.busy_count == 0)
                pthread_cond_broadcast(&session.is_idle);
        }
        bool goes_on = recording == __atomic_load_n(&tracepress_recording_, __ATOMIC_SEQ_CST);
        if (!chunk && goes_on)
            tp_notes_say_failure(&session.spool);
        if (chunk && goes_on && is_time_to_note(header->sequence))
            tp_notes_clock();
        if (chunk && goes_on)
            note_modules();
    }
    pthread_mutex_unlock(&session.lock);
    pthread_setcancelstate(cancel, NULL);
    return chunk;
}

void tp_session_return(uint32_t recording, struct tp_spool_chunk *chunk)
{
    if (!lock_for_chunk(tp_cursor.inside > 1)) {
        munmap(chunk, chunk->size);
        return;
    }
    bool is_ours = recording == __atomic_load_n(&tracepress_recording_, __ATOMIC_SEQ_CST);
    if (is_ours)
        tp_spool_return(&session.spool, chunk);
    pthread_mutex_unlock(&session.lock);
    if (!is_ours)
        munmap(chunk, chunk->size);
}

void tp_session_note_modules(void)
{
    want_modules();
    pthread_mutex_lock(&session.lock);
    session.has_addresses = true;
    if (session.spool.fd >= 0)
        note_modules();
    pthread_mutex_unlock(&session.lock);
}

bool tp_session_place(struct tp_session_place *place, uint32_t name)
{
    pthread_mutex_lock(&session.lock);
    place->recording = __atomic_load_n(&tracepress_recording_, __ATOMIC_SEQ_CST);
    place->step = session.step;
    if (place->recording) {
        snprintf(place->directory, sizeof place->directory, "%s", session.options.directory);
        snprintf(place->worker, sizeof place->worker, "%.180s", session.options.worker);
        snprintf(place->name, sizeof place->name, "%s", name && name <= tp_names_count() ? tp_names_text(name) : "");
    }
    pthread_mutex_unlock(&session.lock);
    return place->recording != 0;
}

tracepress_name tracepress_intern(const char *name)
{
    pthread_mutex_lock(&session.lock);
    uint32_t number = tp_notes_name(name ? name : "");
    pthread_mutex_unlock(&session.lock);
    return number;
}

const char *tp_session_name(tracepress_name name)
{
    pthread_mutex_lock(&session.lock);
    const char *text = name && name <= tp_names_count() ? tp_names_text(name) : "";
    pthread_mutex_unlock(&session.lock);
    return text;
}

static void add_fact(const char *key, const char *value, uint8_t kind)
{
    tp_live_fact(key, value);
    if (!key || !*key || strchr(key, '\n'))
        return;
    pthread_mutex_lock(&session.lock);
    tp_notes_fact(key, value ? value : "", kind);
    pthread_mutex_unlock(&session.lock);
}

void tracepress_metadata(const char *key, const char *value)
{
    add_fact(key, value, TP_SPOOL_META_TEXT);
}

void tracepress_metadata_json(const char *key, const char *json)
{
    add_fact(key, json, TP_SPOOL_META_JSON);
}

/* ---- beginning and ending a spool; with the lock held ---- */

/* Switches recording off; what was to be recorded later is not. */
static void turn_off(void)
{
    session.is_awaited = false;
    __atomic_store_n(&tracepress_recording_, 0, __ATOMIC_SEQ_CST);
}

/* Switches recording on, into a spool that is opened at the first record. */
static void turn_on(void)
{
    atomic_store(&dropped, 0);
    session.is_awaited = true;
    session.first_step = session.step;
    if (++session.recordings == 0)
        session.recordings = 1;
    __atomic_store_n(&tracepress_recording_, session.recordings, __ATOMIC_SEQ_CST);
}

static bool is_on(void)
{
    return session.is_awaited || session.spool.fd >= 0;
}

/* Opens the spool that is awaited. False, after saying why and switching recording off, when it cannot be had. */
static bool open_spool(void)
{
    if (!session.is_awaited)
        return session.spool.fd >= 0;
    char name[256];
    struct tp_spool_clock now = tp_clock_moment();
    struct tp_spool_head head = tp_config_head(&session.options, &now);
    const char *directory = session.run_folder ? session.run_folder : session.options.directory;
    snprintf(name, sizeof name, ".%.180s.%lld.%d.tpspool", session.options.worker, (long long)now.realtime_ns,
             (int)getpid());
    int code = tp_spool_create(&session.spool, directory, name, &head, TP_CONFIG_SPOOL_BYTES,
                               tp_config_ring_bytes(&session.options));
    if (code) {
        char detail[4300];
        snprintf(detail, sizeof detail, "%s: %s", directory, strerror(code));
        tp_session_say("nothing is recorded, the program goes on", detail);
        turn_off();
        session.is_started = false;
        return false;
    }
    if (session.run_folder)
        mkdir(session.options.directory, 0777); /* where handlers look for it, and where it would have been made */
    session.is_awaited = false;
    tp_notes_begin(&session.spool, &now);
    note_modules();
    return true;
}

/* Samples, where they were asked for; false when there are none. */
static bool start_sampler(void)
{
    bool has_samples = session.options.sample_rate && tp_config_is_recorded(&session.options, TRACEPRESS_ACTIVITY_CPU);
    const char *reason = has_samples ? tp_sampler_start(session.options.sample_rate) : NULL;
    if (reason)
        tp_session_say("no samples of stacks are taken", reason);
    return !reason;
}

/* Without the lock: the loader runs functions of the program, which may record. */
static void prepare_stacks(void)
{
    tp_stack_prepare();
    want_modules();
}

bool tp_session_sample(unsigned rate)
{
    bool is_started = false;
    prepare_stacks();
    pthread_mutex_lock(&session.lock);
    session.run_rate = session.run_folder ? rate : 0;
    if (is_on()) {
        session.options.sample_rate = rate;
        note_modules();
        is_started = start_sampler();
    }
    pthread_mutex_unlock(&session.lock);
    return is_started;
}

/* The sampler's last records need the lock. */
static void stop_sampler(void)
{
    pthread_mutex_unlock(&session.lock);
    tp_sampler_stop();
    pthread_mutex_lock(&session.lock);
}

/* True when `record` makes a trace of it, too: not where the handler has just left one. */
static bool is_kept_for_run(void)
{
    char handled[PATH_MAX];
    size_t n = realpath(session.options.directory, handled) ? strlen(handled) : 0;
    return session.run_folder &&
           (n == 0 || strncmp(session.run_folder, handled, n) != 0 || strchr(session.run_folder + n + 1, '/'));
}

/* Switches recording off and hands what was kept to the handler. Lets go of the lock meanwhile: handlers may call us.
 */
static void finish_spool(void)
{
    if (is_on() && session.options.sample_rate)
        stop_sampler();
    struct tracepress_options *o = &session.options;
    turn_off();
    if (session.spool.fd < 0)
        return;
    while (session.busy_count)
        pthread_cond_wait(&session.is_idle, &session.lock);
    note_modules();
    tp_notes_end(atomic_load(&dropped));
    struct tp_spool spool = session.spool;
    session.spool.fd = -1;
    if (!o->handler) {
        tp_spool_close(&spool, false);
        return;
    }
    bool must_stay = false;
    struct tracepress_trace trace = {.spool = spool.path,
                                     .must_stay = &must_stay,
                                     .directory = o->directory,
                                     .worker = o->worker,
                                     .is_gzip = !o->no_gzip,
                                     .first_step = session.first_step};
    pthread_mutex_unlock(&session.lock);
    tp_record_leave(); /* this thread's; the others do so at their next record or end */
    o->handler(&trace, o->context);
    pthread_mutex_lock(&session.lock);
    tp_spool_close(&spool, !must_stay && !is_kept_for_run());
}

/* ---- steps ---- */

static void open_step(void)
{
    struct tp_spool_record *record = tp_record_take(0);
    session.has_step = record != NULL;
    if (record)
        tp_record_done(record, (uint32_t)session.step, TP_SPOOL_STEP, 0, 0);
}

static void close_step(void)
{
    struct tp_spool_record *record = session.has_step ? tp_record_take(0) : NULL;
    session.has_step = false;
    if (record)
        tp_record_done(record, 0, TP_SPOOL_STEP_END, 0, 0);
}

static bool is_kept(enum tp_action action)
{
    return action == TP_ACTION_RECORD || action == TP_ACTION_RECORD_AND_SAVE;
}

/* Moves from what the step before did to what this step shall do. The lock is held; a step's range is written without
 * it, because a new chunk needs it. */
static void enter_step(enum tp_action before)
{
    bool is_stepped = session.options.schedule.active > 0;
    enum tp_action now = tp_schedule_action(&session.options.schedule, session.step);
    if (before == TP_ACTION_RECORD_AND_SAVE || (is_kept(before) && !is_kept(now)))
        finish_spool();
    if (is_kept(now) && session.is_started && !is_on()) {
        turn_on();
        if (open_spool())
            start_sampler();
    }
    if (!is_on() || (!is_stepped && session.step == 0))
        return;
    pthread_mutex_unlock(&session.lock);
    open_step();
    pthread_mutex_lock(&session.lock);
}

/* Tells the watch that a recording has begun, when one has since `before`. */
static void tell_begun(uint32_t before)
{
    uint32_t now = __atomic_load_n(&tracepress_recording_, __ATOMIC_SEQ_CST);
    if (watch && now && now != before && tp_config_is_recorded(&session.options, TRACEPRESS_ACTIVITY_CUDA))
        watch->begun();
}

static void tell_ending(bool is_ending)
{
    if (watch && is_ending && tp_config_is_recorded(&session.options, TRACEPRESS_ACTIVITY_CUDA) &&
        __atomic_load_n(&tracepress_recording_, __ATOMIC_SEQ_CST))
        watch->ending();
}

void tracepress_step(void)
{
    uint32_t recording = __atomic_load_n(&tracepress_recording_, __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&session.lock);
    if (session.is_started) {
        enum tp_action before = tp_schedule_action(&session.options.schedule, session.step);
        enum tp_action next = tp_schedule_action(&session.options.schedule, session.step + 1);
        uint64_t step = session.step;
        pthread_mutex_unlock(&session.lock);
        close_step();
        tp_live_step_ends(step);
        tell_ending(before == TP_ACTION_RECORD_AND_SAVE || (is_kept(before) && !is_kept(next)));
        look_for_modules();
        pthread_mutex_lock(&session.lock);
        session.step++;
        enter_step(before);
    }
    pthread_mutex_unlock(&session.lock);
    tp_live_step_begins();
    tell_begun(recording);
}

uint64_t tracepress_step_num(void)
{
    pthread_mutex_lock(&session.lock);
    uint64_t step = session.is_lent ? session.own_step : session.step;
    pthread_mutex_unlock(&session.lock);
    return step;
}

/* ---- the process: fork, exit ---- */

static void before_fork(void)
{
    pthread_mutex_lock(&session.lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&session.lock);
}

/* The child goes on in a spool of its own, if it records anything: most children become another program at once. Its
 * copy of this thread's chunk belongs to the parent's spool: the new number makes it let go. */
static void in_child(void)
{
    tp_cursor.tid = 0;
    session.has_step = false; /* the open one is the parent's */
    session.busy_count = 0;   /* those threads are not here */
    session.is_idle = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    tp_sampler_forget();
    tp_modules_in_child();
    tp_live_in_child();
    if (is_on()) {
        tp_spool_close(&session.spool, false);
        tp_notes_leave();
        turn_on();
    }
    pthread_mutex_unlock(&session.lock);
    if (watch)
        watch->in_child();
}

static void prepare(void)
{
    tp_clock_init();
    pthread_atfork(before_fork, after_fork, in_child);
}

/* By its number after all other destructors of the library, one of which may stop the recording. */
__attribute__((destructor(200))) static void at_exit(void)
{
    tp_live_exit();
    if (session.spool.fd >= 0 && !session.run_folder) { /* it goes on for threads that outlive exit a little */
        tp_session_say("the recording was not stopped; make the trace with: tracepress recover", session.spool.path);
    }
}

/* ---- start, stop ---- */

/* Begins a recording; with the lock. */
static bool begin(const struct tracepress_options *options)
{
    if (session.is_started || !tp_config_keep(&session.options, options))
        return false;
    const struct tracepress_options *o = &session.options;
    if (o->with_stack && !tp_stack_prepare())
        tp_session_say("no call stacks are recorded", "libunwind is not installed (Debian: libunwind8)");
    __atomic_store_n(&tp_record_stacks, o->with_stack != 0, __ATOMIC_RELAXED);
    if (!o->sample_rate)
        session.options.sample_rate = session.run_rate;
    session.is_started = true;
    session.step = 0;
    enter_step(TP_ACTION_NONE);
    return session.is_started;
}

static void end(void)
{
    close_step();
    tp_live_stop();
    tell_ending(true);
    look_for_modules();
    pthread_mutex_lock(&session.lock);
    session.is_started = session.is_lent = false;
    finish_spool();
    pthread_mutex_unlock(&session.lock);
}

static bool is_lent(void)
{
    pthread_mutex_lock(&session.lock);
    bool is = session.is_started && session.is_lent;
    pthread_mutex_unlock(&session.lock);
    return is;
}

int tracepress_start(const struct tracepress_options *options)
{
    pthread_once(&prepared, prepare);
    if (is_lent())
        end();
    if (options && (options->with_stack || tp_config_is_sampling(options)))
        prepare_stacks();
    pthread_mutex_lock(&session.lock);
    bool is_begun = begin(options);
    if (is_begun && (session.options.live || tp_config_is_wanted("TRACEPRESS_LIVE")))
        tp_live_start(session.options.directory, session.options.worker,
                      tp_config_number("WORLD_SIZE") != UINT32_MAX && tp_config_number("WORLD_SIZE") > 1);
    pthread_mutex_unlock(&session.lock);
    if (is_begun)
        tell_begun(0);
    return is_begun ? 0 : -1;
}

/* ---- for `tracepress record` ---- */

/* While the program has no recording of its own. */
static bool lend(void)
{
    struct tracepress_options options = {
        .size = sizeof options, .record_shapes = 1, .profile_memory = 1, .with_flops = 1};
    pthread_mutex_lock(&session.lock);
    uint64_t step = session.step;
    options.directory = session.run_folder;
    bool is_begun = options.directory && begin(&options);
    if (is_begun) {
        session.is_lent = true;
        session.own_step = step;
    }
    pthread_mutex_unlock(&session.lock);
    if (is_begun)
        tell_begun(0);
    return is_begun;
}

bool tp_session_lend(const char *folder)
{
    pthread_once(&prepared, prepare);
    pthread_mutex_lock(&session.lock);
    session.run_folder = folder;
    bool is_on_already = session.is_started; /* by a constructor of the program */
    pthread_mutex_unlock(&session.lock);
    return is_on_already || lend();
}

void tp_session_reclaim(void)
{
    if (is_lent())
        end();
}

void tracepress_stop(void)
{
    pthread_mutex_lock(&session.lock);
    bool is_own = session.is_started && !session.is_lent;
    pthread_mutex_unlock(&session.lock);
    if (!is_own)
        return;
    end();
    lend();
}
