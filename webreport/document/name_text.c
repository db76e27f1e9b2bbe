/* Prepares names of a trace for display. See name_text.h. */
#include "webreport/document/name_text.h"

#include "webreport/trace/frame.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"
#include "writer/text/format.h"

static const char ELLIPSIS[] = "\xe2\x80\xa6";

int tp_source_url_check(const char *pattern, struct tp_error *err)
{
    static const char *const SCHEMES[] = {"https://",    "http://",   "vscode://", "vscode-insiders://",
                                          "vscodium://", "cursor://", "idea://",   "zed://",
                                          "file:///"};

    if (!pattern)
        return 0;
    if (!strstr(pattern, "{path}"))
        return tp_error_set(err, TP_EUSAGE, 0, "--source-url: the address needs {path} in it");
    for (size_t i = 0; i < sizeof(SCHEMES) / sizeof(SCHEMES[0]); i++)
        if (strncmp(pattern, SCHEMES[i], strlen(SCHEMES[i])) == 0)
            return 0;
    return tp_error_set(
        err, TP_EUSAGE, 0,
        "--source-url: the address must begin with https://, http:// or an editor's scheme such as vscode://");
}

struct tp_str tp_text_shorten(struct tp_arena *arena, struct tp_str text, size_t max_bytes)
{
    if (text.len <= max_bytes)
        return text;
    size_t keep = tp_utf8_fitting_bytes(text.ptr, text.len, max_bytes - 3);
    char *cut = tp_arena_alloc(arena, keep + 4);
    memcpy(cut, text.ptr, keep);
    memcpy(cut + keep, ELLIPSIS, 3);
    return (struct tp_str){cut, keep + 3};
}

const char *tp_step_range_text(struct tp_arena *arena, struct tp_str first, struct tp_str last)
{
    enum { MOST_BYTES = 40 };
    if (first.len + last.len > MOST_BYTES)
        return NULL;
    if (tp_str_equal(first, last))
        return tp_text_printf(arena, "%.*s", (int)first.len, first.ptr);
    return tp_text_printf(arena, "%.*s\xe2\x80\x93%.*s", (int)first.len, first.ptr, (int)last.len, last.ptr);
}

/* ---- redaction ---- */

static bool is_path_start(struct tp_str text, size_t at)
{
    if (at && (tp_is_word_character(text.ptr[at - 1]) || strchr("./-<*\\", text.ptr[at - 1])))
        return false;
    if (text.ptr[at] == '/' || text.ptr[at] == '~')
        return at + 1 < text.len &&
               (tp_is_word_character(text.ptr[at + 1]) || text.ptr[at + 1] == '/' || text.ptr[at + 1] == '.');
    return at + 2 < text.len && text.ptr[at + 1] == ':' && (text.ptr[at + 2] == '\\' || text.ptr[at + 2] == '/') &&
           tp_is_word_character(text.ptr[at]);
}

/* Returns the position after the last `needle` in bytes `from` to `end` - 1 of `text`; 0 if `needle` does not occur. */
static size_t position_after_last_match(struct tp_str text, size_t from, size_t end, const char *needle)
{
    size_t after = 0;
    ptrdiff_t found;

    while ((found = tp_str_find((struct tp_str){text.ptr + from, end - from}, needle)) >= 0)
        after = from += (size_t)found + strlen(needle);
    return after;
}

/* Returns where the visible part of the path at `at` starts: after "site-packages/" or "dist-packages/", else at the
 * last component. frame_end: end of the path if `text` is a stack frame, where folder names may contain any character;
 * else 0. */
