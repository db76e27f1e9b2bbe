/* Python frames by their text: plumbing, and a short form. */
#include "webreport/views/calltree_labels.h"

/* Frames of the framework and the interpreter that stand between a caller and what it calls; beginnings of paths behind
 * site-packages or the standard library's folder. */
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

static struct tp_str behind(struct tp_str text, const char *folder)
{
    ptrdiff_t at = tp_str_find(text, folder);
    size_t skip = at < 0 ? 0 : (size_t)at + strlen(folder);
    return (struct tp_str){text.ptr + skip, text.len - skip};
}

bool tp_label_is_plumbing(struct tp_str frame)
{
    frame = behind(frame, "site-packages/");
    frame = behind(frame, "dist-packages/");
    for (size_t i = 0; i < sizeof plumbing / sizeof *plumbing; i++)
        if (tp_str_starts(frame, plumbing[i]))
            return true;
    return tp_str_ends(frame, "): <module>");
}

struct tp_str tp_label_of_frame(struct tp_arena *arena, struct tp_str frame)
{
    ptrdiff_t colon = tp_str_find(frame, "): ");
    if (colon < 0)
        return frame;
    size_t close = (size_t)colon, open = close, base;
    while (open > 0 && frame.ptr[open - 1] >= '0' && frame.ptr[open - 1] <= '9')
        open--;
    if (open == 0 || open == close || frame.ptr[open - 1] != '(')
        return frame;
    for (base = open - 1; base > 0 && frame.ptr[base - 1] != '/' && frame.ptr[base - 1] != '\\';)
        base--;
    struct tp_str function = {frame.ptr + close + 3, frame.len - close - 3};
    size_t file = open - 1 - base, line = close - open, size = function.len + 1 + file + 1 + line;
    char *text = tp_arena_alloc(arena, size + 1), *to = text;
    memcpy(to, function.ptr, function.len);
    to += function.len;
    *to++ = ' ';
    memcpy(to, frame.ptr + base, file);
    to += file;
    *to++ = ':';
    memcpy(to, frame.ptr + open, line);
    return (struct tp_str){text, size};
}

struct tp_str tp_label_of_module(struct tp_str name)
{
    if (tp_str_starts(name, "nn.Module: "))
        name = (struct tp_str){name.ptr + 11, name.len - 11};
    size_t size = name.len;
    while (size > 0 && name.ptr[size - 1] >= '0' && name.ptr[size - 1] <= '9')
        size--;
    if (size > 1 && size < name.len && name.ptr[size - 1] == '_')
        name.len = size - 1;
    return name;
}
