/* Parses stack frames: see frame.h. */
#include "webreport/trace/frame.h"

#include "webreport/trace/regions.h"

/* ---- parsing of "path(line): function" ---- */

/* Returns the position of the first of the digits that end at `end`; `end` without digits. */
static size_t find_first_digit(struct tp_str text, size_t end)
{
    while (end > 0 && tp_is_digit(text.ptr[end - 1]))
        end--;
    return end;
}

/* Returns the position of the "(" of the text "(line)" or "(line-line)" whose ")" is at `close`. Returns 0 if there is
 * no such text or no path before it. */
static size_t find_line_bracket(struct tp_str text, size_t close)
{
    size_t at = find_first_digit(text, close);
    if (at == close)
        return 0;
    if (at > 0 && text.ptr[at - 1] == '-')
        at = find_first_digit(text, at - 1);
    return at > 1 && text.ptr[at - 1] == '(' ? at - 1 : 0;
}

/* Returns true if a path has at least one character and ends in .py or .pyx. */
static bool is_python_path(struct tp_str path)
{
    if (path.len > 1 && path.ptr[path.len - 1] == 'x')
        path.len--;
    return path.len > 3 && memcmp(path.ptr + path.len - 3, ".py", 3) == 0;
}

static int32_t parse_line_number(struct tp_str digits)
{
    bool is_negative = digits.ptr[0] == '-';
    int64_t value = 0;
    for (size_t i = is_negative; i < digits.len && tp_is_digit(digits.ptr[i]) && value <= INT32_MAX; i++)
        value = value * 10 + (digits.ptr[i] - '0');
    value = value <= INT32_MAX ? value : INT32_MAX;
    return (int32_t)(is_negative ? -value : value);
}

static struct tp_frame make_frame_of_parts(struct tp_str text, size_t open, size_t close)
{
    struct tp_str path = {text.ptr, open};
    return (struct tp_frame){.path = path,
                             .line = parse_line_number((struct tp_str){text.ptr + open + 1, close - open - 1}),
                             .is_python = is_python_path(path)};
}

bool tp_frame_parse(struct tp_frame *frame, struct tp_str text)
{
    *frame = (struct tp_frame){0};
    /* most names do not contain this text, and this search is faster than the search from the end */
    if (tp_str_find(text, "): ") < 0)
        return false;
    for (size_t at = text.len - 2; at-- > 0;) {
        if (text.ptr[at] != ')' || text.ptr[at + 1] != ':' || text.ptr[at + 2] != ' ')
            continue;
        size_t open = find_line_bracket(text, at);
        if (!open)
            continue;
        struct tp_frame found = make_frame_of_parts(text, open, at);
        found.function = (struct tp_str){text.ptr + at + 3, text.len - at - 3};
        if (found.is_python || !frame->path.len)
            *frame = found;
        if (found.is_python)
            break;
    }
    return frame->path.len > 0;
}

bool tp_frame_parse_place(struct tp_frame *frame, struct tp_str text)
{
    if (tp_frame_parse(frame, text))
        return true;
    size_t open = text.len && text.ptr[text.len - 1] == ')' ? find_line_bracket(text, text.len - 1) : 0;
    if (open)
        *frame = make_frame_of_parts(text, open, text.len - 1);
    return open > 0;
}

bool tp_frame_same_function(struct tp_str a, struct tp_str b)
{
    struct tp_frame x, y;
    if (tp_str_equal(a, b))
        return true;
    return tp_frame_parse_place(&x, a) && tp_frame_parse_place(&y, b) && tp_str_equal(x.path, y.path) &&
           tp_str_equal(x.function, y.function);
}

/* ---- short texts and origin ---- */

/* Returns the position after the last `folder` in the path; 0 if the path does not contain `folder`. */
static size_t end_of_last_folder(struct tp_str path, const char *folder)
{
    size_t size = strlen(folder), at = path.len + 1;
    while (at-- > size)
        if (memcmp(path.ptr + at - size, folder, size) == 0)
            return at;
    return 0;
}

