/* Lines of source files: see source_lines.h. */
#include "webreport/session/source_lines.h"

#include <unistd.h>

#include "webreport/trace/frame.h"
#include "writer/base/input.h"
#include "writer/base/limits.h"
#include "writer/text/format.h"

/* ---- files ---- */

/* The bytes of a regular file of at most TP_MAX_SOURCE_BYTES; ptr NULL: it is none. */
static struct tp_str read_file(const char *path, struct tp_arena *arena)
{
    struct tp_input input;
    struct tp_str text = {NULL, 0};
    size_t size = 0;
    if (tp_input_open(&input, path, TP_INPUT_FILE, NULL) < 0)
        return text;
    if (input.size <= TP_MAX_SOURCE_BYTES) {
        char *bytes = tp_arena_alloc(arena, (size_t)input.size + 1);
        if (tp_input_read(&size, &input, bytes, (size_t)input.size, 0, NULL) == 0)
            text = (struct tp_str){bytes, size};
    }
    close(input.fd);
    return text;
}

/* A path that stays in its folder. */
static bool is_inner(struct tp_str path)
{
    for (size_t at = 0; at < path.len;) {
        size_t size = 0;
        while (at + size < path.len && path.ptr[at + size] != '/')
            size++;
        if (size == 2 && memcmp(path.ptr + at, "..", 2) == 0)
            return false;
        at += size + 1;
    }
    return path.len > 0 && path.len < TP_MAX_SUMMARY_TEXT_BYTES && !memchr(path.ptr, '\0', path.len);
}

/* Looks for the path in root, then without its first folder, and so on. */
static struct tp_str find_file(struct tp_str *file, const char *root, struct tp_str path, struct tp_arena *arena)
{
    struct tp_str text = {NULL, 0};
    while (path.len && !text.ptr) {
        while (path.len && path.ptr[0] == '/')
            path = (struct tp_str){path.ptr + 1, path.len - 1};
        *file = path;
        if (is_inner(path))
            text = read_file(tp_text_printf(arena, "%s/%.*s", root, (int)path.len, path.ptr), arena);
        while (path.len && path.ptr[0] != '/')
            path = (struct tp_str){path.ptr + 1, path.len - 1};
    }
    return text;
}

/* ---- tokens ---- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || tp_is_digit(c);
}

/* Whether `token` stands in the line, and not behind a letter of a longer word. */
static bool has_token(struct tp_str line, const char *token)
{
    for (size_t at = 0; at < line.len;) {
        ptrdiff_t found = tp_str_find((struct tp_str){line.ptr + at, line.len - at}, token);
        if (found < 0)
            return false;
        at += (size_t)found;
        if (token[0] == '.' || at == 0 || !is_word(line.ptr[at - 1]))
            return true;
        at++;
    }
    return false;
}

/* What calls an operator in Python; others are called by their own name. */
static const struct {
    const char *operator, *tokens[8];
} calls[] = {
    {"item", {".item(", "float(", "int(", "bool(", ".tolist("}},
    {"_local_scalar_dense", {".item(", "float(", "int(", "bool("}},
    {"clone", {".clone("}},
    {"contiguous", {".contiguous("}},
    {"to", {".to(", ".double(", ".float(", ".half(", ".bfloat16(", ".cpu(", ".cuda("}},
    {"_to_copy", {".to(", ".double(", ".float(", ".half(", ".bfloat16("}},
    {"copy_", {".copy_("}},
};

/* "add" of "aten::add_". */
static struct tp_str bare_name(struct tp_str operator)
{
    for (size_t i = operator.len; i-- > 0;)
        if (operator.ptr[i] == ':') {
            operator = (struct tp_str){operator.ptr + i + 1, operator.len - i - 1};
            break;
        }
    return operator;
}

static bool is_call(struct tp_str line, struct tp_str operator, struct tp_arena *arena)
{
    struct tp_str name = bare_name(operator);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (tp_str_equal(name, tp_str_of(calls[i].operator))) {
            for (unsigned k = 0; k < 8 && calls[i].tokens[k]; k++)
                if (has_token(line, calls[i].tokens[k]))
                    return true;
            return false;
        }
    while (name.len && name.ptr[name.len - 1] == '_')
        name.len--;
    return name.len && (has_token(line, tp_text_printf(arena, ".%.*s(", (int)name.len, name.ptr)) ||
                        has_token(line, tp_text_printf(arena, ".%.*s_(", (int)name.len, name.ptr)));
}

