/* Writes export --to xplane: a profile for XProf, the profile plugin of TensorBoard (checked with xprof 2.24.2).
 *
 * The file is DIR/plugins/profile/SESSION/WORKER.xplane.pb. Ranks of one recording share a session. XProf recognizes
 * certain names of planes, lines, events and stats; the code that writes them lists these names. XProf does not
 * document the names, so that this export is experimental. XProf multiplies nanoseconds by 1000 in 64 bits. To avoid an
 * overflow, times are relative to the start of the profile. */
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "webreport/export/export_formats.h"
#include "webreport/export/whole_file.h"
#include "webreport/export/xplane/xplane_parts.h"
#include "webreport/trace/rundir.h"
#include "writer/base/fs.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

enum { ENVIRONMENT_PLANE = 1 << 20 };

/* ---- the exported time range ---- */

static int64_t median_start_of_events(const struct tp_xexport *x)
{
    uint32_t count = x->trace->event_count;
    int64_t *starts = tp_arena_array(x->arena, count, sizeof *starts);
    for (uint32_t i = 0; i < count; i++)
        starts[i] = x->trace->events[i].ts_ns;
    int64_t median = tp_lower_median(starts, count);
    tp_arena_free_item(x->arena, starts, count * sizeof *starts);
    return median;
}

/* Sets x->first_ns and x->last_ns to the earliest and latest start of an event or memory record from `low` to `high`,
 * ns. Returns the number of events and records outside `low` to `high`. */
static uint64_t find_densest_range(struct tp_xexport *x, int64_t low, int64_t high)
{
    uint64_t outside = 0;
    x->first_ns = INT64_MAX;
    x->last_ns = INT64_MIN;
    for (uint64_t i = 0; i < (uint64_t)x->trace->event_count + x->trace->memory_count; i++) {
        int64_t at =
            i < x->trace->event_count ? x->trace->events[i].ts_ns : x->trace->memory[i - x->trace->event_count].ts_ns;
        if (at < low || at > high) {
            outside++;
            continue;
        }
        x->first_ns = at < x->first_ns ? at : x->first_ns;
        x->last_ns = at > x->last_ns ? at : x->last_ns;
    }
    if (x->first_ns > x->last_ns)
        x->first_ns = x->last_ns = 0;
    return outside;
}

/* Finds the exported time range: the whole trace, or the part around the median event that 64 bits of picoseconds can
 * represent. */
static void find_window_of_export(struct tp_xexport *x)
{
    char text[128];
    find_densest_range(x, INT64_MIN, INT64_MAX);
    if (x->last_ns - x->first_ns <= TP_MAX_XEVENT_NS || x->trace->event_count == 0)
        return;
    int64_t median = median_start_of_events(x);
    uint64_t outside = find_densest_range(x, median - TP_MAX_XEVENT_NS / 2, median + TP_MAX_XEVENT_NS / 2);
    int n = snprintf(text, sizeof text, "tracepress: %llu events lie more than 26 days from the others: left out",
                     (unsigned long long)outside);
    tp_xspace_add_warning(x->space, (struct tp_str){text, (size_t)n});
}

/* ---- the file ---- */

static void put_environment(struct tp_xexport *x)
{
    struct tp_xplane *plane = tp_xspace_add_plane(x->space, ENVIRONMENT_PLANE, TP_STR("Task Environment"));
    int64_t base = x->trace->base_time_ns, start, stop;
    if (__builtin_add_overflow(base, x->first_ns, &start) || __builtin_add_overflow(base, x->last_ns, &stop) ||
        start < 0)
        start = stop = 0;
    struct tp_xstat from = tp_xstat_uint(tp_xplane_add_text(plane, TP_STR("profile_start_time")), (uint64_t)start);
    struct tp_xstat to = tp_xstat_uint(tp_xplane_add_text(plane, TP_STR("profile_stop_time")), (uint64_t)stop);
    tp_xplane_add_stat(plane, &from);
    tp_xplane_add_stat(plane, &to);
}

/* Writes the path of the session's folder. The session is named after the run. A single profile adds the time in the
 * input's name; several profiles add the number of the recording. */
static int session_folder(char *path, size_t size, const struct tp_export *export)
{
    struct tp_str worker, time = {0};
    char base[256], span[32] = "";
    bool is_alone = strcmp(export->out, export->folder) == 0;
    snprintf(base, sizeof base, "%.*s", (int)(export->profile->file.len < 255 ? export->profile->file.len : 255),
             export->profile->file.ptr);
    if (is_alone && tp_rundir_split_file_name(base, &worker, &time) && time.ptr)
        snprintf(span, sizeof span, ".%.*s", (int)(time.len < 24 ? time.len : 24), time.ptr);
    else if (!is_alone && export->profile->span != TP_NULL_INT)
        snprintf(span, sizeof span, ".%lld", (long long)export->profile->span);
    int n = snprintf(path, size, "%s/plugins/profile/%s%s", export->out, export->run, span);
    return n < 0 || (size_t)n >= size ? TP_ELIMIT : TP_OK;
}

/* Removes the files that XProf has cached for this worker and for the folder, because they do not match the new file.
 * XProf creates them again. */
static void remove_caches(const char *folder, const char *worker)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct tp_str name = tp_str_of(entry->d_name);
        if (tp_str_equal(name, TP_STR(".cached_tools.json")) || tp_str_equal(name, TP_STR("cache_version.txt")) ||
            (tp_str_ends(name, ".SSTABLE") && tp_str_starts(name, worker)) || tp_str_starts(name, "ALL_HOSTS.op_stats"))
            unlinkat(dirfd(dir), entry->d_name, 0);
    }
    if (dir)
        closedir(dir);
}

int tp_export_xplane(const struct tp_export *export, struct tp_error *err)
{
    const struct tp_profile *profile = export->profile;
    struct tp_xexport x = {.trace = profile->trace,
                           .order = profile->order,
                           .model = profile->model,
                           .arena = export->arena,
                           .space = tp_xspace_new(export->arena, profile->worker, 0)};
    char folder[4096], path[4096 + TP_MAX_EXPORT_NAME_BYTES + 16];
    if (session_folder(folder, sizeof folder, export) < 0)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the name of the folder is too long", export->out);
    find_window_of_export(&x);
    x.main_thread = x.model->host_main;
    tp_xscopes_init(&x.scopes, x.arena);
    tp_xexport_host(&x);
    tp_xexport_devices(&x);
    put_environment(&x);
    snprintf(path, sizeof path, "%s/%s.xplane.pb", folder, export->worker);
    int code = tp_folder_make(folder, err);
    code = code < 0 ? code : tp_xspace_write(x.space, path, err);
    if (code == TP_OK)
        remove_caches(folder, export->worker);
    return tp_export_note_written_path(export, path, code);
}
