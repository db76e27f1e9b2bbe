/* Attaches CUPTI to a recorded process: see cupti.h.
 *
 * The code follows rules that avoid known failures of other tools. Callbacks are registered before any activity is
 * enabled. CUPTI is never detached (no cuptiFinalize, no unsubscribe); activities are disabled instead. Only the
 * process that attached CUPTI flushes, only if it used CUDA, and always with force. The code has no lock while it
 * calls CUPTI. The flush at exit runs in a handler that is registered after CUPTI was loaded, so that this handler
 * runs before CUPTI's own. */
#include "collector/source/cupti.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/recorder.h"
#include "collector/session.h"
#include "collector/source/cupti_device.h"
#include "collector/source/cupti_pool.h"
#include "collector/source/cupti_records.h"
#include "collector/sources.h"
#include "writer/base/environment.h"
#include "writer/spool/spool_format_gpu.h"

enum { FLUSH_PERIOD_MS = 200, QUIET_MS = 20, LONGEST_WAIT_MS = 5000, MAX_REASON = 400 };
enum state { OUTSIDE, BUSY, ATTACHED, OVER };

static struct tp_cupti cupti;
static struct {
    _Atomic int state;          /* state of the process, one of enum state; BUSY: a thread is attaching CUPTI */
    _Atomic int is_enabled;     /* 1: activities are enabled */
    _Atomic int has_work;       /* 1: CUPTI has requested a buffer, so the program has used CUDA */
    _Atomic int is_injected;    /* 1: the driver has called InitializeInjection */
    _Atomic unsigned taking;    /* number of completed buffers that threads are reading now */
    _Atomic unsigned taken;     /* number of completed buffers so far */
    _Atomic uint32_t described; /* number of the last recording in which device properties were recorded */
    uint32_t version;
    bool has_own_clock; /* true if CUPTI refused the recording's clock; then times are ns of CUPTI's own clock */
    pid_t pid;          /* process that attached CUPTI */
} at;

static const char SAY[] = "GPU activity is not recorded; the program continues";

/* ---- functions that CUPTI calls ---- */

static uint64_t current_clock_ticks(void)
{
    return tp_clock_now();
}

static void give_buffer_to_cupti(uint8_t **buffer, size_t *size, size_t *max_records)
{
    *max_records = 0;
    *buffer = tp_cupti_pool_get_buffer(size, at.version < TP_CUPTI_MAY_REFUSE);
    atomic_store_explicit(&at.has_work, 1, memory_order_relaxed);
}

static void write_dropped_count(void)
{
    size_t count = 0;
    if (cupti.count_dropped && cupti.count_dropped(NULL, 0, &count) == TP_CUPTI_OK && count)
        tp_cupti_write_dropped_count(count);
}

/* Records the devices when the first buffer arrives, because the driver must not be called during cuInit. */
static void describe_devices(void)
{
    uint32_t recording = __atomic_load_n(&tracepress_recording_, __ATOMIC_RELAXED);
    if (recording && atomic_exchange(&at.described, recording) != recording)
        tp_cupti_write_devices();
}

static void convert_returned_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    (void)context;
    (void)stream;
    if (!buffer)
        return;
    atomic_fetch_add(&at.taking, 1);
    if (valid && valid <= size && __atomic_load_n(&tracepress_recording_, __ATOMIC_RELAXED)) {
        describe_devices();
        tp_cupti_convert_buffer(&cupti, buffer, valid);
    }
    tp_cupti_pool_return_buffer(buffer, size);
    write_dropped_count();
    atomic_fetch_add(&at.taken, 1);
    atomic_fetch_sub(&at.taking, 1);
}

static void ignore_callback(void *user, uint32_t domain, uint32_t function, const void *data)
{
    (void)user;
    (void)domain;
    (void)function;
    (void)data;
}

/* ---- attaching ---- */

/* Appends the name of another tool that uses CUPTI to `reason`, if this release of CUPTI reports the name. */
static void append_name_of_other_tool(char *reason, size_t size)
{
    char other[128] = "";
    void *subscriber = NULL;
    struct tp_cupti_subscription with = {sizeof with, "tracepress", other, sizeof other - 1};
    if (cupti.subscribe_v2)
        cupti.subscribe_v2(&subscriber, ignore_callback, NULL, &with);
    snprintf(reason, size, "another tool uses CUPTI%s%.*s%s", *other ? " (" : ": nsys, ncu, a debugger or a profiler",
             (int)strnlen(other, sizeof other - 1), other, *other ? ")" : "");
}

