/* Implements timing events. CPU events use CLOCK_MONOTONIC, to which the times of a recording refer. CUDA events use
 * the driver that the program itself has loaded.
 *
 * The build needs no part of CUDA, and this file never loads a driver. When an event is recorded for the first time,
 * this file finds the driver's functions. Each event has its own table of these functions, so that events share no
 * state. */
#include <dlfcn.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/recorder.h"
#include "collector/session.h"

enum { CUDA_OK = 0, CUDA_NOT_READY = 600 };

/* Functions of the CUDA driver (libcuda). A handle (CUevent, CUstream) is a pointer, and a result is an int. */
struct driver {
    void *library;
    int (*create)(void **event, unsigned flags);
    int (*destroy)(void *event);
    int (*record)(void *event, void *stream);
    int (*query)(void *event);
    int (*synchronize)(void *event);
    int (*elapsed)(float *milliseconds, void *start, void *end);
};

struct tracepress_event {
    tracepress_name name;
    enum tracepress_device device;
    uint64_t number;
    /* time at which the event was recorded, on the CPU also for CUDA events, ns; 0: not recorded */
    _Atomic int64_t time_ns;
    struct driver driver;
    void *cuda;
};

static _Atomic uint64_t events;

/* ---- the driver ---- */

static const struct {
    const char *name;
    size_t offset;
} functions[] = {{"cuEventCreate", offsetof(struct driver, create)},
                 {"cuEventDestroy_v2", offsetof(struct driver, destroy)},
                 {"cuEventRecord", offsetof(struct driver, record)},
                 {"cuEventQuery", offsetof(struct driver, query)},
                 {"cuEventSynchronize", offsetof(struct driver, synchronize)},
                 {"cuEventElapsedTime", offsetof(struct driver, elapsed)}};

static void release_driver(struct driver *driver)
{
    if (driver->library)
        dlclose(driver->library);
    memset(driver, 0, sizeof *driver);
}

/* Finds the functions of a driver that is already loaded in the process. */
static bool find_driver(struct driver *driver)
{
    if (driver->library)
        return true;
    driver->library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    for (size_t i = 0; driver->library && i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(driver->library, functions[i].name);
        memcpy((char *)driver + functions[i].offset, &found, sizeof found);
        if (!found)
            release_driver(driver);
    }
    return driver->library != NULL;
}

static int record_cuda_event(struct tracepress_event *event, void *stream)
{
    if (!find_driver(&event->driver)) {
        tp_session_print_message(TP_SEVERITY_DETAIL, "CUDA events are not timed",
                                 "the program has no CUDA driver loaded");
        return -1;
    }
    /* the driver may refuse to create an event, for example because no context is current */
    if (!event->cuda && event->driver.create(&event->cuda, 0) != CUDA_OK) {
        event->cuda = NULL;
        return -1;
    }
    return event->driver.record(event->cuda, stream) == CUDA_OK ? 0 : -1;
}

/* ---- the interface ---- */

struct tracepress_event *tracepress_event_create(tracepress_name name, enum tracepress_device device)
{
    struct tracepress_event *event = calloc(1, sizeof *event);
    if (!event)
        return NULL;
    event->name = name;
    event->device = device;
    event->number = atomic_fetch_add(&events, 1) + 1;
    return event;
}

void tracepress_event_destroy(struct tracepress_event *event)
{
    if (!event)
        return;
    if (event->cuda)
        event->driver.destroy(event->cuda);
    release_driver(&event->driver);
    free(event);
}

static void put_event_record(const struct tracepress_event *event, void *stream)
{
    const struct tp_spool_event payload = {
        .number = event->number, .stream = (uint64_t)(uintptr_t)stream, .device_type = (int32_t)event->device};
    struct tp_spool_record *record = tp_record_reserve_slots(sizeof payload / TP_SPOOL_SLOT);
    if (!record)
        return;
    memcpy(record + 1, &payload, sizeof payload);
    tp_record_finish(record, event->name, TP_SPOOL_EVENT, sizeof payload / TP_SPOOL_SLOT, 0);
}

int tracepress_event_record(struct tracepress_event *event, void *stream)
{
    struct timespec now;
    if (!event)
        return -1;
    if (event->device != TRACEPRESS_CPU && record_cuda_event(event, stream) != 0)
        return -1;
    clock_gettime(CLOCK_MONOTONIC, &now);
    atomic_store(&event->time_ns, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    put_event_record(event, event->device == TRACEPRESS_CPU ? NULL : stream);
    return 0;
}

static bool was_event_recorded(const struct tracepress_event *event)
{
    return event && atomic_load(&event->time_ns) != 0;
}

int tracepress_event_query(const struct tracepress_event *event)
{
    if (!was_event_recorded(event))
        return -1;
    int code = event->device == TRACEPRESS_CPU ? CUDA_OK : event->driver.query(event->cuda);
    return code == CUDA_OK ? 1 : code == CUDA_NOT_READY ? 0 : -1;
}

int tracepress_event_synchronize(const struct tracepress_event *event)
{
    if (!was_event_recorded(event))
        return -1;
    return event->device == TRACEPRESS_CPU || event->driver.synchronize(event->cuda) == CUDA_OK ? 0 : -1;
}

int64_t tracepress_event_elapsed_ns(const struct tracepress_event *start, const struct tracepress_event *end)
{
    float milliseconds;
    if (!was_event_recorded(start) || !was_event_recorded(end) || start->device != end->device)
        return INT64_MIN;
    if (start->device == TRACEPRESS_CPU)
        return atomic_load(&end->time_ns) - atomic_load(&start->time_ns);
    if (start->driver.elapsed(&milliseconds, start->cuda, end->cuda) != CUDA_OK || !isfinite(milliseconds))
        return INT64_MIN;
    return (int64_t)llround((double)milliseconds * 1e6);
}

double tracepress_event_elapsed(const struct tracepress_event *start, const struct tracepress_event *end)
{
    int64_t ns = tracepress_event_elapsed_ns(start, end);
    return ns == INT64_MIN ? NAN : (double)ns / 1e6;
}
