/* Exports arbitrary bytes, as a trace, to each format. The output for Chrome must be readable again and, after
 * cleaning, also by the strict reader.
 *
 * Input: a byte for the format, a byte of options, the trace. */
#include <string.h>

#include "tests/fuzz/made_profile.h"
#include "tests/fuzz/scratch_files.h"
#include "webreport/export/export.h"
#include "webreport/session/trace_analysis.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bits of the options byte. */
enum { SLIM = 1, FILTERED = 2, BY_TIME = 4, BY_CATEGORY = 8, AS_JOB = 16, WITH_BASELINE = 32 };

struct work {
    struct tp_str bytes;
    const struct tp_export_format *format;
    struct tp_analysis *analysis;
    struct tp_filter filter;
    struct tp_trace_options read;
    struct tp_export export;
    struct tp_export_job job;
    struct tp_profile profile;
    bool is_job; /* true if the outputs that cover all profiles together are also written */
};

static const struct tp_export_format *choose_format(uint64_t number)
{
    size_t count = 0;
    while (tp_export_formats[count].name)
        count++;
    return &tp_export_formats[number % count];
}

static void set_filter(struct tp_filter *filter, uint64_t options)
{
    static const char *const categories[] = {"kernel", "cpu_op"};
    const struct tp_filter_options asked = {.steps = options & FILTERED ? "1-2" : NULL,
                                            .from = options & BY_TIME ? "1us" : NULL,
                                            .until = options & BY_TIME ? "2s" : NULL,
                                            .categories = categories,
                                            .category_count = options & BY_CATEGORY ? 2 : 0};
    abort_unless(tp_filter_parse(filter, &asked, NULL) == 0);
}

static void prepare_export(struct work *work, const char *path, const char *folder, uint64_t options)
{
    struct tp_analysis *a = work->analysis;
    work->profile = make_profile_of_analysis(a);
    work->job = (struct tp_export_job){.out = folder, .arena = &a->arena};
    work->export =
        (struct tp_export){.profile = &work->profile,
                           .out = folder,
                           .path = path,
                           .read = &work->read,
                           .reading = &a->trace.reading,
                           .folder = folder,
                           .run = "run",
                           .worker = "w",
                           .baseline = work->format->has_baseline && options & WITH_BASELINE ? &a->trace : NULL,
                           .filter = &work->filter,
                           .colour = (enum tp_export_colour)(options >> 6) % 3,
                           .is_slim = work->format->supports_slim && options & SLIM,
                           .job = &work->job,
                           .arena = &a->arena};
}

/* Reads everything that the format needs. Returns false if the bytes are not a trace. */
static bool read_trace(struct work *work)
{
    struct tp_analysis *a = work->analysis;
    enum tp_export_need needs =
        work->format->choose_needs ? work->format->choose_needs(&work->export) : work->format->needs;
    work->read.keeps_frame_stacks = work->format->reads_frame_stacks;
    if (needs == TP_EXPORT_NEEDS_NOTHING)
        return true;
    if (tp_trace_read_bytes(&a->trace, &a->arena, work->bytes.ptr, work->bytes.len, &work->read, NULL) < 0)
        return false;
    if (needs == TP_EXPORT_NEEDS_ALL)
        tp_analysis_build(a, NULL, NULL);
    if (needs == TP_EXPORT_NEEDS_MODEL)
        tp_analysis_build_model(a);
    return true;
}

/* Returns whether a trace can be read, or memory was short. */
static bool can_be_read(const char *path, const struct tp_trace_options *options, struct tp_error *err)
{
    struct tp_arena arena;
    struct tp_trace trace;
    tp_arena_init(&arena, 0);
    int code = setjmp(arena.guard) == 0 ? tp_trace_read(&trace, &arena, path, options, err) : TP_OK;
    bool is_readable = code == TP_OK || arena.code;
    tp_arena_release(&arena);
    return is_readable;
}

/* Checks that an exported trace can be read like its input. A part of the events may be no trace. */
static void check_exported_chrome_traces(const struct work *work, const char *folder)
{
    struct tp_error err = {0}, of_input = {0};
    char path[SCRATCH_PATH + 32];
    const struct tp_trace_options options = {.single_thread = true};
    const struct tp_trace_options strict = {.is_strict = work->export.is_slim, .single_thread = true};
    snprintf(path, sizeof path, "%s/w.trace.json.gz", folder);
    abort_unless(can_be_read(path, &strict, &err) || strstr(err.text, "no usable event") ||
                 strstr(err.text, "unknown producer") || !can_be_read(work->export.path, &options, &of_input));
}

static int write_files(void *context, struct tp_error *err)
{
    struct work *work = context;
    if (!read_trace(work))
        return TP_EFORMAT;
    int code = work->format->write(&work->export, err);
    if (code == 0 && work->is_job && work->format->finish)
        work->format->finish(&work->job, err);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct taken from = {data, data + size};
    struct tp_analysis analysis;
    struct work work = {.format = choose_format(take_number_from_input(&from, 1)), .analysis = &analysis};
    uint64_t options = take_number_from_input(&from, 1);
    char path[SCRATCH_PATH], folder[SCRATCH_PATH];
    work.bytes = (struct tp_str){(const char *)from.at, take_size_from_input(&from, size)};
    work.is_job = options & AS_JOB;
    int fd = make_scratch_file(work.bytes.ptr, work.bytes.len, path);
    make_scratch_folder(folder);
    work.read = (struct tp_trace_options){.single_thread = true, .max_input_bytes = 16u << 20};
    set_filter(&work.filter, work.format->has_filter ? options : 0);
    tp_analysis_open(&analysis, NULL);
    prepare_export(&work, path, folder, options);
    if (tp_arena_run(&analysis.arena, write_files, &work, NULL) == 0 && strcmp(work.format->name, "chrome") == 0)
        check_exported_chrome_traces(&work, folder);
    tp_analysis_close(&analysis);
    remove_scratch_folder(folder);
    close(fd);
    return 0;
}