static void explain_failure(char *reason, size_t size, int result)
{
    const char *text = tp_cupti_result_text(&cupti, result);
    if (result == TP_CUPTI_MANY_SUBSCRIBERS)
        append_name_of_other_tool(reason, size);
    else if (result == TP_CUPTI_NOT_INITIALIZED || result == TP_CUPTI_UNKNOWN)
        snprintf(reason, size, "CUPTI found no usable GPU (%s)", text);
    else
        snprintf(reason, size, "CUPTI: %s (%d)", text, result);
}

/* Opens the first CUPTI library that works with this driver, and subscribes to it. Returns false, with the reason, if
 * none works. */
static bool subscribe_to_cupti(char *reason, size_t size)
{
    unsigned candidate = 0;
    *reason = '\0';
    while (tp_cupti_open(&cupti, &candidate)) {
        void *subscriber = NULL;
        int result = cupti.get_version(&at.version);
        if (result == TP_CUPTI_OK)
            result = cupti.subscribe(&subscriber, ignore_callback, NULL);
        if (result == TP_CUPTI_OK)
            return true;
        if (!*reason) /* if all libraries fail, the user sees the reason of the first one */
            explain_failure(reason, size, result);
        if (result == TP_CUPTI_MANY_SUBSCRIBERS)
            return false;
    }
    if (!*reason)
        snprintf(reason, size, "no libcupti was found; set LD_LIBRARY_PATH, or set TRACEPRESS_CUPTI to its path");
    return false;
}

static bool enable_kinds(char *reason, size_t size)
{
    unsigned enabled = 0;
    for (const uint32_t *kind = tp_cupti_kinds; *kind; kind++) {
        int result = cupti.enable(*kind);
        enabled += result == TP_CUPTI_OK;
        if (result != TP_CUPTI_OK && *kind == TP_CUPTI_KERNEL) { /* other activities are useless without kernels */
            explain_failure(reason, size, result);
            break;
        }
    }
    return enabled > 0;
}

static void disable_kinds(void)
{
    for (const uint32_t *kind = tp_cupti_kinds; *kind; kind++)
        cupti.disable(*kind);
}

static void end_at_exit(void)
{
    tp_cupti_end(false);
    if (at.pid == getpid())
        atomic_store(&at.state, OVER);
}

static bool attach_to_cupti(char *reason, size_t size)
{
    if (tp_cupti_is_mapped("libtorch")) {
        snprintf(reason, size, "PyTorch records CUDA in this process");
        return false;
    }
    if (!subscribe_to_cupti(reason, size))
        return false;
    if (cupti.set_tid_type)
        cupti.set_tid_type(TP_CUPTI_TID_SYSTEM);
    at.has_own_clock = !cupti.register_clock || cupti.register_clock(current_clock_ticks) != TP_CUPTI_OK;
    int result = cupti.register_callbacks(give_buffer_to_cupti, convert_returned_buffer);
    uint64_t unused;
    if (result == TP_CUPTI_OK && at.has_own_clock)
        result = cupti.get_timestamp ? cupti.get_timestamp(&unused) : TP_CUPTI_UNKNOWN;
    if (result != TP_CUPTI_OK) {
        explain_failure(reason, size, result);
        return false;
    }
    /* CUPTI flushes periodically, so that the spool of a killed program contains recent activity */
    if (cupti.flush_period)
        cupti.flush_period(FLUSH_PERIOD_MS);
    at.pid = getpid();
    atexit(end_at_exit);
    return true;
}

static bool uses_cuda(void)
{
    return atomic_load(&at.is_injected) || tp_cupti_is_mapped("libcuda.so") || tp_cupti_is_mapped("libcudart.so");
}

/* Records the same moment on CUPTI's clock and on the recording's clock. Tries several times, and records the attempt
 * that took least time. */
static void write_clock_pair(void)
{
    struct tp_spool_gpu_clock best = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; at.has_own_clock && i < 16; i++) {
        uint64_t ns = 0, before = tp_clock_now();
        if (cupti.get_timestamp(&ns) != TP_CUPTI_OK)
            return;
        uint64_t after = tp_clock_now();
        if (after - before < least) {
            least = after - before;
            best = (struct tp_spool_gpu_clock){(int64_t)ns, before + (after - before) / 2};
        }
    }
    if (at.has_own_clock)
        tp_record_write(0, TP_SPOOL_GPU_CLOCK, &best, sizeof best);
}

/* Attaches CUPTI if this was not done yet. If attaching fails, reports the reason and returns false. */
static bool attach_cupti_once(void)
{
    char reason[MAX_REASON] = "";
    int outside = OUTSIDE;
    if (atomic_load(&at.state) == ATTACHED)
        return at.pid == getpid();
    if (!uses_cuda() || !atomic_compare_exchange_strong(&at.state, &outside, BUSY))
        return false;
    bool is_attached = attach_to_cupti(reason, sizeof reason);
    atomic_store(&at.state, is_attached ? ATTACHED : OVER);
    if (is_attached)
        tp_cupti_write_versions(at.version);
    else
        tp_session_print_message(TP_SEVERITY_DETAIL, SAY, reason);
    return is_attached;
}

