/* Converts arbitrary bytes, as a trace, to an XProf file. Parsing the file must succeed, events must be sorted by
 * start, events of threads must nest, and every id must have a text. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/made_profile.h"
#include "webreport/export/export_formats.h"
#include "webreport/session/trace_analysis.h"
#include "writer/proto/xplane.pb-c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void abort_unless(bool good)
{
    if (!good)
        abort();
}

static bool has_name(const Tp__XPlane *plane, int64_t id)
{
    return id > 0 && (uint64_t)id <= plane->n_event_metadata && plane->event_metadata[id - 1]->key == id;
}

static bool has_text(const Tp__XPlane *plane, uint64_t id)
{
    return id > 0 && id <= plane->n_stat_metadata && (uint64_t)plane->stat_metadata[id - 1]->key == id;
}

/* Returns whether this is the plane of the host. Only host events nest, because kernels of a stream can overlap. */
static bool is_host(const Tp__XPlane *plane)
{
    return plane->name.len == 9 && memcmp(plane->name.data, "/host:CPU", 9) == 0;
}

static void check_line(const Tp__XPlane *plane, const Tp__XLine *line)
{
    int64_t *ends = malloc((line->n_events + 1) * sizeof *ends), start = 0;
    size_t depth = 0;
    abort_unless(ends != NULL);
    for (size_t i = 0; i < line->n_events; i++) {
        const Tp__XEvent *event = line->events[i];
        int64_t end = event->offset_ps + event->duration_ps;
        abort_unless(has_name(plane, event->metadata_id) && event->duration_ps >= 0 && event->offset_ps >= start);
        start = event->offset_ps;
        while (depth && ends[depth - 1] <= start)
            depth--;
        if (!is_host(plane))
            depth = 0;
        abort_unless(depth == 0 || end <= ends[depth - 1]);
        ends[depth++] = end;
        for (size_t k = 0; k < event->n_stats; k++)
            abort_unless(has_text(plane, (uint64_t)event->stats[k]->metadata_id) &&
                         (event->stats[k]->value_case != TP__XSTAT__VALUE_REF_VALUE ||
                          has_text(plane, event->stats[k]->ref_value)));
    }
    free(ends);
}

static void check_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    abort_unless(file && fseek(file, 0, SEEK_END) == 0);
    size_t size = (size_t)ftell(file);
    uint8_t *bytes = malloc(size + 1);
    rewind(file);
    abort_unless(bytes && fread(bytes, 1, size, file) == size);
    fclose(file);
    Tp__XSpace *space = tp__xspace__unpack(NULL, size, bytes);
    abort_unless(space != NULL);
    for (size_t p = 0; p < space->n_planes; p++)
        for (size_t l = 0; l < space->planes[p]->n_lines; l++)
            check_line(space->planes[p], space->planes[p]->lines[l]);
    tp__xspace__free_unpacked(space, NULL);
    free(bytes);
}

static void export_xplane(struct tp_analysis *a, const char *out)
{
    char path[128];
    struct tp_profile profile = make_profile_of_analysis(a);
    const struct tp_export job = {
        .profile = &profile, .out = out, .folder = out, .run = "run", .worker = "w", .arena = &a->arena};
    tp_analysis_build(a, NULL, NULL);
    snprintf(path, sizeof path, "%s/plugins/profile/run/w.xplane.pb", out);
    if (tp_export_xplane(&job, NULL) == TP_OK)
        check_file(path);
}

static char folder[64];

static void remove_folder(void)
{
    static const char *const parts[] = {"/plugins/profile/run/w.xplane.pb", "/plugins/profile/run", "/plugins/profile",
                                        "/plugins", ""};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s%s", folder, parts[i]);
        remove(path);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_analysis analysis;
    struct tp_trace_options options = {.single_thread = true, .max_input_bytes = 16u << 20};
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/tracepress-fuzz-%d", (int)getpid());
        abort_unless(mkdir(folder, 0700) == 0 && atexit(remove_folder) == 0);
    }
    tp_analysis_open(&analysis, NULL);
    if (setjmp(analysis.arena.guard) == 0 &&
        tp_trace_read_bytes(&analysis.trace, &analysis.arena, data, size, &options, NULL) == 0)
        export_xplane(&analysis, folder);
    tp_analysis_close(&analysis);
    return 0;
}
