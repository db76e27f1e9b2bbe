/* Classifies the frames of call stacks: see code_frames.h. */
#include "webreport/measure/snapshot/code_frames.h"

#include <stdio.h>
#include <string.h>

#include "writer/base/limits.h"
#include "writer/base/utf8.h"

static bool contains_one_of(struct tp_str text, const char *const *words)
{
    while (*words && tp_str_find(text, *words) < 0)
        words++;
    return *words != NULL;
}

/* ---- files ---- */

static bool is_python(struct tp_str file)
{
    static const char *const starts[] = {"<stdin>", "<string>", "<ipython-input", "<eval_with_key>", "<frozen", NULL};
    return tp_str_ends(file, ".py") || tp_str_starts_with_one_of(file, starts);
}

static bool is_project(struct tp_str file)
{
    static const char *const libraries[] = {"/site-packages/", "/dist-packages/", "/lib/python3",    "/lib64/python3",
                                            "/torchinductor_", "/importlib/",     "/pytorch/torch/", NULL};
    static const char *const starts[] = {"<frozen", "<eval_with_key>", "torch/", NULL};
    return is_python(file) && !tp_str_starts_with_one_of(file, starts) && !contains_one_of(file, libraries);
}

static bool is_torch(struct tp_str file)
{
    static const char *const parts[] = {"/torch/", "/torchgen/", "/functorch/", "/triton/", NULL};
    return tp_str_starts(file, "torch/") || contains_one_of(file, parts);
}

/* Returns whether a frame belongs to the interpreter or to the code that captures stacks. */
static bool is_ignored(struct tp_str file, struct tp_str name)
{
    static const char *const names[] = {"unwind::unwind",
                                        "CapturedTraceback::gather",
                                        "gather_with_cpp",
                                        "_start",
                                        "__libc_start_main",
                                        "PyEval_",
                                        "PyObject_",
                                        "PyFunction_",
                                        NULL};
    static const char *const files[] = {"core/boxing",
                                        "/Register",
                                        "/Redispatch",
                                        "pythonrun.c",
                                        "Modules/main.c",
                                        "Objects/call.c",
                                        "Objects/methodobject.c",
                                        "pycore_ceval.h",
                                        "ceval.c",
                                        "cpython/abstract.h",
                                        NULL};
    return contains_one_of(name, names) || contains_one_of(file, files);
}

/* ---- purposes of frames ---- */

static bool has_file(struct tp_str file, const char *part)
{
    return tp_str_find(file, part) >= 0;
}

static unsigned library_flags(struct tp_str file, struct tp_str name)
{
    static const char *const recompute[] = {"recompute_fn", "unpack_hook", "backward", "recompute_and_unpack", NULL};
    unsigned flags = 0;
    if (has_file(file, "/torch/distributed/") && !has_file(file, "/algorithms/"))
        flags |= TP_CODE_DISTRIBUTED;
    if (has_file(file, "/torch/optim/") && !has_file(file, "lr_scheduler"))
        flags |= TP_CODE_OPTIMIZER;
    if (has_file(file, "/torch/utils/checkpoint.py") && tp_str_is_one_of(name, recompute))
        flags |= TP_CODE_RECOMPUTE;
    if (has_file(file, "/torch/utils/data/"))
        flags |= TP_CODE_DATA;
    if (has_file(file, "/torch/nn/init.py") || has_file(file, "/safetensors/"))
        flags |= TP_CODE_INIT;
    return flags;
}

