/* Finds the kind of program that wrote a trace. See program_use.h. */
#include "webreport/measure/program/program_use.h"

static const struct {
    const char *text, *title;
} words[TP_USE_KINDS] = {
    [TP_USE_SERVING] = {"serving", "serving engine"},
    [TP_USE_DIFFUSION] = {"diffusion", "image diffusion"},
    [TP_USE_BENCHMARK] = {"benchmark", "benchmark"},
    [TP_USE_TRAINING] = {"training", "training"},
    [TP_USE_INFERENCE] = {"inference", "inference"},
    [TP_USE_MPI] = {"mpi", "MPI program"},
    [TP_USE_NATIVE] = {"native", "C or C++ program"},
    [TP_USE_CPU] = {"cpu", "CPU program"},
    [TP_USE_DEVICE_ONLY] = {"device_only", "device work only"},
    [TP_USE_UNKNOWN] = {"unknown", "unknown kind of program"},
};

const char *tp_program_use_text(enum tp_program_use_kind kind)
{
    return words[kind].text;
}

const char *tp_program_use_title(enum tp_program_use_kind kind)
{
    return words[kind].title;
}

/* Returns the kind of program that an event name proves, or TP_USE_UNKNOWN. */
static enum tp_program_use_kind kind_of_use_by_name(struct tp_str name, uint64_t marks)
{
    if (tp_str_starts(name, "vllm::") || tp_str_starts(name, "sgl_kernel::"))
        return TP_USE_SERVING;
    if (tp_str_starts(name, "diffusers/") || tp_str_find(name, "/diffusers/") >= 0)
        return TP_USE_DIFFUSION;
    if (tp_str_starts(name, "[param|"))
        return TP_USE_BENCHMARK;
    return marks & (TP_MARK_BACKWARD_NODE | TP_MARK_OPTIMIZER_STEP) ? TP_USE_TRAINING : TP_USE_UNKNOWN;
}

/* Sets *kind to a serving engine if the trace has steps of a serving engine. The name of the first step is the
 * evidence. Returns false without such steps. */
static bool recognize_serving_engine(struct tp_program_use *kind, const struct tp_serving_view *serving)
{
    if (!serving->is_present || !serving->steps.row_count)
        return false;
    struct tp_str phase = tp_table_text(&serving->steps, TP_SERVED_PHASE)[0];
    bool is_diffusion = tp_str_equal(phase, tp_str_of(tp_serving_phase_text(TP_SERVING_DIFFUSION)));
    *kind = (struct tp_program_use){is_diffusion ? TP_USE_DIFFUSION : TP_USE_SERVING,
                                    tp_table_text(&serving->steps, TP_SERVED_NAME)[0]};
    return true;
}

/* Returns the kind of program from the recorded work and the recorder; used if no name shows the kind. */
static enum tp_program_use_kind kind_of_use_without_names(const struct tp_model *model)
{
    bool has_operators = model->operators.count > 0;
    bool has_device = model->program != TP_RECORDED_CPU && model->program != TP_RECORDED_EMPTY;
    if (model->producer == TP_PRODUCER_MPI)
        return TP_USE_MPI;
    if (model->producer == TP_PRODUCER_TRACEPRESS)
        return TP_USE_NATIVE;
    if (has_device)
        return has_operators && model->producer == TP_PRODUCER_TORCH ? TP_USE_INFERENCE : TP_USE_DEVICE_ONLY;
    return has_operators ? TP_USE_CPU : TP_USE_UNKNOWN;
}

struct tp_program_use tp_program_use_find(const struct tp_model *model, const struct tp_serving_view *serving)
{
    const struct tp_trace *trace = model->trace;
    struct tp_program_use kind = {TP_USE_UNKNOWN, {NULL, 0}};
    if (recognize_serving_engine(&kind, serving))
        return kind;
    for (uint32_t i = 0; i < trace->names.count; i++) {
        enum tp_program_use_kind of = kind_of_use_by_name(trace->names.items[i], model->marks[i]);
        if (of < kind.of)
            kind = (struct tp_program_use){of, trace->names.items[i]};
    }
    if (kind.of == TP_USE_UNKNOWN)
        kind.of = kind_of_use_without_names(model);
    return kind;
}

static const struct tp_json_field fields[] = {
    {"kind", TP_WORD(struct tp_program_use, of, tp_program_use_text),
     TP_DEFINITION("activity of the program, such as training or inference")},
    {"evidence", TP_PLAIN(struct tp_program_use, evidence),
     TP_DEFINITION("name in the trace that shows the activity; null if the activity is concluded from missing names")},
};
const struct tp_fields tp_program_use_fields = TP_FIELDS("Use of the program", fields);
