/* Writes the event file of a running program: see live.h. */
#include "collector/live.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/live_file.h"
#include "collector/live_values.h"
#include "collector/session.h"
#include "writer/base/error.h"
#include "writer/base/limits.h"
#include "writer/tfevents.h"

enum { NS_PER_S = 1000000000, FLUSH_NS = NS_PER_S / 4 };

uint32_t tracepress_live_;

static struct {
    pthread_mutex_t lock;
    struct tp_live_file file;
    struct tp_tfevents events; /* records that were not written to the file yet */
    /* is_on: the live file is switched on; is_described: the file already describes this module's own tags */
    bool is_on, is_described;
    /* step_ns: start of the current step; flush_ns: time of the last write; both members are ns of CLOCK_MONOTONIC */
    int64_t step_ns, flush_ns;
    /* base: number that is added to the program's step numbers; last: number of the last step written, or -1 */
    int64_t base, last;
} live = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = {.fd = -1}, .last = -1};

static _Atomic double batch_size, tokens_per_step; /* batch size and tokens per step that the program reported; 0:
                                                    * unknown */

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* ---- functions that need the lock ---- */

static void turn_off_live_values(void)
{
    live.is_on = false;
    __atomic_store_n(&tracepress_live_, 0, __ATOMIC_RELAXED);
}

static void turn_off_after_error(int code)
{
    char detail[TP_LIVE_PATH + 160];
    turn_off_live_values();
    snprintf(detail, sizeof detail, "%s: %s", live.file.path, strerror(code));
    tp_session_print_message(TP_SEVERITY_DETAIL, "the live event file gets no more values; the program continues",
                             detail);
}

static void write_pending_events(void)
{
    struct tp_buf *out = &live.events.out;
    int code = out->failed == 0 ? 0 : out->failed == TP_ELIMIT ? EFBIG : ENOMEM;
    if (code == 0 && out->size)
        code = tp_live_file_append(&live.file, out->data, out->size);
    tp_buf_clear(out);
    live.flush_ns = now_ns(CLOCK_MONOTONIC);
    if (code)
        turn_off_after_error(code);
}

/* Writes the first record of a file. The next value of each tag describes the tag again. */
static void begin_event_file(double wall_s)
{
    live.is_described = false;
    tp_live_values_mark_undescribed();
    tp_tfevents_begin(&live.events, wall_s);
}

static size_t fill_step_scalars(struct tp_tf_scalar *out, double seconds)
{
    double batch = atomic_load(&batch_size), tokens = atomic_load(&tokens_per_step);
    bool is_first = !live.is_described;
    size_t count = 0;
    out[count++] =
        (struct tp_tf_scalar){"profile_step/time_ms", "Time from step to step, while it ran.", seconds * 1e3, is_first};
    if (batch > 0 && seconds > 0)
        out[count++] = (struct tp_tf_scalar){"profile_step/samples_per_s", "batch_size over the step's time.",
                                             batch / seconds, is_first};
    if (tokens > 0 && seconds > 0)
        out[count++] = (struct tp_tf_scalar){"profile_step/tokens_per_s", "tokens_per_step over the step's time.",
                                             tokens / seconds, is_first};
    live.is_described = true;
    return count;
}

static void write_step_scalars(uint64_t number)
{
    enum { STEP_SCALARS = 3 };
    struct tp_tf_scalar scalars[STEP_SCALARS + TP_LIVE_VALUES];
    int64_t now = now_ns(CLOCK_MONOTONIC);
    struct tp_tfevents_at at = {(double)now_ns(CLOCK_REALTIME) * 1e-9, live.base + (int64_t)number};
    /* leaves out a step number that does not increase, because TensorBoard needs increasing numbers */
    if (at.step <= live.last)
        return;
    if (live.events.out.size == 0 && !tp_live_file_exists(&live.file)) {
        tp_live_file_close(&live.file);
        begin_event_file(at.wall_s);
    }
    size_t count = fill_step_scalars(scalars, (double)(now - live.step_ns) * 1e-9);
    count += tp_live_values_fill(scalars + count);
    tp_tfevents_put_scalars(&live.events, at, scalars, count);
    live.last = at.step;
    /* also writes a full buffer, which matters for very short steps */
    if (now - live.flush_ns >= FLUSH_NS || live.events.out.size >= TP_MAX_LIVE_BUFFER_BYTES / 4)
        write_pending_events();
}

/* ---- functions for the session ---- */

void tp_live_start(const char *directory, const char *worker, bool has_peers)
{
    pthread_mutex_lock(&live.lock);
    if (tp_live_file_is_for_directory(&live.file, directory)) {
        live.base = live.last + 1;
    } else {
        tp_live_file_close(&live.file);
        tp_live_file_init(&live.file, directory, worker, has_peers);
        tp_tfevents_release(&live.events);
        tp_tfevents_init(&live.events, TP_MAX_LIVE_BUFFER_BYTES);
        live.base = 0;
        live.last = -1;
        live.flush_ns = INT64_MIN / 2; /* long ago, so that the first step is written immediately */
    }
    tp_live_values_clear();
    live.is_on = true;
    live.step_ns = now_ns(CLOCK_MONOTONIC);
    __atomic_store_n(&tracepress_live_, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&live.lock);
}

static void flush_and_turn_off(void)
{
    if (live.is_on)
        write_pending_events();
    turn_off_live_values();
}

void tp_live_stop(void)
{
    pthread_mutex_lock(&live.lock);
    flush_and_turn_off();
    pthread_mutex_unlock(&live.lock);
}

void tp_live_close_at_exit(void)
{
    /* the lock is not free if another thread has it, or if code under the lock called exit */
    if (pthread_mutex_trylock(&live.lock) != 0)
        return;
    flush_and_turn_off();
    tp_tfevents_release(&live.events);
    pthread_mutex_unlock(&live.lock);
}

/* Abandons the buffer without freeing it, because another thread of the parent may have left it inconsistent. */
void tp_live_reset_in_child(void)
{
    live.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    turn_off_live_values();
    tp_live_file_close(&live.file);
    live.file.directory[0] = '\0';
}

void tp_live_end_step(uint64_t number)
{
    if (!__atomic_load_n(&tracepress_live_, __ATOMIC_RELAXED))
        return;
    pthread_mutex_lock(&live.lock);
    if (live.is_on)
        write_step_scalars(number);
    pthread_mutex_unlock(&live.lock);
}

void tp_live_begin_step(void)
{
    if (!__atomic_load_n(&tracepress_live_, __ATOMIC_RELAXED))
        return;
    pthread_mutex_lock(&live.lock);
    live.step_ns = now_ns(CLOCK_MONOTONIC);
    pthread_mutex_unlock(&live.lock);
}

void tp_live_store_fact(const char *key, const char *value)
{
    _Atomic double *kept = key && strcmp(key, "batch_size") == 0        ? &batch_size
                           : key && strcmp(key, "tokens_per_step") == 0 ? &tokens_per_step
                                                                        : NULL;
    double number = kept && value ? strtod(value, NULL) : 0;
    if (kept)
        atomic_store(kept, isfinite(number) && number > 0 ? number : 0);
}
