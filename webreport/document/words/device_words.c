/* Writes why the work of a device was not recorded. See device_words.h. The evidence comes from
 * measure/verdict/device_missing.h. */
#include "webreport/document/words/device_words.h"

#include "webreport/measure/audience/wording.h"
#include "webreport/measure/verdict/device_missing.h"
#include "writer/text/format.h"

/* Returns the device of a memory record as torch names it, such as "cuda:0". Torch uses the name "cuda" for HIP,
 * too. */
static const char *place_text(const struct tp_memory_place *place, struct tp_arena *arena)
{
    if (!place)
        return "a device";
    return tp_text_printf(arena, "%s:%lld", place->type == TP_DEVICE_XPU ? "xpu" : "cuda", (long long)place->id);
}

struct tp_str tp_device_missing_headline(const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_device_missing missing = tp_device_missing_find(model, arena);
    const struct tp_str gpu = model->trace->gpu_count ? model->trace->gpus[0].name : TP_STR("");
    switch (model->missing) {
    case TP_MISSING_MEMORY:
        return tp_str_of(tp_text_printf(arena, "Tensors are on %s, but the trace contains no device work.",
                                        place_text(missing.place, arena)));
    case TP_MISSING_COLLECTIVES:
        return TP_STR("The program runs collectives on devices, but the trace contains no device work.");
    case TP_MISSING_HEAD:
        return tp_str_of(tp_text_printf(arena,
                                        "The metadata of the trace names a GPU (%.*s), but the trace contains no "
                                        "device work. It is unknown whether the program used the GPU.",
                                        (int)gpu.len, gpu.ptr));
    default:
        if (missing.is_capture)
            return TP_STR("The recording shows the capture of graphs. Work that is launched during a capture does not "
                          "run, so the trace contains no device work.");
        return TP_STR("The trace contains runtime calls for a device, but no device work.");
    }
}

/* Returns the versions of CUPTI and the driver from the metadata of the trace, such as " (cupti_version 22, driver
 * 12060)"; "" if they are unknown. */
static const char *versions_text(const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_str cupti = tp_trace_header(model->trace, "cupti_version");
    struct tp_str driver = tp_trace_header(model->trace, "cuda_driver_version");
    if (!cupti.ptr || !driver.ptr)
        return "";
    return tp_text_printf(arena, " (cupti_version %.*s, cuda_driver_version %.*s)", (int)cupti.len, cupti.ptr,
                          (int)driver.len, driver.ptr);
}

const char *tp_device_missing_advice(const struct tp_model *model, struct tp_arena *arena)
{
    bool was_on = model->missing == TP_MISSING_CALLS;
    if (!tp_uses_torch_words(model->producer))
        return "Record the device with a tool that can record it, or check whether a filter removed the device work.";
    if (was_on && tp_device_missing_find(model, arena).is_capture)
        return "Record the replay of the graphs: capture them before the recording begins, then record some replays.";
    return tp_text_printf(
        arena,
        "%s%s may be missing because the CUPTI version does not match the driver%s. WSL, a missing permission to "
        "profile, or another client of CUPTI (Nsight, DCGM, a second profiler) can also prevent the recording of "
        "kernels. On AMD, the version of roctracer or rocprofiler may not match the driver.",
        was_on                              ? "The trace contains runtime calls, so ProfilerActivity.CUDA was on. "
        : model->missing == TP_MISSING_HEAD ? "If the program used the GPU, record with ProfilerActivity.CUDA. "
                                            : "Record with ProfilerActivity.CUDA. ",
        was_on ? "Kernels" : "If ProfilerActivity.CUDA was on, kernels", versions_text(model, arena));
}