static size_t start_of_shown_path(struct tp_str text, size_t at, size_t frame_end)
{
    size_t end = at < frame_end ? frame_end : at, rest, slash;

    while (end >= frame_end && end < text.len && text.ptr[end] && !strchr(" \t\n\"'();,<>|", text.ptr[end]))
        end++;
    if ((rest = position_after_last_match(text, at, end, "/site-packages/")) ||
        (rest = position_after_last_match(text, at, end, "/dist-packages/")))
        return rest;
    rest = position_after_last_match(text, at, end, "/");
    slash = position_after_last_match(text, at, end, "\\");
    return rest > slash ? rest : slash > at ? slash : at;
}

static bool is_host_name_at(const struct tp_naming *naming, struct tp_str text, size_t at)
{
    struct tp_str host = naming->host;

    return host.len && text.len - at >= host.len && memcmp(text.ptr + at, host.ptr, host.len) == 0;
}

static struct tp_str redact_text(const struct tp_naming *naming, struct tp_str text)
{
    char *out = tp_arena_alloc(naming->arena, 3 * text.len + 16), *at = out;
    struct tp_frame frame;
    size_t frame_end = tp_frame_parse_place(&frame, text) ? frame.path.len : 0;

    for (size_t i = 0; i < text.len;) {
        if (is_host_name_at(naming, text, i)) {
            memcpy(at, "host", 4);
            at += 4;
            i += naming->host.len;
        } else if (is_path_start(text, i) && start_of_shown_path(text, i, frame_end) > i + 1) {
            memcpy(at, ELLIPSIS, 3);
            at[3] = '/';
            at += 4;
            i = start_of_shown_path(text, i, frame_end);
        } else {
            *at++ = text.ptr[i++];
        }
    }
    return (struct tp_str){out, (size_t)(at - out)};
}

/* Cuts leading folders of "path(line): function", as in "…/models/attention.py(12): forward". path_bytes: length of the
 * path. */
static struct tp_str cut_start_of_path(struct tp_arena *arena, struct tp_str text, size_t path_bytes)
{
    size_t from = text.len - TP_MAX_SHOWN_NAME_BYTES + 3;
    while (from < path_bytes && text.ptr[from] != '/' && text.ptr[from] != '\\')
        from++;
    if (from >= path_bytes) /* true: even without all folders, the text is too long */
        return tp_text_shorten(arena, text, TP_MAX_SHOWN_NAME_BYTES);
    char *cut = tp_arena_alloc(arena, text.len - from + 3);
    memcpy(cut, ELLIPSIS, 3);
    memcpy(cut + 3, text.ptr + from, text.len - from);
    return (struct tp_str){cut, text.len - from + 3};
}

struct tp_str tp_shown_text(const struct tp_naming *naming, struct tp_str text)
{
    struct tp_str shown = text;
    struct tp_frame frame;

    if (naming->redact && text.len) {
        if (shown.len > 4096) /* drops text that is never shown, because the limit below is far shorter */
            shown.len = 4096;
        shown = redact_text(naming, shown);
    }
    if (shown.len > TP_MAX_SHOWN_NAME_BYTES && tp_frame_parse_place(&frame, shown))
        return cut_start_of_path(naming->arena, shown, frame.path.len);
    return tp_text_shorten(naming->arena, shown, TP_MAX_SHOWN_NAME_BYTES);
}

struct tp_str tp_path_last_part(struct tp_str text)
{
    struct tp_frame frame;
    size_t cut = tp_frame_parse_place(&frame, text) ? frame.path.len : 0;
    while (cut && frame.path.ptr[cut - 1] != '/' && frame.path.ptr[cut - 1] != '\\')
        cut--;
    return (struct tp_str){text.ptr + cut, text.len - cut};
}

struct tp_str tp_line_last_part(struct tp_str text)
{
    struct tp_frame frame;
    return tp_frame_code(&frame, text).origin == TP_ORIGIN_LIBRARY ? text : tp_path_last_part(text);
}

/* ---- links to source ---- */

