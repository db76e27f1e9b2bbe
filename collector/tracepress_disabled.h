/* Replaces the functions of the library by empty functions in programs that are compiled with TRACEPRESS_DISABLED. Such
 * programs do not need the library. tracepress.h includes this file; programs include tracepress.h. */
#ifndef TRACEPRESS_DISABLED_H
#define TRACEPRESS_DISABLED_H

#include "tracepress.h"

#ifdef TRACEPRESS_DISABLED

#ifdef __cplusplus
extern "C" {
#endif

static inline int tracepress_start(const struct tracepress_options *options)
{
    (void)options;
    return -1;
}
static inline void tracepress_step(void)
{
}
static inline void tracepress_stop(void)
{
}
static inline uint64_t tracepress_step_num(void)
{
    return 0;
}
static inline void tracepress_tensorboard_trace_handler(const struct tracepress_trace *trace, void *context)
{
    (void)trace;
    (void)context;
}
static inline void tracepress_summary_handler(const struct tracepress_trace *trace, void *context)
{
    (void)trace;
    (void)context;
}
static inline int tracepress_export_summary(const struct tracepress_trace *trace, const char *path)
{
    (void)trace;
    (void)path;
    return -1;
}
static inline int tracepress_export_chrome_trace(const struct tracepress_trace *trace, const char *path)
{
    (void)trace;
    (void)path;
    return -1;
}
static inline char *tracepress_key_averages(const struct tracepress_trace *trace,
                                            const struct tracepress_table *options)
{
    (void)trace;
    (void)options;
    return NULL;
}
static inline void tracepress_free(void *text)
{
    (void)text;
}
static inline int tracepress_export_stacks(const struct tracepress_trace *trace, const char *path, const char *metric)
{
    (void)trace;
    (void)path;
    (void)metric;
    return -1;
}
static inline void tracepress_metadata(const char *key, const char *value)
{
    (void)key;
    (void)value;
}
static inline void tracepress_metadata_json(const char *key, const char *json)
{
    (void)key;
    (void)json;
}
static inline tracepress_name tracepress_intern(const char *name)
{
    (void)name;
    return 1;
}
static inline tracepress_lane_id tracepress_lane(const char *name, enum tracepress_kind kind)
{
    (void)name;
    (void)kind;
    return 1;
}
static inline int64_t tracepress_now(void)
{
    return 0;
}
static inline uint64_t tracepress_async_id(void)
{
    return 1;
}
static inline struct tracepress_event *tracepress_event_create(tracepress_name name, enum tracepress_device device)
{
    (void)name;
    (void)device;
    return NULL;
}
static inline void tracepress_event_destroy(struct tracepress_event *event)
{
    (void)event;
}
static inline int tracepress_event_record(struct tracepress_event *event, void *stream)
{
    (void)event;
    (void)stream;
    return -1;
}
static inline int tracepress_event_query(const struct tracepress_event *event)
{
    (void)event;
    return -1;
}
static inline int tracepress_event_synchronize(const struct tracepress_event *event)
{
    (void)event;
    return -1;
}
static inline double tracepress_event_elapsed(const struct tracepress_event *start, const struct tracepress_event *end)
{
    (void)start;
    (void)end;
    return __builtin_nan("");
}
static inline int64_t tracepress_event_elapsed_ns(const struct tracepress_event *start,
                                                  const struct tracepress_event *end)
{
    (void)start;
    (void)end;
    return INT64_MIN;
}

#ifdef __cplusplus
}
#endif

#endif

#endif