/* ---- recordings ---- */

void tp_cupti_begin(void)
{
    char reason[MAX_REASON] = "";
    if (!attach_cupti_once() || atomic_exchange(&at.is_enabled, 1))
        return;
    write_clock_pair();
    if (enable_kinds(reason, sizeof reason) && !*reason)
        return;
    disable_kinds();
    atomic_store(&at.is_enabled, 0);
    atomic_store(&at.state, OVER);
    tp_session_print_message(TP_SEVERITY_DETAIL, SAY, reason);
}

/* Waits until the GPU has finished all work of this thread's context, as torch does at the end of a recording. */
static void wait_for_gpu(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), *context = NULL;
    int (*current)(void **), (*synchronize)(void);
    if (!driver)
        return;
    *(void **)&current = dlsym(driver, "cuCtxGetCurrent");
    *(void **)&synchronize = dlsym(driver, "cuCtxSynchronize");
    if (current && synchronize && current(&context) == 0 && context)
        synchronize();
}

/* Waits until CUPTI has returned all buffers, or until no buffer has arrived for QUIET_MS. A flush does not wait for
 * buffers that CUPTI's own thread is about to return. */
static void wait_for_buffers(void)
{
    const struct timespec ms = {0, 1000000};
    unsigned seen = atomic_load(&at.taken);
    for (int waited = 0, quiet = 0; waited < LONGEST_WAIT_MS && quiet < QUIET_MS; waited++) {
        if (!tp_cupti_pool_used_count() && !atomic_load(&at.taking))
            return;
        nanosleep(&ms, NULL);
        unsigned now = atomic_load(&at.taken);
        quiet = now != seen || atomic_load(&at.taking) ? 0 : quiet + 1;
        seen = now;
    }
}

void tp_cupti_end(bool must_wait)
{
    if (atomic_load(&at.state) != ATTACHED || at.pid != getpid() || !atomic_exchange(&at.is_enabled, 0))
        return;
    bool has_work = atomic_load(&at.has_work);
    if (has_work && must_wait)
        wait_for_gpu();
    if (has_work) {
        cupti.flush_all(TP_CUPTI_FLUSH_FORCED);
        describe_devices();
    }
    disable_kinds();
    if (has_work) {
        cupti.flush_all(TP_CUPTI_FLUSH_FORCED); /* flushes the records that were made during the first flush */
        wait_for_buffers();
    }
    write_dropped_count();
    write_clock_pair();
    tp_cupti_pool_unmap_free_buffers();
}

void tp_cupti_disable_in_child(void)
{
    if (atomic_load(&at.state) != OUTSIDE) {
        atomic_store(&at.state, OVER);
        atomic_store(&at.is_enabled, 0);
    }
}

__attribute__((visibility("default"))) int InitializeInjection(void)
{
    atomic_store(&at.is_injected, 1);
    if (__atomic_load_n(&tracepress_recording_, __ATOMIC_SEQ_CST))
        tp_cupti_begin();
    return 1;
}

/* ---- table entry and start of this source ---- */

static const char *probe_source(const struct tp_source_host *host)
{
    const char *other = tp_environment("CUDA_INJECTION64_PATH");
    if (other && *other && strcmp(other, host->library) != 0)
        return "CUDA_INJECTION64_PATH names another tool";
    return NULL;
}

static void end_cupti_recording(void)
{
    tp_cupti_end(true);
}

static bool start_source(const struct tp_source_host *host, const char *setting)
{
    (void)setting;
    static const struct tp_session_watch own = {tp_cupti_begin, end_cupti_recording, tp_cupti_disable_in_child};
    /* setenv is safe before main, because no other thread reads the environment yet */
    setenv("CUDA_INJECTION64_PATH", host->library, 1);
    /* watches the session, because a program that links libtracepress.so starts its recordings itself */
    tp_session_watch(&own);
    /* outside of a window, tp_cupti_begin is called later */
    if (__atomic_load_n(&tracepress_recording_, __ATOMIC_SEQ_CST))
        tp_cupti_begin();
    return true;
}

static void stop_source(void)
{
    tp_cupti_end(false);
}

const struct tp_source tp_source_cuda = {
    .name = "cuda",
    .what = "kernels, copies, calls, memory and waits of CUDA, by CUPTI",
    .is_default = true,
    .probe = probe_source,
    .start = start_source,
    .stop = stop_source,
    .in_child = tp_cupti_disable_in_child,
};