/* Appends `text` to an address in %XX encoding, and returns the end. Each byte of the text needs at most 3 bytes. */
static char *append_percent_encoded(char *at, struct tp_str text)
{
    static const char HEX[] = "0123456789ABCDEF";

    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        if (c == '\\')
            c = '/';
        if (c < 0x80 && (tp_is_word_character((char)c) || strchr("-.~/:", c)) && c) {
            *at++ = (char)c;
        } else {
            *at++ = '%';
            *at++ = HEX[c >> 4];
            *at++ = HEX[c & 15];
        }
    }
    return at;
}

const char *tp_source_link(const struct tp_naming *naming, struct tp_str text)
{
    struct tp_frame frame;
    const char *from = naming->source_url, *line;
    char *out, *at;

    if (!from || naming->redact || text.len > 4096 || !tp_frame_parse_place(&frame, text) || frame.line < 0 ||
        frame.path.ptr[0] == '<')
        return NULL;
    line = tp_text_printf(naming->arena, "%d", (int)frame.line);
    out = at = tp_arena_alloc(naming->arena,
                              strlen(from) * (1 + 3 * frame.path.len / 6 + strlen(line)) + 3 * frame.path.len + 16);
    while (*from) {
        if (strncmp(from, "{path}", 6) == 0) {
            struct tp_str part = frame.path;

            while (at > out && at[-1] == '/' && part.len && part.ptr[0] == '/')
                part = (struct tp_str){part.ptr + 1, part.len - 1};
            at = append_percent_encoded(at, part);
            from += 6;
        } else if (strncmp(from, "{line}", 6) == 0) {
            at = append_percent_encoded(at, tp_str_of(line));
            from += 6;
        } else {
            *at++ = *from++;
        }
    }
    *at = 0;
    return out;
}

struct tp_str tp_name_kind_prefix(struct tp_str name)
{
    ptrdiff_t colons = tp_str_find(name, "::");

    if (colons <= 0 || colons > 32)
        return (struct tp_str){"", 0};
    for (ptrdiff_t i = 0; i < colons; i++)
        if (!tp_is_word_character(name.ptr[i]))
            return (struct tp_str){"", 0};
    return (struct tp_str){name.ptr, (size_t)colons + 2};
}

struct tp_str tp_shown_lines_for_viewer(const void *context, struct tp_str lines)
{
    const struct tp_naming *naming = context;
    if (!naming->redact)
        return lines; /* unchanged, because the caller has already shortened the lines */
    char *out = tp_arena_alloc(naming->arena, 3 * lines.len + 16), *at = out;
    while (lines.len) {
        const char *feed = memchr(lines.ptr, '\n', lines.len);
        size_t size = feed ? (size_t)(feed - lines.ptr) : lines.len;
        struct tp_str line = tp_shown_text(naming, (struct tp_str){lines.ptr, size});
        memcpy(at, line.ptr, line.len);
        at += line.len;
        size += feed != NULL;
        if (feed)
            *at++ = '\n';
        lines = (struct tp_str){lines.ptr + size, lines.len - size};
    }
    return (struct tp_str){out, (size_t)(at - out)};
}

struct tp_str tp_shapes_text(struct tp_arena *arena, struct tp_str shape)
{
    enum { SHAPE = 2 }; /* nesting depth of the sizes of a tensor; in a list of tensors, sizes are one level deeper */
    char *out, *at;
    size_t depth = 0, list = 0; /* depth: current nesting depth; list: 1 inside a list of tensors */

    if (shape.len < 4 || shape.ptr[0] != '[' || shape.len > 2048)
        return shape;
    out = at = tp_arena_alloc(arena, shape.len * 4 + 8);
    for (size_t i = 0; i < shape.len; i++) {
        char c = shape.ptr[i];

        if (c == '[') {
            depth++;
            if (i + 1 < shape.len && shape.ptr[i + 1] == ']') {
                memcpy(at, "()", 2);
                at += 2;
            } else if (depth == SHAPE && i + 1 < shape.len && shape.ptr[i + 1] == '[') {
                list = 1;
                *at++ = '[';
            }
        } else if (c == ']') {
            if (list && depth == SHAPE) {
                list = 0;
                *at++ = ']';
            }
            depth -= depth > 0;
        } else if (c == ',' && depth >= SHAPE + list) {
            memcpy(at, "\xc3\x97", 2);
            at += 2;
            i += i + 1 < shape.len && shape.ptr[i + 1] == ' ';
        } else {
            *at++ = c;
        }
    }
    return (struct tp_str){out, (size_t)(at - out)};
}

