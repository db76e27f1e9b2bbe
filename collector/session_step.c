/* Decides which steps are recorded and records their ranges. See session.h. */
#include "collector/session_part.h"

#include <pthread.h>

#include "collector/config.h"
#include "collector/live.h"
#include "collector/recorder.h"

static void begin_step_record(void)
{
    struct tp_spool_record *record = tp_record_reserve_slots(0);
    tp_session.has_step = record != NULL;
    if (record)
        tp_record_finish(record, (uint32_t)tp_session.step, TP_SPOOL_STEP, 0, 0);
}

void tp_session_close_step(void)
{
    struct tp_spool_record *record = tp_session.has_step ? tp_record_reserve_slots(0) : NULL;
    tp_session.has_step = false;
    if (record)
        tp_record_finish(record, 0, TP_SPOOL_STEP_END, 0, 0);
}

enum tp_action tp_session_step_action(uint64_t step)
{
    return !tp_session.is_left_out && tp_session_is_in_window() ? tp_schedule_action(&tp_session.options.schedule, step)
                                                                : TP_ACTION_NONE;
}

/* Switches recording on or off by comparing the action of the previous step with the action `now` of this step. Needs
 * the session's lock, but records the range of the step without it, because a new chunk takes the lock. */
void tp_session_enter_step(enum tp_action now)
{
    enum tp_action before = tp_session.action;
    bool is_stepped = tp_session.options.schedule.active > 0;
    tp_session.action = now;
    if (before == TP_ACTION_RECORD_AND_SAVE || (tp_session_records_step(before) && !tp_session_records_step(now)))
        tp_session_end_recording();
    if (tp_session_records_step(now) && tp_session.is_started && !tp_session_is_recording()) {
        tp_session_turn_on();
        if (tp_session_open_spool())
            tp_session_start_sampler();
    }
    if (!tp_session_is_recording() || (!is_stepped && tp_session.step == 0))
        return;
    pthread_mutex_unlock(&tp_session.lock);
    begin_step_record();
    pthread_mutex_lock(&tp_session.lock);
}

/* Notifies the watch if a recording has started. before: number of the recording that the caller read before the
 * possible start. */
void tp_session_notify_begun(uint32_t before)
{
    uint32_t now = __atomic_load_n(&tracepress_recording_, __ATOMIC_SEQ_CST);
    if (tp_session.watch && now && now != before &&
        tp_config_records_activity(&tp_session.options, TRACEPRESS_ACTIVITY_CUDA))
        tp_session.watch->begun();
}

void tp_session_notify_ending(bool is_ending)
{
    if (tp_session.watch && is_ending && tp_config_records_activity(&tp_session.options, TRACEPRESS_ACTIVITY_CUDA) &&
        __atomic_load_n(&tracepress_recording_, __ATOMIC_SEQ_CST))
        tp_session.watch->ending();
}

void tracepress_step(void)
{
    uint32_t recording = __atomic_load_n(&tracepress_recording_, __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&tp_session.lock);
    if (tp_session.is_started) {
        enum tp_action before = tp_session.action, next = tp_session_step_action(tp_session.step + 1);
        uint64_t step = tp_session.step;
        pthread_mutex_unlock(&tp_session.lock);
        tp_session_close_step();
        tp_live_end_step(step);
        tp_session_notify_ending(before == TP_ACTION_RECORD_AND_SAVE ||
                                 (tp_session_records_step(before) && !tp_session_records_step(next)));
        tp_session_update_modules();
        pthread_mutex_lock(&tp_session.lock);
        tp_session_wait_for_window_end();
        tp_session.step++;
        tp_session_enter_step(next);
    }
    pthread_mutex_unlock(&tp_session.lock);
    tp_live_begin_step();
    tp_session_notify_begun(recording);
}

uint64_t tracepress_step_num(void)
{
    pthread_mutex_lock(&tp_session.lock);
    uint64_t step = tp_session.is_for_record ? tp_session.step_at_recording_end : tp_session.step;
    pthread_mutex_unlock(&tp_session.lock);
    return step;
}
