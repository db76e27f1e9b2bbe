/* Reads the facts that a program recorded about itself. See program_facts.h. */
#include "webreport/measure/program/program_facts.h"

#include "webreport/trace/json/value.h"
#include "writer/base/utf8.h"

enum { MOST_BYTES = 256 };

/* Members that profilers themselves write into the metadata of a trace. */
static const char *const technical[] = {
    "traceEvents",
    "schemaVersion",
    "displayTimeUnit",
    "baseTimeNanoseconds",
    "deviceProperties",
    "distributedInfo",
    "traceName",
    "trace_id",
    "group_trace_id",
    "host_name",
    "username",
    "record_shapes",
    "profile_memory",
    "with_stack",
    "with_flops",
    "with_modules",
    "cupti_version",
    "cuda_runtime_version",
    "cuda_driver_version",
    "hip_runtime_version",
    "hip_driver_version",
    "roctracer_version",
    "PT_PROFILER_JOB_NAME",
    "PT_PROFILER_JOB_VERSION",
    "INFO",
    "WARNING",
    "ERROR",
    "metadata",
    "otherData",
    "recorder",
    "host_memory",
    "lock_waits",
    "blocking_io",
    "functions_left_out",
};

bool tp_is_program_fact(struct tp_str key)
{
    if (!key.len || tp_str_starts(key, "tracepress_"))
        return false;
    for (size_t i = 0; i < sizeof technical / sizeof *technical; i++)
        if (tp_str_equal(key, tp_str_of(technical[i])))
            return false;
    return true;
}

struct tp_str tp_program_fact_text(struct tp_arena *arena, struct tp_str json)
{
    struct tp_str text = tp_value_starts_with(json, '"') ? tp_value_text(arena, json) : json;
    return (struct tp_str){text.ptr, tp_utf8_fitting_bytes(text.ptr, text.len, MOST_BYTES)};
}