struct tp_str tp_shown_shapes_for_viewer(const void *context, struct tp_str shapes)
{
    const struct tp_naming *naming = context;
    return tp_shown_text(naming, tp_shapes_text(naming->arena, shapes));
}

/* A kernel's displayed name, and its demangled name. */
struct shown_kernel {
    struct tp_str shown, plain;
};

static struct tp_str short_name(struct tp_arena *arena, struct tp_str name, struct tp_str *plain)
{
    struct tp_frame frame;
    *plain = name;
    if (tp_frame_parse(&frame, name)) /* a Python call has no argument list that could be removed */
        return tp_text_shorten(arena, tp_frame_short_name(name), TP_MAX_SHOWN_NAME_BYTES);
    *plain = tp_kernel_plain_name(arena, name);
    return tp_text_shorten(arena, tp_kernel_text_of_plain(arena, name, *plain), TP_KERNEL_TEXT_BYTES);
}

struct tp_str tp_kernel_short_name(struct tp_arena *arena, struct tp_str name)
{
    struct tp_str plain;
    return short_name(arena, name, &plain);
}

struct tp_shown_kernels {
    struct tp_strings names;
    struct tp_vec kernels; /* element for each name id in `names`: struct shown_kernel */
};

struct tp_shown_kernels *tp_shown_kernels_new(struct tp_arena *arena)
{
    struct tp_shown_kernels *kernels = tp_arena_alloc(arena, sizeof *kernels);
    tp_strings_init(&kernels->names, arena, 0);
    kernels->kernels = TP_VEC(arena, struct shown_kernel);
    return kernels;
}

void tp_shown_kernels_set(struct tp_shown_kernels *kernels, struct tp_str name, struct tp_str shown)
{
    uint32_t id = tp_strings_find(&kernels->names, name);
    if (id != TP_NO_ID)
        TP_AT(&kernels->kernels, struct shown_kernel, id)->shown = shown;
}

static struct shown_kernel shown_kernel(const struct tp_naming *naming, struct tp_str name)
{
    struct shown_kernel kernel;
    kernel.shown = tp_shown_text(naming, short_name(naming->arena, name, &kernel.plain));
    return kernel;
}

/* Returns the names of a kernel from the cache, if there is one. */
static struct shown_kernel cached_kernel(const struct tp_naming *naming, struct tp_str name)
{
    struct tp_shown_kernels *kernels = naming->kernels;
    if (!kernels)
        return shown_kernel(naming, name);
    uint32_t id = tp_strings_add(&kernels->names, name);
    if (id == kernels->kernels.count) {
        struct shown_kernel kernel = shown_kernel(naming, name);
        *(struct shown_kernel *)tp_vec_push(&kernels->kernels) = kernel;
    }
    return *TP_AT(&kernels->kernels, struct shown_kernel, id);
}

struct tp_str tp_shown_kernel_name(const struct tp_naming *naming, struct tp_str name)
{
    return cached_kernel(naming, name).shown;
}

struct tp_str tp_plain_kernel_name(const struct tp_naming *naming, struct tp_str name)
{
    return cached_kernel(naming, name).plain;
}

struct tp_str tp_shown_text_for_viewer(const void *context, struct tp_str text)
{
    return tp_shown_text(context, text);
}

struct tp_str tp_shown_kernel_for_viewer(const void *context, struct tp_str name)
{
    return tp_shown_kernel_name(context, name);
}
