/* Recognizes uninformative Python frames, and shortens the labels of frames and modules. */
#include "webreport/measure/charts/calltree_labels.h"

#include <stdio.h>

#include "webreport/trace/frame.h"

/* paths of framework and interpreter files that only forward calls. Each text is the beginning of a path below
 * site-packages or the folder of the standard library */
static const char *const plumbing[] = {
    "torch/nn/modules/module.py(",
    "torch/nn/modules/container.py(",
    "torch/nn/functional.py(",
    "torch/_ops.py(",
    "torch/overrides.py(",
    "torch/_tensor.py(",
    "torch/_jit_internal.py(",
    "torch/autograd/",
    "torch/utils/_",
    "torch/_dynamo/",
    "torch/_C/",
    "torch/functional.py(",
    "torch/profiler/",
    "torch/cuda/nvtx.py(",
    "contextlib.py(",
    "threading.py(",
    "runpy.py(",
    "multiprocessing/",
    "concurrent/",
    "asyncio/",
    "functools.py(",
    "<built-in ",
    "<frozen ",
    "<string>(",
    "<__array_function__",
};

bool tp_label_is_runtime_frame(struct tp_str text)
{
    struct tp_str rest = tp_frame_short_name(text);
    for (size_t i = 0; i < sizeof plumbing / sizeof *plumbing; i++)
        if (tp_str_starts(rest, plumbing[i]))
            return true;
    return tp_str_equal(tp_frame_function_name(text), TP_STR("<module>"));
}

struct tp_str tp_label_shorten_frame(struct tp_arena *arena, struct tp_str text)
{
    struct tp_frame frame;
    if (!tp_frame_parse(&frame, text))
        return text;
    size_t base = frame.path.len;
    while (base > 0 && frame.path.ptr[base - 1] != '/' && frame.path.ptr[base - 1] != '\\')
        base--;
    char line[16];
    int digits = snprintf(line, sizeof line, ":%d", (int)frame.line);
    size_t file = frame.path.len - base, size = frame.function.len + 1 + file + (size_t)digits;
    char *label = tp_arena_alloc(arena, size + 1), *to = label;
    memcpy(to, frame.function.ptr, frame.function.len);
    to += frame.function.len;
    *to++ = ' ';
    memcpy(to, frame.path.ptr + base, file);
    memcpy(to + file, line, (size_t)digits);
    return (struct tp_str){label, size};
}

struct tp_str tp_label_shorten_module(struct tp_str name)
{
    name = tp_frame_module_name(name);
    size_t size = name.len;
    while (size > 0 && name.ptr[size - 1] >= '0' && name.ptr[size - 1] <= '9')
        size--;
    if (size > 1 && size < name.len && name.ptr[size - 1] == '_')
        name.len = size - 1;
    return name;
}