static unsigned function_flags(struct tp_str file, struct tp_str name)
{
    static const char *const weights[] = {"_apply",
                                          "convert",
                                          "to",
                                          "cuda",
                                          "half",
                                          "bfloat16",
                                          "float",
                                          "__init__",
                                          "reset_parameters",
                                          "load_state_dict",
                                          "_load_from_state_dict",
                                          "load_weights",
                                          "from_pretrained",
                                          "load_checkpoint",
                                          "to_empty",
                                          NULL};
    static const char *const loss[] = {"cross_entropy", "log_softmax", "nll_loss",     "lm_head",
                                       "logits",        "loss_fn",     "compute_loss", NULL};
    bool is_backward = tp_str_equal(name, tp_str_of("backward"));
    unsigned flags = 0;
    if (tp_str_equal(name, tp_str_of("forward")))
        flags |= TP_CODE_FORWARD;
    if (is_backward || (has_file(file, "/torch/autograd/") && tp_str_equal(name, tp_str_of("_engine_run_backward"))))
        flags |= TP_CODE_BACKWARD;
    if (tp_str_is_one_of(name, weights) && (has_file(file, "/torch/nn/") || is_project(file)))
        flags |= TP_CODE_WEIGHTS;
    if (contains_one_of(name, loss))
        flags |= TP_CODE_LOSS;
    return flags;
}

static unsigned python_flags(struct tp_str file, struct tp_str name)
{
    unsigned flags = TP_CODE_PYTHON | library_flags(file, name) | function_flags(file, name);
    if (is_project(file))
        flags |= TP_CODE_PROJECT;
    if (is_torch(file))
        flags |= TP_CODE_TORCH;
    else if (has_file(file, "/site-packages/"))
        flags |= TP_CODE_PACKAGE;
    return flags;
}

static unsigned cpp_flags(struct tp_str name)
{
    unsigned flags = 0;
    if (has_file(name, "c10d::") || has_file(name, "ProcessGroup"))
        flags |= TP_CODE_COLLECTIVE;
    if (has_file(name, "autograd::Engine::") || (has_file(name, "autograd::generated::") && has_file(name, "Backward")))
        flags |= TP_CODE_ENGINE;
    return flags;
}

/* ---- frames ---- */

/* Returns the id of a name, which is cut if it is very long. */
static uint32_t add_cut(struct tp_code_frames *frames, struct tp_str name)
{
    if (name.len > TP_MAX_SNAPSHOT_FRAME_BYTES)
        name.len = tp_utf8_fitting_bytes(name.ptr, name.len, TP_MAX_SNAPSHOT_FRAME_BYTES);
    return tp_strings_add(&frames->names, name);
}

/* Returns the id of "file(line): function" with the last part of the path. */
static uint32_t add_shown(struct tp_code_frames *frames, struct tp_str file, int64_t line, struct tp_str function)
{
    struct tp_vec text = TP_VEC(frames->names.arena, char);
    char number[32];
    size_t from = file.len;
    while (from > 0 && file.ptr[from - 1] != '/')
        from--;
    if (file.len && *file.ptr == '<')
        from = 0;
    snprintf(number, sizeof number, "(%lld): ", (long long)line);
    tp_vec_add_text(&text, (struct tp_str){file.ptr + from, file.len - from});
    tp_vec_add_text(&text, tp_str_of(number));
    tp_vec_add_text(&text, function);
    return add_cut(frames, (struct tp_str){text.data, text.count});
}

static struct tp_str text_of(const struct tp_code_frames *frames, uint32_t id)
{
    return tp_strings_get(&frames->snapshot->texts, id);
}