/* ---- lines ---- */

/* The next line without its end; false: there is none. */
static bool next_line(struct tp_str text, size_t *at, struct tp_str *line)
{
    if (*at >= text.len)
        return false;
    const char *end = memchr(text.ptr + *at, '\n', text.len - *at);
    *line = (struct tp_str){text.ptr + *at, (end ? (size_t)(end - text.ptr) : text.len) - *at};
    *at += line->len + 1;
    return true;
}

static size_t indent_of(struct tp_str line)
{
    size_t indent = 0;
    while (indent < line.len && (line.ptr[indent] == ' ' || line.ptr[indent] == '\t' || line.ptr[indent] == '\r'))
        indent++;
    return indent;
}

/* The only line of the body that calls the operator. The line that is known may be that of a decorator; the module
 * itself has all lines. */
static int32_t line_in(struct tp_str text, const struct tp_frame *frame, struct tp_str operator, struct tp_arena *arena)
{
    bool is_module = tp_str_equal(frame->function, TP_STR("<module>")), is_open = true;
    struct tp_str line;
    size_t at = 0, least = 0;
    int32_t number = 0, found = 0;
    while (next_line(text, &at, &line)) {
        size_t indent = indent_of(line);
        struct tp_str rest = {line.ptr + indent, line.len - indent};
        if (++number < frame->line && !is_module)
            continue;
        if (number == frame->line)
            least = indent;
        bool is_head = is_open && !is_module; /* decorators and the def, up to the line that ends with a colon */
        if (is_head && !tp_str_starts(rest, "@"))
            is_open = !(tp_str_ends(rest, ":") || tp_str_ends(rest, ":\r") || tp_str_find(rest, ": ") >= 0);
        if (!rest.len || rest.ptr[0] == '#')
            continue;
        if (!is_module && !is_head && indent <= least && !tp_str_starts(rest, ")"))
            break;
        if (!is_call(rest, operator, arena))
            continue;
        if (found)
            return 0;
        found = number;
    }
    return found;
}

int32_t tp_source_line(struct tp_str *file, const char *root, struct tp_str place, struct tp_str operator,
                       struct tp_arena *arena)
{
    struct tp_frame frame;
    *file = TP_STR("");
    if (!tp_frame_parse(&frame, place) || frame.line < 1)
        return 0;
    struct tp_str text = find_file(file, root, frame.path, arena);
    return text.ptr ? line_in(text, &frame, operator, arena) : 0;
}

/* ---- of a comparison, of a check ---- */

/* "train.py(17): step" of the place and the line that was found; the place itself where none was. */
static struct tp_str found_place(const char *root, struct tp_str place, struct tp_str operator, int32_t *line,
                                 struct tp_arena *arena)
{
    struct tp_frame frame;
    struct tp_str file;
    *line = tp_source_line(&file, root, place, operator, arena);
    if (!*line || !tp_frame_parse(&frame, place))
        return place;
    return tp_str_of(tp_text_printf(arena, "%.*s(%d): %.*s", (int)file.len, file.ptr, *line, (int)frame.function.len,
                                    frame.function.ptr));
}

void tp_source_lines_compare(struct tp_compare *compare, const char *root, struct tp_arena *arena)
{
    for (uint32_t i = 0; root && i < compare->work.count; i++) {
        struct tp_work_change *change = &compare->work.changes[i];
        change->place = found_place(root, change->place, change->name, &change->line, arena);
    }
}

void tp_source_lines_check(struct tp_check *check, const char *root, struct tp_arena *arena)
{
    int32_t line;
    for (size_t i = 0; root && i < check->count; i++)
        for (uint32_t p = 0; p < check->items[i].place_count; p++) {
            struct tp_check_place *place = &check->items[i].places[p];
            if (place->operator.len)
                place->file_line = found_place(root, place->file_line, place->operator, &line, arena);
        }
    for (size_t i = 0; root && i < check->change_count; i++) {
        struct tp_work_change *change = &check->changes[i].change;
        change->place = found_place(root, change->place, change->name, &change->line, arena);
    }
}
