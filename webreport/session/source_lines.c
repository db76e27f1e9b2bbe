/* Finds the lines of operator calls in source files: see source_lines.h. */
#include "webreport/session/source_lines.h"

#include <unistd.h>

#include "webreport/session/source_calls.h"
#include "webreport/trace/frame.h"
#include "writer/base/input.h"
#include "writer/base/limits.h"
#include "writer/text/format.h"

/* ---- source files ---- */

/* Returns the content of a regular file of at most TP_MAX_SOURCE_BYTES; ptr NULL if there is no such file. */
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

/* Returns true if a relative path stays inside its root folder, because it has no part "..". */
static bool is_inside_root(struct tp_str path)
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

/* Returns the text of the file `path` below `root`. If there is no such file, removes the first folder from the path
 * and tries again. *file: the path that was found. */
static struct tp_str find_source_file(struct tp_str *file, const char *root, struct tp_str path, struct tp_arena *arena)
{
    struct tp_str text = {NULL, 0};
    while (path.len && !text.ptr) {
        while (path.len && path.ptr[0] == '/')
            path = (struct tp_str){path.ptr + 1, path.len - 1};
        *file = path;
        if (is_inside_root(path))
            text = read_file(tp_text_printf(arena, "%s/%.*s", root, (int)path.len, path.ptr), arena);
        while (path.len && path.ptr[0] != '/')
            path = (struct tp_str){path.ptr + 1, path.len - 1};
    }
    return text;
}

/* ---- body of a function ---- */

/* The lines of a function. The first line is its def, or else the line in the recorded frame. */
struct body {
    size_t at;      /* position of the first line in the text, bytes */
    int32_t first;  /* number of the first line, from 1 */
    bool is_def;    /* true if the first line is the def of the function */
    bool is_module; /* true if the body is the whole file */
};

/* Returns true if a line defines the function `name`: "def step(" or "async def step(". rest: the line without its
 * indentation. */
static bool is_definition_of(struct tp_str rest, struct tp_str name)
{
    if (tp_str_starts(rest, "async "))
        rest = (struct tp_str){rest.ptr + 6, rest.len - 6};
    if (!tp_str_starts(rest, "def ") || rest.len < 5 + name.len || memcmp(rest.ptr + 4, name.ptr, name.len) != 0)
        return false;
    return rest.ptr[4 + name.len] == '(';
}

/* Returns the body of a frame's function. The frame has the line of the function's def. For a function that was already
 * running when the recording began, the frame has a later line. */
static struct body find_function_body(struct tp_str text, const struct tp_frame *frame)
{
    struct body body = {.is_module = tp_str_equal(frame->function, TP_STR("<module>"))}, known = {0};
    struct tp_str line;
    size_t def_indent = 0;
    int32_t number = 0;
    for (size_t at = 0, begin = 0; number < frame->line && tp_source_next_line(text, &at, &line); begin = at) {
        size_t indent = tp_source_line_indent(line);
        struct tp_str rest = {line.ptr + indent, line.len - indent};
        known = (struct body){.at = begin, .first = ++number};
        if (!rest.len || rest.ptr[0] == '#')
            continue;
        if (body.is_def && indent <= def_indent && !tp_str_starts(rest, ")"))
            body.is_def = false;
        if (!is_definition_of(rest, frame->function) || body.is_module)
            continue;
        body = (struct body){.at = begin, .first = number, .is_def = true};
        def_indent = indent;
    }
    return body.is_def || body.is_module ? body : known;
}

/* ---- calls in a body ---- */

enum { MOST_HITS = 64 }; /* largest number of calls in a function from which a line is chosen */

/* A place in the source where the operator is called. */
struct hit {
    int32_t line;
    size_t indent;
};

/* Returns the operator calls in a function (elements: struct hit), in the order of the text. */
static struct tp_vec find_calls_in_body(struct tp_str text, const struct body *body,
                                        const struct tp_source_tokens *tokens, struct tp_arena *arena)
{
    struct tp_vec hits = TP_VEC(arena, struct hit);
    struct tp_str line;
    bool is_open = true, is_first = true;
    size_t at = body->at, least = 0;
    for (int32_t number = body->first; tp_source_next_line(text, &at, &line); number++, is_first = false) {
        size_t indent = tp_source_line_indent(line);
        struct tp_str rest = {line.ptr + indent, line.len - indent};
        least = is_first ? indent : least;
        /* true for decorators, and for the lines of the def up to the colon */
        bool is_head = is_open && !body->is_module;
        if (is_head && !tp_str_starts(rest, "@"))
            is_open = !(tp_str_ends(rest, ":") || tp_str_ends(rest, ":\r") || tp_str_find(rest, ": ") >= 0);
        if (!rest.len || rest.ptr[0] == '#')
            continue;
        if (!body->is_module && !is_head && indent <= least && !tp_str_starts(rest, ")"))
            break;
        for (unsigned n = tp_source_tokens_count_in(tokens, rest); n && hits.count <= MOST_HITS; n--)
            *(struct hit *)tp_vec_push(&hits) = (struct hit){number, indent};
    }
    return hits;
}

