/* Implements argument_words.h: formats the arguments of sentences and titles by their type and form. */
#include "webreport/document/words/argument_words.h"

#include <string.h>

#include "writer/base/utf8.h"
#include "writer/text/format.h"

/* Appends the first word of "one|many" if `count` is 1, else the second word. end: end of `words`. */
static void add_singular_or_plural(struct tp_buf *out, int64_t count, const char *words, const char *end)
{
    const char *bar = memchr(words, '|', (size_t)(end - words));
    if (count == 1)
        tp_buf_add(out, words, (size_t)(bar - words));
    else
        tp_buf_add(out, bar + 1, (size_t)(end - bar) - 1);
}

static void add_plain_argument(struct tp_buf *out, const struct tp_detail_argument *argument, struct tp_arena *arena)
{
    switch (argument->type) {
    case TP_ARGUMENT_TEXT:
        tp_buf_add(out, argument->text.ptr, argument->text.len);
        break;
    case TP_ARGUMENT_NUMBER:
        tp_buf_printf(out, "%lld", (long long)argument->number);
        break;
    case TP_ARGUMENT_NS:
        tp_buf_puts(out, tp_text_of_time(arena, argument->number));
        break;
    case TP_ARGUMENT_BYTES:
        tp_buf_puts(out, tp_text_of_bytes(arena, argument->number));
        break;
    case TP_ARGUMENT_PERCENT:
        tp_buf_puts(out, tp_text_of_percent(arena, argument->real));
        break;
    default:
        tp_buf_printf(out, "%g", argument->real);
    }
}

const char *tp_place_text(struct tp_arena *arena, const struct tp_frame *frame)
{
    struct tp_code code = tp_code_of_path(frame->path);
    struct tp_str path = {frame->path.ptr + code.skip, frame->path.len - code.skip};
    size_t file = path.len, package = 0;
    while (file && path.ptr[file - 1] != '/' && path.ptr[file - 1] != '\\')
        file--;
    while (code.origin == TP_ORIGIN_LIBRARY && package < file && path.ptr[package] != '/' && path.ptr[package] != '\\')
        package++;
    const char *between = !package ? "" : package + 1 < file ? "/\xe2\x80\xa6/" : "/";
    const char *place =
        tp_text_printf(arena, "%.*s%s%.*s", (int)package, path.ptr, between, (int)(path.len - file), path.ptr + file);
    return frame->line > 0 ? tp_text_printf(arena, "%s:%d", place, (int)frame->line) : place;
}

/* Appends the name of a frame: "step()" if is_function is set and the frame has a usable function that no library
 * contains, otherwise its file and line ("train.py:88"). Appends other texts unchanged, cut to PLACE_BYTES. */
static void put_place(struct tp_buf *out, struct tp_str text, bool is_function, struct tp_arena *arena)
{
    enum { PLACE_BYTES = 48 };
    struct tp_frame frame;
    struct tp_str place = text;
    if (tp_frame_parse_place(&frame, text)) {
        struct tp_str function = frame.function.ptr ? frame.function : TP_STR("");
        bool is_usable = is_function && function.len && *function.ptr != '<' &&
                         !memchr(function.ptr, ' ', function.len) &&
                         tp_code_of_path(frame.path).origin != TP_ORIGIN_LIBRARY;
        place = tp_str_of(is_usable ? tp_text_printf(arena, "%.*s()", (int)function.len, function.ptr)
                                    : tp_place_text(arena, &frame));
    }
    size_t size = tp_utf8_fitting_bytes(place.ptr, place.len, PLACE_BYTES);
    tp_buf_add(out, place.ptr, size);
    tp_buf_puts(out, size < place.len ? "\xe2\x80\xa6" : "");
}

/* Appends an argument as text. form: start of the format, such as ":.2", "?has|have" or ""; end: its end. */
static void append_argument(struct tp_buf *out, const struct tp_detail_argument *argument, const char *form,
                            const char *end, struct tp_arena *arena)
{
    size_t length = (size_t)(end - form);
    if (!length) {
        add_plain_argument(out, argument, arena);
    } else if (*form == '?') {
        add_singular_or_plural(out, argument->number, form + 1, end);
    } else if (argument->type == TP_ARGUMENT_TEXT) {
        put_place(out, argument->text, form[1] == 'f', arena);
    } else if (length == 2 && form[1] == ',') {
        tp_buf_puts(out, tp_text_of_count(arena, argument->number));
    } else if (length == 3 && form[1] == '.') {
        tp_buf_printf(out, "%.*f", form[2] - '0', argument->real);
    } else if (strncmp(form, ":round", length) == 0) {
        tp_buf_puts(out, tp_text_of_fixed(arena, argument->real, 0));
    } else if (strncmp(form, ":bare", length) == 0) {
        tp_buf_puts(out, tp_text_of_fixed(arena, argument->real, 1));
    } else if (strncmp(form, ":steps", length) == 0) {
        if (argument->number > 1)
            tp_buf_printf(out, " in %s steps", tp_text_of_count(arena, argument->number));
    } else {
        tp_buf_printf(out, "%s ", tp_text_of_count(arena, argument->number));
        add_singular_or_plural(out, argument->number, form + 1, end);
    }
}

void tp_fill_template(struct tp_buf *out, const char *words, const struct tp_detail_argument *arguments,
                      struct tp_arena *arena)
{
    while (*words) {
        size_t plain = strcspn(words, "{");
        tp_buf_add(out, words, plain);
        words += plain;
        if (!*words)
            break;
        const char *end = strchr(words, '}');
        append_argument(out, &arguments[words[1] - '0'], words + 2, end, arena);
        words = end + 1;
    }
}