/* Parses the line 'File "x", line n, in f' of a Python stack. Returns false for other lines. */
static bool parse_stack_line(struct tp_str line, struct tp_str *file, int64_t *number, struct tp_str *function)
{
    static const char begin[] = "File \"", middle[] = "\", line ", in[] = ", in ";
    enum { DIGITS = 9 };
    line = tp_str_trim(line);
    if (!tp_str_starts(line, begin))
        return false;
    struct tp_str rest = {line.ptr + sizeof begin - 1, line.len - (sizeof begin - 1)};
    ptrdiff_t at = tp_str_find(rest, middle);
    if (at < 0)
        return false;
    *file = (struct tp_str){rest.ptr, (size_t)at};
    rest = (struct tp_str){rest.ptr + at + sizeof middle - 1, rest.len - (size_t)at - (sizeof middle - 1)};
    size_t digits = 0;
    for (*number = 0; digits < rest.len && digits < DIGITS && tp_is_digit(rest.ptr[digits]); digits++)
        *number = *number * 10 + (rest.ptr[digits] - '0');
    struct tp_str after = {rest.ptr + digits, rest.len - digits};
    bool has_function = tp_str_starts(after, in);
    if (!digits || (after.len && !has_function))
        return false;
    *function = has_function && after.len > sizeof in - 1
                    ? tp_str_trim((struct tp_str){after.ptr + sizeof in - 1, after.len - (sizeof in - 1)})
                    : tp_str_of("?");
    return true;
}

/* Adds the innermost frame of the code that torch.fx traced. Returns its number; TP_NO_ID if none is readable. */
static uint32_t add_original(struct tp_code_frames *frames, struct tp_str trace)
{
    struct tp_str file = {"", 0}, function = {"", 0}, found_file, found_function;
    int64_t line = -1, found_line;
    for (size_t from = 0; from < trace.len;) {
        const char *end = memchr(trace.ptr + from, '\n', trace.len - from);
        size_t to = end ? (size_t)(end - trace.ptr) : trace.len;
        if (parse_stack_line((struct tp_str){trace.ptr + from, to - from}, &found_file, &found_line, &found_function)) {
            file = found_file;
            line = found_line;
            function = found_function;
        }
        from = to + 1;
    }
    if (line < 0)
        return TP_NO_ID;
    uint32_t shown = add_shown(frames, file, line, function);
    *(struct tp_code_frame *)tp_vec_push(&frames->frames) =
        (struct tp_code_frame){.flags = TP_CODE_PYTHON | python_flags(file, function),
                               .shown = shown,
                               .file = file,
                               .function = function,
                               .node = frames->no_name,
                               .original = TP_NO_ID};
    return (uint32_t)frames->frames.count - 1;
}

static void classify(struct tp_code_frames *frames, uint32_t number)
{
    struct tp_snapshot_frame f;
    memcpy(&f, tp_keys_get(&frames->snapshot->stacks.frames, number), sizeof f);
    struct tp_str file = text_of(frames, f.file), name = text_of(frames, f.name);
    struct tp_code_frame frame = {.file = file, .function = name, .node = frames->no_name, .original = TP_NO_ID};
    if (is_python(file)) {
        frame.flags = python_flags(file, name);
        frame.shown = add_shown(frames, file, f.line, name);
        if (f.fx_trace != frames->snapshot->no_text) {
            frame.original = add_original(frames, text_of(frames, f.fx_trace));
            frame.node = add_cut(frames, text_of(frames, f.fx_node));
        }
    } else {
        frame.flags = cpp_flags(name);
        frame.shown = add_cut(frames, name);
    }
    if (is_ignored(file, name))
        frame.flags |= TP_CODE_IGNORED;
    if (tp_str_equal(name, tp_str_of("empty_cache")))
        frame.flags |= TP_CODE_EMPTY_CACHE;
    *TP_AT(&frames->frames, struct tp_code_frame, number) = frame;
}

void tp_code_frames_build(struct tp_code_frames *frames, const struct tp_snapshot *snapshot, struct tp_arena *arena)
{
    uint32_t count = tp_keys_count(&snapshot->stacks.frames);
    *frames = (struct tp_code_frames){.snapshot = snapshot, .frames = TP_VEC(arena, struct tp_code_frame)};
    tp_strings_init(&frames->names, arena, 0);
    frames->no_name = tp_strings_add(&frames->names, (struct tp_str){"", 0});
    for (uint32_t i = 0; i < count; i++)
        tp_vec_push(&frames->frames);
    for (uint32_t i = 0; i < count; i++)
        classify(frames, i);
}