/* Returns the number of calls that are indented by at most `most` columns. *line: line of call number `nth` among
 * them. */
static uint32_t find_hits_within_indent(const struct tp_vec *hits, size_t most, uint32_t nth, int32_t *line)
{
    uint32_t count = 0;
    for (size_t i = 0; i < hits->count; i++) {
        const struct hit *hit = TP_AT(hits, struct hit, i);
        if (hit->indent > most)
            continue;
        if (count++ == nth)
            *line = hit->line;
    }
    return count;
}

/* Returns the line of a call; 0 if several lines are possible. Assumes that calls in every step are indented less than
 * occasional calls. Therefore finds an indentation for which the number of less indented calls equals the number of
 * calls per step. */
static int32_t choose_line_of_call(const struct tp_vec *hits, const struct tp_source_call *call)
{
    const struct hit *hit = hits->data;
    int32_t line = 0;
    size_t same = 0;
    while (same < hits->count && hit[same].line == hit[0].line)
        same++;
    if (same == hits->count)
        return hits->count ? hit[0].line : 0;
    for (size_t i = 0; i < hits->count && hits->count <= MOST_HITS; i++)
        if (find_hits_within_indent(hits, hit[i].indent, call->nth, &line) == call->count && call->nth < call->count)
            return line;
    return 0;
}

int32_t tp_source_find_line(struct tp_str *file, const char *root, const struct tp_source_call *call,
                            struct tp_arena *arena)
{
    struct tp_frame frame;
    struct tp_source_tokens tokens;
    *file = TP_STR("");
    if (!tp_frame_parse(&frame, call->place) || frame.line < 1)
        return 0;
    struct tp_str text = find_source_file(file, root, frame.path, arena);
    if (!text.ptr)
        return 0;
    struct body body = find_function_body(text, &frame);
    tp_source_tokens_init(&tokens, text, call->operator, arena);
    struct tp_vec hits = find_calls_in_body(text, &body, &tokens, arena);
    int32_t line = choose_line_of_call(&hits, call);
    return line || !body.is_def || body.first == frame.line ? line : body.first;
}

/* ---- lines for comparisons and checks ---- */

/* Returns call->place with the line that was found, such as "train.py(17): step", or unchanged if no line was found.
 * *line: the line, or 0. */
static struct tp_str place_with_line(const char *root, const struct tp_source_call *call, int32_t *line,
                                     struct tp_arena *arena)
{
    struct tp_frame frame;
    struct tp_str file;
    *line = tp_source_find_line(&file, root, call, arena);
    if (!*line || !tp_frame_parse(&frame, call->place))
        return call->place;
    return tp_str_of(tp_text_printf(arena, "%.*s(%d): %.*s", (int)file.len, file.ptr, *line, (int)frame.function.len,
                                    frame.function.ptr));
}

/* Finds the source line of a change. Skips removed calls, because the source no longer has them. */
static void find_line_of_change(const char *root, struct tp_work_change *change, struct tp_arena *arena)
{
    const struct tp_source_call call = {change->place, change->name, change->nth, change->calls};
    if (change->delta >= 0)
        change->place = place_with_line(root, &call, &change->line, arena);
}

void tp_source_lines_add_to_compare(struct tp_compare *compare, const char *root, struct tp_arena *arena)
{
    for (uint32_t i = 0; i < compare->work.count; i++)
        find_line_of_change(root ? root : ".", &compare->work.changes[i], arena);
}

void tp_source_lines_add_to_check(struct tp_check *check, const char *root, struct tp_arena *arena)
{
    int32_t line;
    root = root ? root : ".";
    for (size_t i = 0; i < check->count; i++)
        for (uint32_t p = 0; p < check->items[i].place_count; p++) {
            struct tp_check_place *place = &check->items[i].places[p];
            const struct tp_source_call call = {place->file_line, place->operator, place->nth, place->calls};
            if (place->operator.len)
                place->file_line = place_with_line(root, &call, &line, arena);
        }
    for (size_t i = 0; i < check->change_count; i++)
        find_line_of_change(root, &check->changes[i].change, arena);
}
