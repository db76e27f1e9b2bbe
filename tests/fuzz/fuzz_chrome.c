/* Builds a valid trace from arbitrary bytes and exports it unfiltered (export --to chrome). The expected file is known
 * byte for byte without reading a trace.
 *
 * Input: a byte of options, then one byte per choice in the trace. */
#include <string.h>
#include <zlib.h>

#include "tests/fuzz/made_profile.h"
#include "tests/fuzz/scratch_files.h"
#include "webreport/export/export.h"
#include "webreport/session/trace_analysis.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bits of the options. With BARE, the whole file is only the list of events. */
enum { BARE = 1, BY_CATEGORY = 2, STRICT = 4, DEPTH = 6, MOST_EVENTS = 400 };

/* The generated trace and the expected output. */
struct made {
    struct taken from;
    struct tp_buf in, out;
    /* has_event: the trace has an event; has_element: the expected output contains an event */
    bool has_event, has_element;
    bool has_torch_slice; /* true if there is a slice with a category of torch's profiler */
};

/* Properties of an event that the filter and the reader use. */
struct made_event {
    bool is_kept, is_torch_slice;
};

/* ---- values ---- */

static const char *choose_text(struct taken *from, const char *const *texts, size_t count)
{
    return texts[take_number_from_input(from, 1) % count];
}
#define CHOOSE(from, ...)                                                                                              \
    choose_text(from, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Adds white space between two tokens, in most cases none. */
static void put_random_space(struct tp_buf *out, struct taken *from)
{
    tp_buf_puts(out, CHOOSE(from, "", "", "", " ", "\n  ", "\t", "\r\n", " "));
}

static void put_string(struct tp_buf *out, struct taken *from)
{
    tp_buf_putc(out, '"');
    for (uint64_t n = take_number_from_input(from, 1) % 6; n > 0; n--)
        tp_buf_puts(out, CHOOSE(from, "a", "ph", "ts", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude00", "\\ud800",
                                "\\u0000", "\xc3\xa9", "\xe2\x80\xa8", "\\n", "{", "]", ",", ":", "\x7f", "traceEvents",
                                "args", "  ", "::error::", "\\u202e", "\\\\\\\""));
    tp_buf_putc(out, '"');
}

static void put_value(struct tp_buf *out, struct taken *from, int depth);

/* Adds up to four members or elements. */
static void put_list(struct tp_buf *out, struct taken *from, bool is_object, int depth)
{
    tp_buf_putc(out, is_object ? '{' : '[');
    uint64_t count = depth < DEPTH ? take_number_from_input(from, 1) % 5 : 0;
    for (uint64_t i = 0; i < count; i++) {
        put_random_space(out, from);
        if (is_object) {
            put_string(out, from);
            put_random_space(out, from);
            tp_buf_putc(out, ':');
        }
        put_random_space(out, from);
        put_value(out, from, depth + 1);
        put_random_space(out, from);
        tp_buf_puts(out, i + 1 < count ? "," : "");
    }
    tp_buf_putc(out, is_object ? '}' : ']');
}

static void put_value(struct tp_buf *out, struct taken *from, int depth)
{
    switch (take_number_from_input(from, 1) % 4) {
    case 0:
        tp_buf_puts(out, CHOOSE(from, "0", "-0", "1e5", "0.10", "1E+2", "-12.5e-3", "9223372036854775808", "1e400",
                                "true", "false", "null", "123456789012345678901234567890", "3.0000"));
        break;
    case 1:
        put_string(out, from);
        break;
    default:
        put_list(out, from, take_number_from_input(from, 1) & 1, depth);
    }
}

/* ---- events ---- */

/* Returns whether a filter for "kernel" and "cpu_op" selects this event, by its category or, for slices of older
 * writers, by its name. */
static bool is_event_selected_by_filter(const char *category, char phase)
{
    return strcmp(category, "kernel") == 0 || strcmp(category, "cpu_op") == 0 ||
           (phase != 'C' && strcmp(category, "Kernel") == 0);
}

static void put_member(struct tp_buf *out, struct taken *from, const char *key, const char *value, const char *quote)
{
    put_random_space(out, from);
    tp_buf_printf(out, "\"%s\"", key);
    put_random_space(out, from);
    tp_buf_putc(out, ':');
    put_random_space(out, from);
    tp_buf_printf(out, "%s%s%s", quote, value, quote);
    put_random_space(out, from);
}

/* Adds an event that the reader uses, with additional members at random positions. */
static struct made_event put_event(struct tp_buf *out, struct taken *from)
{
    const char *phase = CHOOSE(from, "X", "X", "X", "i", "M", "C");
    const char *category = CHOOSE(from, "kernel", "cpu_op", "cuda_runtime", "user_annotation", "Kernel",
                                  "odd \\\"one\\\"", "ker", "kernel ");
    const struct {
        const char *key, *value, *quote;
    } members[] = {{"ph", phase, "\""},
                   {"cat", category, "\""},
                   {"name", *phase == 'M' ? "thread_name" : "work", "\""},
                   {"pid", CHOOSE(from, "1", "0", "-1", "4294967296"), take_number_from_input(from, 1) & 1 ? "\"" : ""},
                   {"tid", CHOOSE(from, "1", "7", "stream 7", "2"), "\""},
                   {"ts", CHOOSE(from, "1", "2.5", "1000000.001", "3e2"), ""},
                   {"dur", CHOOSE(from, "1", "0", "2.125"), ""}};
    enum { COUNT = sizeof members / sizeof *members };
    uint64_t first = take_number_from_input(from, 1) % COUNT;
    tp_buf_putc(out, '{');
    for (unsigned i = 0; i < COUNT; i++) {
        if (take_number_from_input(from, 1) % 4 == 0) {
            put_member(out, from, CHOOSE(from, "args", "id", "bp", "cname", "sf", "more", "s"), "", "");
            put_list(out, from, true, 0);
            tp_buf_putc(out, ',');
        }
        unsigned at = (unsigned)((first + i) % COUNT);
        put_member(out, from, members[at].key, members[at].value, members[at].quote);
        tp_buf_puts(out, i + 1 < COUNT ? "," : "");
    }
    tp_buf_putc(out, '}');
    bool is_torch = is_event_selected_by_filter(category, *phase) || strcmp(category, "cuda_runtime") == 0 ||
                    strcmp(category, "user_annotation") == 0;
    return (struct made_event){*phase == 'M' || is_event_selected_by_filter(category, *phase),
                               *phase == 'X' && is_torch};
}

static void put_events(struct made *made, bool is_filtered)
{
    uint64_t count = 1 + take_number_from_input(&made->from, 1) % MOST_EVENTS;
    for (uint64_t i = 0; i < count && made->from.at < made->from.end; i++) {
        put_random_space(&made->in, &made->from);
        size_t start = made->in.size;
        struct made_event event = put_event(&made->in, &made->from);
        made->has_torch_slice |= event.is_torch_slice;
        if (event.is_kept || !is_filtered) {
            tp_buf_puts(&made->out, made->has_element ? ",\n" : "\n");
            tp_buf_add(&made->out, made->in.data + start, made->in.size - start);
            made->has_element = true;
        }
        made->has_event = true;
        put_random_space(&made->in, &made->from);
        tp_buf_puts(&made->in, i + 1 < count && made->from.at < made->from.end ? "," : "");
    }
}

/* Adds members around the list of events. Each name occurs only once, and the reader ignores all of them. */
static void put_ignored_members(struct made *made, bool *has_one, int number)
{
    struct tp_buf *in = &made->in;
    tp_buf_puts(in, *has_one ? "," : "");
    put_random_space(in, &made->from);
    tp_buf_printf(in, "\"own %d", number);
    size_t start = in->size;
    tp_buf_puts(in, CHOOSE(&made->from, "\"", "\\u00e9\"", "\\\"\"", " [\""));
    tp_buf_puts(&made->out, *has_one ? ",\n" : "{\n");
    tp_buf_printf(&made->out, "\"own %d", number);
    tp_buf_add(&made->out, in->data + start, in->size - start);
    put_random_space(in, &made->from);
    tp_buf_putc(in, ':');
    tp_buf_putc(&made->out, ':');
    put_random_space(in, &made->from);
    start = in->size;
    put_value(in, &made->from, 0);
    tp_buf_add(&made->out, in->data + start, in->size - start);
    put_random_space(in, &made->from);
    *has_one = true;
}

static void put_random_trace(struct made *made, uint64_t options)
{
    bool has_one = false;
    int number = 0;
    put_random_space(&made->in, &made->from);
    if (options & BARE) {
        tp_buf_putc(&made->in, '[');
        tp_buf_putc(&made->out, '[');
        put_events(made, options & BY_CATEGORY);
        tp_buf_puts(&made->in, "]");
        tp_buf_puts(&made->out, "\n]\n");
        return;
    }
    tp_buf_putc(&made->in, '{');
    for (uint64_t n = take_number_from_input(&made->from, 1) % 3; n > 0; n--)
        put_ignored_members(made, &has_one, number++);
    tp_buf_puts(&made->in, has_one ? ",\"traceEvents\":[" : "\"traceEvents\":[");
    tp_buf_puts(&made->out, has_one ? ",\n\"traceEvents\":[" : "{\n\"traceEvents\":[");
    put_events(made, options & BY_CATEGORY);
    tp_buf_puts(&made->in, "]");
    tp_buf_puts(&made->out, "\n]");
    has_one = true;
    for (uint64_t n = take_number_from_input(&made->from, 1) % 3; n > 0; n--)
        put_ignored_members(made, &has_one, number++);
    tp_buf_puts(&made->in, "}\n");
    tp_buf_puts(&made->out, "\n}\n");
}

/* ---- exporting ---- */

struct work {
    const struct made *made;
    struct tp_analysis *analysis;
    struct tp_export export;
    const struct tp_export_format *format;
};

static int write_file(void *context, struct tp_error *err)
{
    struct work *work = context;
    struct tp_analysis *a = work->analysis;
    if (work->format->choose_needs(&work->export) != TP_EXPORT_NEEDS_NOTHING) {
        int code =
            tp_trace_read_bytes(&a->trace, &a->arena, work->made->in.data, work->made->in.size, work->export.read, err);
        if (code < 0)
            return code;
    }
    return work->format->write(&work->export, err);
}

static void compare_files(const struct tp_buf *wanted, const char *folder)
{
    char path[SCRATCH_PATH + 32];
    snprintf(path, sizeof path, "%s/w.trace.json.gz", folder);
    gzFile file = gzopen(path, "rb");
    char *got = malloc(wanted->size + 2);
    abort_unless(file && got);
    int size = gzread(file, got, (unsigned)wanted->size + 1);
    abort_unless(size == (int)wanted->size && memcmp(got, wanted->data, wanted->size) == 0);
    gzclose(file);
    free(got);
}

static void export_and_compare(const struct made *made, uint64_t options)
{
    struct tp_analysis analysis;
    struct tp_filter filter;
    struct tp_profile profile;
    struct tp_error err = {0};
    static const char *const categories[] = {"kernel", "cpu_op"};
    const struct tp_filter_options asked = {.categories = categories, .category_count = options & BY_CATEGORY ? 2 : 0};
    struct tp_trace_options read = {.single_thread = true, .is_strict = options & STRICT};
    struct work work = {.made = made, .analysis = &analysis, .format = tp_export_formats};
    char path[SCRATCH_PATH], folder[SCRATCH_PATH];
    int fd = make_scratch_file(made->in.data, made->in.size, path);
    make_scratch_folder(folder);
    abort_unless(tp_filter_parse(&filter, &asked, NULL) == 0);
    while (strcmp(work.format->name, "chrome") != 0)
        work.format++;
    tp_analysis_open(&analysis, NULL);
    profile = make_profile_of_analysis(&analysis);
    work.export = (struct tp_export){.profile = &profile,
                                     .out = folder,
                                     .path = path,
                                     .read = &read,
                                     .reading = &analysis.trace.reading,
                                     .folder = folder,
                                     .run = "run",
                                     .worker = "w",
                                     .filter = &filter,
                                     .arena = &analysis.arena};
    if (tp_arena_run(&analysis.arena, write_file, &work, &err) == 0)
        compare_files(&made->out, folder);
    else if (strstr(err.text, "has a category of torch.profiler"))
        abort_unless(!made->has_torch_slice);
    else /* the filtered trace contains only names of rows, or no event has the category */
        abort_unless(strstr(err.text, "no usable event") || strstr(err.text, "nothing to export"));
    tp_analysis_close(&analysis);
    remove_scratch_folder(folder);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct made made = {.from = {data, data + size}};
    tp_buf_init(&made.in, 0);
    tp_buf_init(&made.out, 0);
    uint64_t options = take_number_from_input(&made.from, 1);
    put_random_trace(&made, options);
    abort_unless(!made.in.failed && !made.out.failed);
    if (made.has_event) {
        abort_unless(is_strict_json(made.in.data, made.in.size));
        export_and_compare(&made, options);
    }
    tp_buf_release(&made.in);
    tp_buf_release(&made.out);
    return 0;
}