/* Returns the length of a text lib/pythonX.Y/ at position `at` of the path; 0 for other text. */
static size_t python_folder_length(struct tp_str path, size_t at)
{
    static const char lead[] = "lib/python";
    size_t i = at + sizeof lead - 1;
    if (i > path.len || memcmp(path.ptr + at, lead, sizeof lead - 1) != 0)
        return 0;
    size_t digits = i;
    while (i < path.len && tp_is_digit(path.ptr[i]))
        i++;
    if (i == digits)
        return 0;
    if (i + 1 < path.len && path.ptr[i] == '.' && tp_is_digit(path.ptr[i + 1]))
        for (i++; i < path.len && tp_is_digit(path.ptr[i]);)
            i++;
    return i < path.len && path.ptr[i] == '/' ? i + 1 - at : 0;
}

struct tp_str tp_frame_short_path(struct tp_str path)
{
    size_t at = end_of_last_folder(path, "/site-packages/");
    if (!at)
        at = end_of_last_folder(path, "/dist-packages/");
    for (size_t i = 0; !at && i < path.len; i++) {
        size_t folder = !i || path.ptr[i - 1] == '/' ? python_folder_length(path, i) : 0;
        at = folder ? i + folder : 0;
    }
    return (struct tp_str){path.ptr + at, path.len - at};
}

struct tp_str tp_frame_short_name(struct tp_str text)
{
    struct tp_frame frame;
    size_t cut = tp_frame_parse(&frame, text) ? frame.path.len - tp_frame_short_path(frame.path).len : 0;
    return (struct tp_str){text.ptr + cut, text.len - cut};
}

struct tp_str tp_frame_function_name(struct tp_str text)
{
    struct tp_frame frame;
    return tp_frame_parse(&frame, text) ? frame.function : (struct tp_str){0};
}

struct tp_str tp_frame_module_name(struct tp_str text)
{
    static const char prefix[] = "nn.Module: ";
    enum { SIZE = sizeof prefix - 1 };
    return tp_str_starts(text, prefix) ? (struct tp_str){text.ptr + SIZE, text.len - SIZE} : text;
}

struct tp_str tp_frame_module_class(struct tp_str text)
{
    struct tp_str name = tp_frame_module_name(text);
    size_t end = name.len;
    while (end && tp_is_digit(name.ptr[end - 1]))
        end--;
    if (end && end < name.len && name.ptr[end - 1] == '_')
        name.len = end - 1;
    return name;
}

struct tp_code tp_frame_code(struct tp_frame *frame, struct tp_str text)
{
    if (tp_str_starts(text, "nn.Module: "))
        return (struct tp_code){.origin = TP_ORIGIN_MODULE};
    bool is_frame = tp_frame_parse(frame, text) && text.ptr[frame->path.len + 1] != '-';
    return is_frame && !tp_str_starts(text, "<built-in") ? tp_code_of_path(frame->path) : (struct tp_code){0};
}

/* ---- labels ---- */

