/* Emulates a CUDA driver that has only events. Tests load it before the library searches for a driver (soname
 * libcuda.so.1).
 *
 * Each recorded event advances the time on this device by 1.5 ms. An event is ready after a synchronization. No context
 * exists before fake_cuda_context(1), as in a program that has not used its GPU yet. */
#include <stdlib.h>

enum { OK = 0, INVALID_VALUE = 1, INVALID_CONTEXT = 201, NOT_READY = 600 };

struct event {
    double milliseconds;
    void *stream;
    int is_recorded, is_ready;
};

static double clock_milliseconds;
static int has_context, alive;

void fake_cuda_context(int has);
int fake_cuda_event_count(void);
int cuEventCreate(struct event **event, unsigned flags);
int cuEventDestroy_v2(struct event *event);
int cuEventRecord(struct event *event, void *stream);
int cuEventQuery(struct event *event);
int cuEventSynchronize(struct event *event);
int cuEventElapsedTime(float *milliseconds, struct event *start, struct event *end);

void fake_cuda_context(int has)
{
    has_context = has;
}

/* Returns the number of events that were created but not destroyed. */
int fake_cuda_event_count(void)
{
    return alive;
}

int cuEventCreate(struct event **event, unsigned flags)
{
    if (!has_context)
        return INVALID_CONTEXT;
    *event = flags == 0 ? calloc(1, sizeof **event) : NULL;
    alive += *event != NULL;
    return *event ? OK : INVALID_VALUE;
}

int cuEventDestroy_v2(struct event *event)
{
    free(event);
    alive--;
    return OK;
}

int cuEventRecord(struct event *event, void *stream)
{
    clock_milliseconds += 1.5;
    *event = (struct event){clock_milliseconds, stream, 1, 0};
    return OK;
}

int cuEventQuery(struct event *event)
{
    return event->is_ready ? OK : NOT_READY;
}

int cuEventSynchronize(struct event *event)
{
    event->is_ready = event->is_recorded;
    return OK;
}

int cuEventElapsedTime(float *milliseconds, struct event *start, struct event *end)
{
    if (!start->is_recorded || !end->is_recorded)
        return INVALID_VALUE;
    if (!start->is_ready || !end->is_ready)
        return NOT_READY;
    *milliseconds = (float)(end->milliseconds - start->milliseconds);
    return OK;
}
