/* Recognizes texts that are not JSON: see signs.h. */
#include "webreport/trace/inputs/signs.h"

#include <ctype.h>
#include <string.h>

#include "writer/base/str.h"

/* Returns the text without the white space at its start; empty for JSON. */
static struct tp_str text_without_leading_space(const struct tp_input_head *head)
{
    return (struct tp_str){head->text + head->at, head->is_json ? 0 : head->size - head->at};
}

static struct tp_str first_line(struct tp_str text)
{
    const char *end = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
    return (struct tp_str){text.ptr, end ? (size_t)(end - text.ptr) : text.len};
}

/* Returns the first 4 KiB of a text. */
static struct tp_str text_start(struct tp_str text)
{
    return (struct tp_str){text.ptr, text.len < 4096 ? text.len : 4096};
}

/* Returns the length of the part ".fraction:" in a time "seconds.fraction:"; 0 if the text is not a time. dot:
 * position of the point. */
static size_t fraction_length(struct tp_str line, size_t dot)
{
    size_t digits = 0;
    while (dot + 1 + digits < line.len && isdigit((unsigned char)line.ptr[dot + 1 + digits]))
        digits++;
    bool is_time = (digits == 6 || digits == 9) && dot + 1 + digits < line.len && line.ptr[dot + 1 + digits] == ':';
    return is_time && dot > 0 && isdigit((unsigned char)line.ptr[dot - 1]) ? digits + 2 : 0;
}

/* Returns true if a line is a sample in the text of `perf script`: "name pid [cpu] seconds.fraction: period event:".
 * Without call chains, the place of the sample may follow. */
static bool is_perf_sample(struct tp_str line)
{
    for (size_t i = 1; i < line.len && line.ptr[i] != '{'; i++) {
        size_t length = line.ptr[i] == '.' ? fraction_length(line, i) : 0;
        if (length)
            return memchr(line.ptr + i + length, ':', line.len - i - length) != NULL;
    }
    return false;
}

/* Returns true if a line ends with a space and a count, as every line of folded stacks does. */
static bool ends_with_count(struct tp_str line)
{
    size_t digits = 0;
    while (digits < line.len && isdigit((unsigned char)line.ptr[line.len - 1 - digits]))
        digits++;
    return digits && digits + 1 < line.len && line.ptr[line.len - 1 - digits] == ' ';
}

/* Returns true if the first lines are folded stacks: each line ends with a count, and at least one has frames joined
 * by ";". */
static bool are_lines_folded_stacks(const char *text, size_t size)
{
    enum { LINES = 16 };
    bool has_frames = false;
    for (int lines = 0; lines < LINES && size; lines++) {
        const char *end = memchr(text, '\n', size);
        struct tp_str line = {text, end ? (size_t)(end - text) : size};
        if (!end && lines)
            break; /* ignores the last line, because it may be incomplete */
        if (!ends_with_count(line))
            return false;
        has_frames = has_frames || tp_str_find(line, ";") > 0;
        size -= end ? line.len + 1 : size;
        text = end ? end + 1 : text;
    }
    return has_frames;
}

/* Returns true if a line is from a log of TORCH_TRACE: "V0801 12:00:00.123456 1 torch/..py:1] {..". */
static bool is_torch_log(struct tp_str line)
{
    return line.len > 20 && strchr("VIWE", line.ptr[0]) && isdigit((unsigned char)line.ptr[1]) &&
           isdigit((unsigned char)line.ptr[4]) && line.ptr[5] == ' ' && memmem(line.ptr, line.len, "] {", 3);
}

bool tp_sign_is_perf_script(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    struct tp_str text = text_without_leading_space(head);
    (void)sign;
    return text.len && (tp_str_find(text_start(text), "# captured on") >= 0 || is_perf_sample(first_line(text)));
}

bool tp_sign_is_torch_log(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    (void)sign;
    return is_torch_log(first_line(text_without_leading_space(head)));
}

bool tp_sign_is_folded(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    struct tp_str text = text_without_leading_space(head);
    (void)sign;
    return are_lines_folded_stacks(text.ptr, text.len);
}

bool tp_sign_is_markup(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    (void)sign;
    return tp_str_starts(text_without_leading_space(head), "<");
}

bool tp_sign_is_svg(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    return tp_sign_is_markup(head, sign) &&
           tp_str_find_ignore_case(text_start(text_without_leading_space(head)), "<svg") >= 0;
}

bool tp_sign_is_html(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    struct tp_str text = text_start(text_without_leading_space(head));
    return tp_sign_is_markup(head, sign) &&
           (tp_str_find_ignore_case(text, "<html") >= 0 || tp_str_find_ignore_case(text, "<!doctype html") >= 0);
}
