/* All views of one profile, built from the model in one call and written as members of a profile's JSON object. */
#ifndef TP_WEBREPORT_MEASURE_RESULT_VIEWS_H
#define TP_WEBREPORT_MEASURE_RESULT_VIEWS_H

#include "webreport/measure/memory/memory_view.h"
#include "webreport/measure/streams/stream_view.h"
#include "webreport/measure/views/capture_view.h"
#include "webreport/measure/views/compiled_view.h"
#include "webreport/measure/views/counter_view.h"
#include "webreport/measure/views/kernel_view.h"
#include "webreport/measure/views/module_view.h"
#include "webreport/measure/views/operator_view.h"
#include "webreport/measure/views/os_call_view.h"
#include "webreport/measure/views/overview.h"
#include "webreport/measure/views/range_times.h"
#include "webreport/measure/views/range_view.h"
#include "webreport/measure/views/sample_view.h"
#include "webreport/measure/views/task_view.h"
#include "webreport/measure/views/trace_facts.h"
#include "webreport/model/facts.h"

struct tp_views {
    struct tp_trace_facts facts;
    struct tp_overview overview;
    struct tp_operator_view operators;
    struct tp_kernel_view kernels;
    struct tp_memory_view memory;
    struct tp_module_view modules;
    struct tp_sample_view samples;
    struct tp_task_view tasks;
    struct tp_range_view ranges;
    struct tp_range_times range_times;
    struct tp_counter_view counters;
    struct tp_stream_view streams;
    struct tp_os_call_view os_calls;
    struct tp_capture_view captures;
    struct tp_compiled_view compiled;
};

/* Builds every view except the memory view in `arena`, whose guard the caller has set. The model must outlive the
 * views. tp_memory_view_build costs as much as all other views together, so callers can run it on another thread in a
 * separate arena. */
void tp_views_build(struct tp_views *views, const struct tp_model *model, struct tp_arena *arena);

/* Builds only the views that summaries need. Leaves out modules, samples, operators by shape and stack, and kernels by
 * configuration. */
void tp_views_build_for_summary(struct tp_views *views, const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_views_fields;

#endif
