/* Frame names and project lines: see host_frames.h. */
#include "webreport/model/host_frames.h"

#define NOT_YET (TP_NO_ID - 1)

static const char *const kind_texts[TP_FRAME_KIND_COUNT] = {
    [TP_FRAME_OPERATOR] = "cpu_op",
    [TP_FRAME_NONE] = "none",
    [TP_FRAME_PYTHON] = "python_function",
    [TP_FRAME_RUNTIME] = "runtime",
    [TP_FRAME_ANNOTATION] = "user_annotation",
};

const char *tp_frame_kind_text(enum tp_frame_kind kind)
{
    return kind_texts[kind];
}

enum tp_frame_kind tp_frame_kind_of(enum tp_kind role)
{
    switch (role) {
    case TP_KIND_OPERATOR:
        return TP_FRAME_OPERATOR;
    case TP_KIND_RUNTIME:
        return TP_FRAME_RUNTIME;
    case TP_KIND_ANNOTATION:
        return TP_FRAME_ANNOTATION;
    case TP_KIND_FRAME:
        return TP_FRAME_PYTHON;
    default:
        return TP_FRAME_NONE;
    }
}

void tp_host_frames_init(struct tp_host_frames *frames, const struct tp_trace *trace, struct tp_arena *arena)
{
    frames->trace = trace;
    tp_strings_init(&frames->frames, arena, 0);
    tp_strings_init(&frames->lines, arena, 0);
    frames->frame_of_name = tp_arena_array(arena, trace->names.count, sizeof *frames->frame_of_name);
    frames->line_of_name = tp_arena_array(arena, trace->names.count, sizeof *frames->line_of_name);
    for (uint32_t i = 0; i < trace->names.count; i++)
        frames->frame_of_name[i] = frames->line_of_name[i] = NOT_YET;
    frames->no_event = tp_strings_add(&frames->frames, TP_STR("[no host event]"));
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Replaces 0x[0-9a-fA-F]+ by 0x*; the result is never longer. */
static struct tp_str without_addresses(struct tp_str name, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < name.len;) {
        if (name.ptr[i] == '0' && i + 2 < name.len && name.ptr[i + 1] == 'x' && is_hex(name.ptr[i + 2])) {
            memcpy(out + n, "0x*", 3);
            n += 3;
            for (i += 2; i < name.len && is_hex(name.ptr[i]);)
                i++;
        } else {
            out[n++] = name.ptr[i++];
        }
    }
    return (struct tp_str){out, n};
}

uint32_t tp_host_frames_frame(struct tp_host_frames *frames, uint32_t name)
{
    uint32_t *id = &frames->frame_of_name[name];
    if (*id != NOT_YET)
        return *id;
    struct tp_str text = frames->trace->names.items[name];
    if (tp_str_starts(text, "ProfilerStep#"))
        text = TP_STR("ProfilerStep*");
    else if (tp_str_find(text, "0x") >= 0)
        text = without_addresses(text, tp_arena_array(frames->frames.arena, text.len + 1, 1));
    return *id = tp_strings_add(&frames->frames, text);
}

/* Length of `(-?digits): ` at `at`, 0 when it does not stand there. */
static size_t line_number_at(struct tp_str name, size_t at)
{
    size_t i = at;
    if (i >= name.len || name.ptr[i] != '(')
        return 0;
    if (++i < name.len && name.ptr[i] == '-')
        i++;
    size_t first = i;
    while (i < name.len && is_digit(name.ptr[i]))
        i++;
    if (i == first || i + 3 > name.len || memcmp(name.ptr + i, "): ", 3) != 0)
        return 0;
    return i + 3 - at;
}

/* (.+\.pyx?)\((-?\d+)\): (.*) - the longest path wins. Returns the path's length, 0 when the name is no frame. */
static size_t path_length(struct tp_str name)
{
    for (size_t i = name.len; i-- > 1;) {
        if (name.ptr[i] != '.' || i + 3 > name.len || memcmp(name.ptr + i, ".py", 3) != 0)
            continue;
        size_t end = i + 3;
        if (end < name.len && name.ptr[end] == 'x' && line_number_at(name, end + 1))
            return end + 1;
        if (line_number_at(name, end))
            return end;
    }
    return 0;
}

static ptrdiff_t find_last(struct tp_str text, const char *needle)
{
    size_t n = strlen(needle);
    for (size_t i = text.len + 1; i-- > 0;)
        if (i + n <= text.len && memcmp(text.ptr + i, needle, n) == 0)
            return (ptrdiff_t)i;
    return -1;
}

/* Length of lib/pythonX.Y/ at `at`, 0 when it does not stand there. */
static size_t python_folder_at(struct tp_str path, size_t at)
{
    static const char lead[] = "lib/python";
    size_t i = at + sizeof lead - 1;
    if (i > path.len || memcmp(path.ptr + at, lead, sizeof lead - 1) != 0)
        return 0;
    size_t digits = i;
    while (i < path.len && is_digit(path.ptr[i]))
        i++;
    if (i == digits)
        return 0;
    if (i + 1 < path.len && path.ptr[i] == '.' && is_digit(path.ptr[i + 1]))
        for (i++; i < path.len && is_digit(path.ptr[i]);)
            i++;
    return i < path.len && path.ptr[i] == '/' ? i + 1 - at : 0;
}

static struct tp_str from(struct tp_str text, size_t at)
{
    return (struct tp_str){text.ptr + at, text.len - at};
}

/* Path behind the folder of installed packages or of the standard library; otherwise as it is. */
static struct tp_str short_path(struct tp_str path)
{
    static const char *const marks[] = {"/site-packages/", "/dist-packages/"};
    for (unsigned i = 0; i < 2; i++) {
        ptrdiff_t at = find_last(path, marks[i]);
        if (at >= 0)
            return from(path, (size_t)at + strlen(marks[i]));
    }
    for (size_t i = 0; i < path.len; i++) {
        if (i && path.ptr[i - 1] != '/')
            continue;
        size_t folder = python_folder_at(path, i);
        if (folder)
            return from(path, i + folder);
    }
    return path;
}

static bool is_library(struct tp_str path)
{
    static const char *const roots[] = {
        "torch/",       "threading.py", "contextlib.py", "functools.py",        "multiprocessing/", "queue.py",
        "selectors.py", "runpy.py",     "asyncio/",      "concurrent/futures/", "importlib/",       "<"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (tp_str_starts(path, roots[i]))
            return true;
    return false;
}

uint32_t tp_host_frames_line(struct tp_host_frames *frames, uint32_t name)
{
    uint32_t *id = &frames->line_of_name[name];
    if (*id != NOT_YET)
        return *id;
    struct tp_str text = frames->trace->names.items[name];
    size_t length = tp_str_starts(text, "<") ? 0 : path_length(text);
    if (!length)
        return *id = TP_NO_ID;
    struct tp_str path = short_path((struct tp_str){text.ptr, length});
    if (is_library(path))
        return *id = TP_NO_ID;
    return *id = tp_strings_add(&frames->lines, from(text, (size_t)(path.ptr - text.ptr)));
}
