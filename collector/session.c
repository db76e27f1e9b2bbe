/* Starts and stops the one recording of the process: see session.h.
 *
 * All functions here use one lock and run only on slow paths: start, step, stop, a new name. Threads get new chunks
 * without the lock (session_threads.c). */
#include "collector/session.h"

#include <pthread.h>

#include "collector/config.h"
#include "collector/confined.h"
#include "collector/live.h"
#include "collector/recorder.h"
#include "collector/session_part.h"
#include "collector/unwind.h"
#include "writer/base/environment.h"

struct tp_session tp_session = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .window_end_condition = PTHREAD_COND_INITIALIZER, .spool = {.fd = -1}};

static pthread_once_t prepared = PTHREAD_ONCE_INIT;

void tp_session_watch(const struct tp_session_watch *given)
{
    tp_session.watch = given;
}

void tp_session_count_dropped(void)
{
    atomic_fetch_add_explicit(&tp_session.dropped, 1, memory_order_relaxed);
}

/* ---- start and stop ---- */

/* Reads from the environment whether this rank records, and in which windows of time. */
static void read_rank_and_window_choice(void)
{
    const char *ranks = tp_environment("TRACEPRESS_RANKS");
    uint32_t rank = tp_config_rank();
    enum tp_choice choice = rank == UINT32_MAX ? TP_CHOICE_YES : tp_choice_of_rank(ranks, rank);
    if (choice == TP_CHOICE_UNCLEAR)
        tp_session_print_message(TP_SEVERITY_DETAIL,
                                 "TRACEPRESS_RANKS is not a list such as 0,7,%64; ignoring it, so that every rank "
                                 "records",
                                 ranks);
    tp_session.is_left_out = choice == TP_CHOICE_NO;
    if (!tp_choice_window_read(&tp_session.window, tp_environment("TRACEPRESS_WINDOW")))
        tp_session_print_message(TP_SEVERITY_DETAIL,
                                 "TRACEPRESS_WINDOW is not of the form 60s:5s; ignoring it and recording everything",
                                 tp_environment("TRACEPRESS_WINDOW"));
}

/* Returns whether another thread is still ending the previous recording and uses its options. Returns false on the
 * ending thread itself, because a handler there may start a new recording. */
static bool is_other_thread_ending_recording(void)
{
    return tp_session.endings && !pthread_equal(tp_session.newest_ending_thread, pthread_self());
}

/* Starts a recording. Needs the session's lock. */
static bool begin_recording(const struct tracepress_options *options)
{
    if (tp_session.is_started || tp_is_confined() || is_other_thread_ending_recording())
        return false;
    const char *refusal = tp_config_invalid_options_text(options);
    if (refusal)
        tp_session_print_message(TP_SEVERITY_RECORDING, "nothing is recorded; the program continues", refusal);
    if (refusal || !tp_config_replace_options(&tp_session.options, options))
        return false;
    const struct tracepress_options *o = &tp_session.options;
    const char *stackless = o->with_stack ? tp_stack_walk_refusal_text() : NULL;
    if (stackless)
        tp_session_print_message(TP_SEVERITY_DETAIL, "no call stacks are recorded", stackless);
    __atomic_store_n(&tp_record_stacks, o->with_stack != 0, __ATOMIC_RELAXED);
    if (!o->sample_rate)
        tp_session.options.sample_rate = tp_session.requested_sample_rate;
    tp_session.is_started = true;
    tp_session.step = 0;
    tp_session.action = TP_ACTION_NONE;
    read_rank_and_window_choice();
    enum tp_action first = tp_session_step_action(0);
    if (!tp_session.is_left_out && !tp_session_can_create_spool(tp_session_records_step(first))) {
        tp_session.is_started = false;
        return false;
    }
    tp_session_enter_step(first);
    tp_session_start_window_thread();
    return tp_session.is_started;
}

static void end_recording(void)
{
    pthread_mutex_lock(&tp_session.lock);
    tp_session_begin_stop();
    tp_session.endings++;
    tp_session.newest_ending_thread = pthread_self();
    tp_session_end_recording();
    /* already 0 in a child that the handler forked, because the child resets the count */
    tp_session.endings -= tp_session.endings > 0;
    pthread_mutex_unlock(&tp_session.lock);
}

static bool is_started_by_record_command(void)
{
    pthread_mutex_lock(&tp_session.lock);
    bool is = tp_session.is_started && tp_session.is_for_record;
    pthread_mutex_unlock(&tp_session.lock);
    return is;
}

/* Starts a recording for `tracepress record`. The program must have no recording of its own. */
static bool start_for_record_command(void)
{
    struct tracepress_options options = {
        .size = sizeof options, .record_shapes = 1, .profile_memory = 1, .with_flops = 1};
    pthread_mutex_lock(&tp_session.lock);
    uint64_t step = tp_session.step;
    options.directory = tp_session.run_folder;
    bool is_begun = options.directory && begin_recording(&options);
    if (is_begun) {
        tp_session.is_for_record = true;
        tp_session.step_at_recording_end = step;
    }
    pthread_mutex_unlock(&tp_session.lock);
    if (is_begun)
        tp_session_notify_begun(0);
    return is_begun;
}

int tracepress_start(const struct tracepress_options *options)
{
    pthread_once(&prepared, tp_session_prepare);
    if (is_started_by_record_command())
        end_recording();
    if (options && (options->with_stack || tp_config_has_sampling(options)))
        tp_session_prepare_stacks();
    pthread_mutex_lock(&tp_session.lock);
    bool is_begun = begin_recording(options);
    if (is_begun && !tp_session.is_left_out && (tp_session.options.live || tp_config_is_variable_on("TRACEPRESS_LIVE")))
        tp_live_start(tp_session.options.directory, tp_session.options.worker,
                      tp_config_read_number("WORLD_SIZE") != UINT32_MAX && tp_config_read_number("WORLD_SIZE") > 1);
    pthread_mutex_unlock(&tp_session.lock);
    if (is_begun) {
        tp_session_fill_ring();
        tp_session_notify_begun(0);
    } else {
        start_for_record_command();
    }
    return is_begun ? 0 : -1;
}

/* ---- recordings that `tracepress record` starts ---- */

bool tp_session_start_for_command(const char *folder)
{
    pthread_once(&prepared, tp_session_prepare);
    pthread_mutex_lock(&tp_session.lock);
    tp_session.run_folder = folder;
    tp_session_set_message_folder(folder);
    bool is_on_already = tp_session.is_started; /* true if a constructor of the program has started a recording */
    pthread_mutex_unlock(&tp_session.lock);
    return is_on_already || start_for_record_command();
}

void tp_session_stop_for_command(void)
{
    if (is_started_by_record_command())
        end_recording();
}

void tracepress_stop(void)
{
    pthread_mutex_lock(&tp_session.lock);
    bool is_own = tp_session.is_started && !tp_session.is_for_record;
    pthread_mutex_unlock(&tp_session.lock);
    if (!is_own)
        return;
    end_recording();
    start_for_record_command();
}
