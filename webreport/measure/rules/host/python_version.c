/* Implements python_version.h: finds the version of Python from the trace's member "python_version", from paths of
 * frames, or from the lines of known functions. */
#include "webreport/measure/rules/host/python_version.h"

#include "webreport/measure/rules/fitted_costs.h"

/* Returns the number at the start of a text if the character `end` follows it; 0 if there is no such number. */
static int parse_number_before(struct tp_str text, char end)
{
    int number = 0;
    size_t i = 0;
    for (; i < text.len && i < 3 && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++)
        number = 10 * number + (text.ptr[i] - '0');
    return i && i < text.len && text.ptr[i] == end ? number : 0;
}

/* Returns the part of a text after the first occurrence of `words`. Returns an empty text if `words` does not occur. */
static struct tp_str text_after(struct tp_str text, const char *words)
{
    ptrdiff_t at = tp_str_find(text, words);
    size_t skip = strlen(words);
    return at < 0 ? TP_STR("") : (struct tp_str){text.ptr + at + skip, text.len - (size_t)at - skip};
}

int tp_python_version_in_trace(const struct tp_trace *trace)
{
    struct tp_str version = tp_trace_header(trace, "python_version");
    return version.len > 3 && memcmp(version.ptr, "\"3.", 3) == 0 ? parse_number_before(text_after(version, "3."), '.')
                                                                  : 0;
}

int tp_python_version_of_path(struct tp_str path)
{
    return parse_number_before(text_after(path, "python3."), '/');
}

bool tp_python_version_has_frame_line(const struct tp_frame *frame)
{
#define LINE(path, function, first, last) {path, function, first, last},
    static const struct {
        const char *path, *function;
        int32_t first, last;
    } lines[] = {TP_FITTED_PYTHON_LINES(LINE)};
#undef LINE
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct tp_str name = tp_str_of(lines[i].path), path = frame->path;
        bool is_file =
            tp_str_ends(path, lines[i].path) && (path.len == name.len || path.ptr[path.len - name.len - 1] == '/');
        if (is_file && frame->line >= lines[i].first && frame->line <= lines[i].last &&
            tp_str_equal(frame->function, tp_str_of(lines[i].function)))
            return true;
    }
    return false;
}