static bool is_hex(char c)
{
    return tp_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Returns the text with each `lead` and the hexadecimal digits after it replaced by `by`. The text `by` must not be
 * longer than `lead` and one digit. */
static struct tp_str replace_lead_and_hex_digits(struct tp_arena *arena, struct tp_str text, struct tp_str lead,
                                                 struct tp_str by)
{
    if (tp_str_find(text, lead.ptr) < 0)
        return text;
    char *out = tp_arena_alloc(arena, text.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.len;) {
        if (text.len - i > lead.len && memcmp(text.ptr + i, lead.ptr, lead.len) == 0 &&
            is_hex(text.ptr[i + lead.len])) {
            memcpy(out + n, by.ptr, by.len);
            n += by.len;
            for (i += lead.len; i < text.len && is_hex(text.ptr[i]);)
                i++;
        } else {
            out[n++] = text.ptr[i++];
        }
    }
    return (struct tp_str){out, n};
}

struct tp_str tp_frame_without_address(struct tp_arena *arena, struct tp_str text)
{
    return replace_lead_and_hex_digits(arena, text, TP_STR(" at 0x"), TP_STR(""));
}

struct tp_str tp_frame_label(struct tp_arena *arena, struct tp_str name)
{
    if (tp_regions_by_name(name) & TP_REGION_PROFILER_STEP)
        return TP_STR(TP_PROFILER_STEP_LABEL);
    return replace_lead_and_hex_digits(arena, name, TP_STR("0x"), TP_STR("0x*"));
}

/* ---- frames among the names of a trace ---- */

static uint32_t id_of_label(struct tp_frames *frames, struct tp_str label)
{
    uint32_t name = tp_strings_find(frames->names, label);
    return name != TP_NO_ID ? name : frames->name_count + tp_strings_add(&frames->extra, label);
}

struct tp_code tp_frames_code(const struct tp_frames *frames, struct tp_frame *frame, struct tp_str text)
{
    struct tp_code code = tp_frame_code(frame, text);
    bool is_path = code.origin != TP_ORIGIN_BUILTIN && code.origin != TP_ORIGIN_MODULE;
    if (is_path && frames->scripts.count && tp_strings_find(&frames->scripts, frame->path) != TP_NO_ID)
        code = (struct tp_code){TP_ORIGIN_USER, true, 0};
    return code;
}

/* Returns the line of a frame: its text from the shown part of its path on, with "/" in place of each backslash. */
static struct tp_str line_text(struct tp_arena *arena, const struct tp_frame *frame, struct tp_str text, size_t skip)
{
    size_t path = frame->path.len - skip;
    text = (struct tp_str){text.ptr + skip, text.len - skip};
    if (!memchr(text.ptr, '\\', path))
        return text;
    char *copy = tp_arena_copy(arena, text.ptr, text.len);
    for (size_t i = 0; i < path; i++)
        copy[i] = (char)(copy[i] == '\\' ? '/' : copy[i]);
    return (struct tp_str){copy, text.len};
}

/* Notes that a name can be that of a script. */
static void note_script_name(struct tp_frames *frames, uint32_t name, struct tp_arena *arena)
{
    struct tp_frame frame;
    struct tp_str text = frames->names->items[name];
    enum tp_code_origin origin = tp_frames_origin(frames, name);
    if (origin <= TP_ORIGIN_MODULE || origin == TP_ORIGIN_USER || !tp_str_ends(text, ": <module>") ||
        !tp_frame_parse(&frame, text) || frame.path.ptr[0] == '<' || tp_str_find(frame.path, "importlib") >= 0)
        return;
    if (!frames->can_be_script)
        frames->can_be_script = tp_arena_array(arena, frames->name_count, sizeof *frames->can_be_script);
    frames->can_be_script[name] = true;
}

static void classify_name(struct tp_frames *frames, uint32_t name, struct tp_arena *arena)
{
    struct tp_str text = frames->names->items[name];
    struct tp_frame frame;
    struct tp_code code = tp_frames_code(frames, &frame, text);
    frames->origins[name] = (uint8_t)code.origin;
    if (!code.is_line) {
        frames->line_by_name[name] = TP_NO_ID;
        return;
    }
    uint32_t line = tp_strings_add(&frames->lines, line_text(arena, &frame, text, code.skip));
    frames->line_by_name[name] = line;
    if (frames->line_origins[line] < code.origin)
        frames->line_origins[line] = (uint8_t)code.origin;
}

void tp_frames_build(struct tp_frames *frames, const struct tp_strings *names, struct tp_arena *arena)
{
    *frames = (struct tp_frames){.names = names, .name_count = names->count};
    tp_strings_init(&frames->lines, arena, 0);
    tp_strings_init(&frames->scripts, arena, 0);
    tp_strings_init(&frames->extra, arena, 0);
    frames->line_by_name = tp_arena_array(arena, names->count, sizeof *frames->line_by_name);
    frames->label_of_name = tp_arena_array(arena, names->count, sizeof *frames->label_of_name);
    frames->origins = tp_arena_array(arena, names->count, sizeof *frames->origins);
    /* scripts may give each name a second line */
    frames->line_origins = tp_arena_array(arena, (size_t)names->count * 2, sizeof *frames->line_origins);
    for (uint32_t i = 0; i < names->count; i++) {
        struct tp_str name = names->items[i], label = tp_frame_label(arena, name);
        classify_name(frames, i, arena);
        note_script_name(frames, i, arena);
        frames->label_of_name[i] = label.ptr == name.ptr ? i : id_of_label(frames, label);
    }
    frames->no_event = id_of_label(frames, TP_STR("[no host event]"));
}

void tp_frames_add_script(struct tp_frames *frames, struct tp_str path)
{
    tp_strings_add(&frames->scripts, path);
}

void tp_frames_apply_scripts(struct tp_frames *frames, struct tp_arena *arena)
{
    for (uint32_t i = 0; i < frames->name_count; i++)
        if (frames->origins[i] > TP_ORIGIN_MODULE && frames->origins[i] < TP_ORIGIN_USER)
            classify_name(frames, i, arena);
}
