/* Manages the folder of one call of `record`: see run_folder.h. */
#include "collector/launch/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "writer/base/fs.h"
#include "writer/base/json_out.h"
#include "writer/base/path.h"
#include "writer/base/put.h"
#include "writer/worker.h"

enum { SAME_NAMES = 100, SAME_RUNS = 100000, MOST_NOTE_BYTES = 16 << 20 };

static const char *const states[] = {"recording", "unprocessed", "complete", "incomplete"};

static const struct {
    const char *name;
    size_t field;
} wish_names[] = {
    {"events", offsetof(struct tp_run_wishes, events)},
    {"report", offsetof(struct tp_run_wishes, report)},
    {"summary", offsetof(struct tp_run_wishes, summary)},
    {"summary-only", offsetof(struct tp_run_wishes, summary_only)},
};

enum { WISHES = sizeof wish_names / sizeof *wish_names };

static bool *member_of_wishes(struct tp_run_wishes *wishes, size_t i)
{
    return (bool *)((char *)wishes + wish_names[i].field);
}

/* ---- creating and opening ---- */

void tp_run_folder_program_name(char name[TP_RUN_NAME_BYTES + 1], const char *program)
{
    const char *base = tp_path_base(program);
    size_t n = 0;
    for (; base[n] && n < TP_RUN_NAME_BYTES; n++) {
        char c = base[n];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                        (n > 0 && (c == '.' || c == '-' || c == '+'));
        name[n] = is_plain ? c : '_';
    }
    name[n] = '\0';
    if (n == 0)
        strcpy(name, "program");
}

/* Writes LOGDIR/NAME to `path`, with one slash between them even if LOGDIR ends in a slash. Returns false if the path
 * is too long. */
static bool join_logdir_and_name(char path[TP_RUN_PATH_BYTES], const char *logdir, const char *name)
{
    size_t size = strlen(logdir);
    while (size > 1 && logdir[size - 1] == '/')
        size--;
    int n = snprintf(path, TP_RUN_PATH_BYTES, "%.*s%s%s", (int)size, logdir, logdir[size - 1] == '/' ? "" : "/", name);
    return n > 0 && n < TP_RUN_PATH_BYTES;
}

static int report_long_path(const char *logdir, struct tp_error *err)
{
    return tp_error_set(err, TP_EIO, 0, "%s: %s", logdir, strerror(ENAMETOOLONG));
}

/* Creates a new folder for this call. If the name exists, adds a number, because calls in different containers may
 * have the same time and process id. */
static int make_new_folder(struct tp_run_folder *run, const char *logdir, const char *program, struct tp_error *err)
{
    char name[TP_RUN_NAME_BYTES + 1], when[32], whole[TP_RUN_NAME_BYTES + 96];
    time_t now = time(NULL);
    struct tm parts;
    tp_run_folder_program_name(name, program);
    strftime(when, sizeof when, "%Y%m%d-%H%M%S", localtime_r(&now, &parts) ? &parts : gmtime_r(&now, &parts));
    for (int i = 1; i <= SAME_NAMES; i++) {
        char again[16] = "";
        if (i > 1)
            snprintf(again, sizeof again, "-%d", i);
        snprintf(whole, sizeof whole, "%s-%s-%ld%s", name, when, (long)getpid(), again);
        if (!join_logdir_and_name(run->path, logdir, whole))
            return report_long_path(logdir, err);
        if (mkdir(run->path, 0777) == 0) {
            memcpy(run->home, run->path, sizeof run->home);
            return TP_OK;
        }
        if (errno != EEXIST)
            break;
    }
    return tp_error_set(err, TP_EIO, 0, "%s: %s", run->path, strerror(errno));
}

/* Creates a folder that may already exist. Sets *is_new to whether this call created the folder. Returns false on an
 * error. */
static bool make_missing_folder(const char *path, bool *is_new)
{
    *is_new = mkdir(path, 0777) == 0;
    return *is_new || errno == EEXIST;
}

/* Creates this rank's folder in the first of the job's run folders without a folder for this rank. If the rank already
 * has a folder in a run, that run is an earlier one. Other ranks cannot interfere, because mkdir is atomic on every
 * file system. */
static int make_rank_folder(struct tp_run_folder *run, const char *logdir, const char *program,
                            const struct tp_launcher *launcher, struct tp_error *err)
{
    char name[TP_RUN_NAME_BYTES + 1], whole[TP_RUN_NAME_BYTES + sizeof launcher->job + 16], places[TP_RUN_PATH_BYTES];
    tp_run_folder_program_name(name, program);
    for (int i = 1; i <= SAME_RUNS; i++) {
        bool is_new = false;
        int n = snprintf(whole, sizeof whole, "%s-%s", name, launcher->job);
        if (i > 1)
            snprintf(whole + n, sizeof whole - (size_t)n, "-%d", i);
        if (!join_logdir_and_name(run->path, logdir, whole) ||
            !join_logdir_and_name(places, run->path, TP_WORKER_RANKS))
            return report_long_path(logdir, err);
        snprintf(whole, sizeof whole, "%u", (unsigned)launcher->rank);
        if (!join_logdir_and_name(run->home, places, whole))
            return report_long_path(logdir, err);
        if (!make_missing_folder(run->path, &is_new) || !make_missing_folder(places, &is_new) ||
            !make_missing_folder(run->home, &is_new))
            break;
        if (is_new)
            return TP_OK;
    }
    return tp_error_set(err, TP_EIO, 0, "%s: %s", run->home, strerror(errno));
}

/* Writes the absolute path of the folder of raw records to run->spools. Returns false if the path is too long. */
static bool set_spools_path(struct tp_run_folder *run)
{
    char path[PATH_MAX];
    int n = realpath(run->home, path) ? snprintf(run->spools, sizeof run->spools, "%s/%s", path, TP_WORKER_SPOOLS) : -1;
    return n > 0 && (size_t)n < sizeof run->spools;
}

/* Locks the folder. Returns false if another process has the lock. On a file system without locks, assumes that no
 * other process has the lock. */
static bool lock_folder(struct tp_run_folder *run)
{
    run->lock = open(run->spools, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return run->lock < 0 || flock(run->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

int tp_run_folder_make(struct tp_run_folder *run, const char *logdir, const char *program,
                       const struct tp_launcher *launcher, struct tp_error *err)
{
    *run = (struct tp_run_folder){.lock = -1};
    int code = tp_folder_make(logdir, err);
    if (code == TP_OK)
        code = launcher ? make_rank_folder(run, logdir, program, launcher, err)
                        : make_new_folder(run, logdir, program, err);
    if (code < 0) {
        *run->path = '\0';
        return code;
    }
    if (!set_spools_path(run))
        code = report_long_path(logdir, err);
    else if (mkdir(run->spools, 0777) != 0)
        code = tp_error_set(err, TP_EIO, 0, "%s: %s", run->spools, strerror(errno));
    if (code < 0)
        tp_run_folder_release(run, true);
    else
        lock_folder(run);
    return code;
}

/* Returns the length of the path of the run in `home`, which ends before a rank's suffix such as "/.ranks/3". */
static size_t run_path_length(const char *home)
{
    static const char ranks[] = "/" TP_WORKER_RANKS;
    const char *last = strrchr(home, '/');
    size_t size = last ? (size_t)(last - home) : 0, n = strlen(ranks);
    return size > n && memcmp(last - n, ranks, n) == 0 ? size - n : strlen(home);
}

int tp_run_folder_open(struct tp_run_folder *run, const char *path, struct tp_error *err)
{
    struct stat status;
    *run = (struct tp_run_folder){.lock = -1};
    int n = snprintf(run->home, sizeof run->home, "%s", path);
    snprintf(run->path, sizeof run->path, "%.*s", (int)run_path_length(path), path);
    if (n < 0 || (size_t)n >= sizeof run->home || !set_spools_path(run))
        return tp_error_set(err, TP_EIO, 0, "%s: %s", path, strerror(errno ? errno : ENAMETOOLONG));
    if (lstat(run->spools, &status) != 0 || !S_ISDIR(status.st_mode))
        return tp_error_set(err, TP_ENOTFOUND, 0, "%s: it contains no raw records", path);
    if (lock_folder(run))
        return TP_OK;
    tp_run_folder_release(run, false);
    return tp_error_set(err, TP_EUNSUPPORTED, 0, "%s: it is still being recorded, or another process is finishing it",
                        path);
}

static void remove_printed_message_marks(const struct tp_run_folder *run)
{
    DIR *dir = opendir(run->spools);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (strncmp(entry->d_name, TP_WORKER_PRINTED_PREFIX, strlen(TP_WORKER_PRINTED_PREFIX)) == 0)
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
}

void tp_run_folder_remove_spools(const struct tp_run_folder *run)
{
    char path[TP_RUN_PATH_BYTES + 32];
    if (!*run->spools)
        return;
    snprintf(path, sizeof path, "%s/" TP_WORKER_PROCESS_LIST, run->spools);
    unlink(path); /* removes a note that the preload library left for `record` and that is no longer needed */
    remove_printed_message_marks(run);
    rmdir(run->spools);
}

/* Removes the folder of the job if it became empty when this rank's folder was removed. */
static void remove_job_folder(const struct tp_run_folder *run)
{
    char places[TP_RUN_PATH_BYTES + 64];
    snprintf(places, sizeof places, "%s/%s", run->path, TP_WORKER_RANKS);
    if (rmdir(places) != 0)
        return;
    snprintf(places, sizeof places, "%s/run.json", run->path);
    unlink(places);
    rmdir(run->path);
}

void tp_run_folder_release(struct tp_run_folder *run, bool is_unused)
{
    if (is_unused)
        tp_run_folder_remove_spools(run);
    if (is_unused && *run->home)
        rmdir(run->home);
    if (is_unused && *run->path && strcmp(run->path, run->home) != 0)
        remove_job_folder(run);
    if (run->lock >= 0)
        close(run->lock);
    run->lock = -1;
}

/* ---- run.json ---- */

/* Adds a text from the system, such as an argument. The text may contain any bytes. */
static void add_json_text(struct tp_json *json, const char *text)
{
    struct tp_buf quoted;
    tp_buf_init(&quoted, MOST_NOTE_BYTES);
    tp_put_string(&quoted, tp_str_of(text ? text : ""), SIZE_MAX);
    tp_json_raw(json, quoted.failed ? TP_STR("\"\"") : (struct tp_str){quoted.data, quoted.size});
    tp_buf_release(&quoted);
}

static void add_json_texts(struct tp_json *json, char *const *texts)
{
    tp_json_array(json);
    for (size_t i = 0; texts && texts[i]; i++)
        add_json_text(json, texts[i]);
    tp_json_array_end(json);
}

static void add_end_members(struct tp_json *json, const struct tp_run_note *note)
{
    if (!note->ended_ns)
        return;
    tp_json_member_int(json, "ended_ns", note->ended_ns);
    tp_json_member_int(json, "cpu_us", note->cpu_us);
    tp_json_member_int(json, "exit_code", note->exit_code);
    if (note->signal)
        tp_json_member_int(json, "signal", note->signal);
}

static void add_wishes_to_note(struct tp_json *json, const struct tp_run_wishes *wishes)
{
    tp_json_key(json, "makes");
    tp_json_array(json);
    for (size_t i = 0; i < WISHES; i++)
        if (*member_of_wishes((struct tp_run_wishes *)(uintptr_t)wishes, i))
            tp_json_text(json, wish_names[i].name);
    tp_json_array_end(json);
}

static void add_launcher_to_note(struct tp_json *json, const struct tp_launcher *launcher)
{
    char host[256] = "";
    if (!launcher)
        return;
    gethostname(host, sizeof host - 1);
    tp_json_member_text(json, "launcher", launcher->name);
    tp_json_member_text(json, "job", launcher->job);
    tp_json_member_int(json, "rank", launcher->rank);
    tp_json_member_int(json, "rank_count", launcher->size);
    tp_json_key(json, "host");
    add_json_text(json, host);
}

/* Writes the members of run.json. State and process id come first, because tp_run_folder_read_note searches for these
 * keys. An argument of the program cannot be mistaken for a key, because quotes in texts are escaped. */
static void write_note_members(struct tp_buf *text, const struct tp_run_note *note)
{
    char cwd[PATH_MAX];
    struct tp_json json;
    tp_json_init(&json, text);
    tp_json_object(&json);
    tp_json_member_text(&json, "schema", "tracepress-run");
    tp_json_member_int(&json, "schema_version", 1);
    tp_json_member_text(&json, "state", states[note->state]);
    tp_json_member_int(&json, "pid", note->pid);
    tp_json_member_text(&json, "tracepress", TP_VERSION);
    tp_json_member_text(&json, "mode", note->mode);
    if (note->reason)
        tp_json_member_text(&json, "reason", note->reason);
    add_wishes_to_note(&json, &note->wishes);
    add_launcher_to_note(&json, note->launcher);
    tp_json_key(&json, "argv");
    add_json_texts(&json, note->argv);
    tp_json_key(&json, "cwd");
    add_json_text(&json, getcwd(cwd, sizeof cwd));
    tp_json_member_int(&json, "started_ns", note->started_ns);
    add_end_members(&json, note);
    tp_json_object_end(&json);
    tp_put_char(text, '\n');
}

static bool set_note_path(const struct tp_run_folder *run, char path[TP_RUN_PATH_BYTES + 16])
{
    snprintf(path, TP_RUN_PATH_BYTES + 16, "%s/run.json", run->home);
    return *run->home != '\0';
}

static int write_note(const struct tp_run_folder *run, const struct tp_buf *text, struct tp_error *err)
{
    char path[TP_RUN_PATH_BYTES + 16];
    struct tp_outfile *file;
    if (text->failed)
        return tp_error_set(err, text->failed, 0, "out of memory");
    if (!set_note_path(run, path))
        return TP_OK;
    int code = tp_outfile_open(&file, path, err);
    code = code < 0 ? code : tp_outfile_write(file, text->data, text->size, err);
    return code < 0 ? (tp_outfile_discard(&file), code) : tp_outfile_commit(&file, err);
}

int tp_run_folder_write_note(const struct tp_run_folder *run, const struct tp_run_note *note, struct tp_error *err)
{
    struct tp_buf text;
    tp_buf_init(&text, MOST_NOTE_BYTES);
    write_note_members(&text, note);
    int code = write_note(run, &text, err);
    tp_buf_release(&text);
    return code;
}

/* Reads run.json completely and adds a NUL. Returns false if the file cannot be read. */
static bool load_note(const struct tp_run_folder *run, struct tp_buf *text)
{
    char path[TP_RUN_PATH_BYTES + 16];
    int fd = set_note_path(run, path) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    struct stat status;
    ssize_t n = 1;
    bool is_file = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    while (is_file && n > 0 && tp_buf_reserve(text, 4096) == 0) {
        n = read(fd, text->data + text->size, 4095);
        text->size += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        close(fd);
    if (is_file && n == 0)
        text->data[text->size] = '\0';
    return is_file && n == 0;
}

/* Returns a pointer to the value of the first member with this key, or NULL. */
static char *find_note_member(const struct tp_buf *text, const char *key)
{
    char *at = strstr(text->data, key);
    return at ? at + strlen(key) : NULL;
}

static bool read_state(const char *value, enum tp_run_state *state)
{
    for (unsigned i = 0; value && i < sizeof states / sizeof *states; i++) {
        size_t n = strlen(states[i]);
        if (strncmp(value, states[i], n) == 0 && value[n] == '"') {
            *state = (enum tp_run_state)i;
            return true;
        }
    }
    return false;
}

static const char state_key[] = "\"state\":\"", pid_key[] = "\"pid\":", makes_key[] = "\"makes\":[";

static void read_wishes(const char *list, struct tp_run_wishes *wishes)
{
    char quoted[32];
    size_t size = list ? strcspn(list, "]") : 0;
    for (size_t i = 0; i < WISHES; i++) {
        int n = snprintf(quoted, sizeof quoted, "\"%s\"", wish_names[i].name);
        *member_of_wishes(wishes, i) = size && memmem(list, size, quoted, (size_t)n);
    }
}

/* Returns the number that is the value of a member, or 0 if the member does not exist. */
static int64_t read_number_member(const struct tp_buf *text, const char *key)
{
    const char *value = find_note_member(text, key);
    return value ? strtoll(value, NULL, 10) : 0;
}

bool tp_run_folder_read_note(const struct tp_run_folder *run, struct tp_run_note *note)
{
    struct tp_buf text;
    tp_buf_init(&text, MOST_NOTE_BYTES);
    bool is_read = load_note(run, &text) && read_state(find_note_member(&text, state_key), &note->state);
    note->pid = is_read ? (pid_t)read_number_member(&text, pid_key) : 0;
    note->started_ns = is_read ? read_number_member(&text, "\"started_ns\":") : 0;
    note->ended_ns = is_read ? read_number_member(&text, "\"ended_ns\":") : 0;
    note->cpu_us = is_read ? read_number_member(&text, "\"cpu_us\":") : 0;
    const char *mode = is_read ? find_note_member(&text, "\"mode\":\"") : NULL;
    note->is_cut = mode && !note->ended_ns && (strncmp(mode, "outside", 7) == 0 || strncmp(mode, "both", 4) == 0);
    read_wishes(is_read ? find_note_member(&text, makes_key) : NULL, &note->wishes);
    tp_buf_release(&text);
    return is_read;
}

int tp_run_folder_set_state(const struct tp_run_folder *run, enum tp_run_state state, struct tp_error *err)
{
    struct tp_buf text, changed;
    enum tp_run_state before;
    int code = TP_OK;
    tp_buf_init(&text, MOST_NOTE_BYTES);
    tp_buf_init(&changed, MOST_NOTE_BYTES);
    const char *value = load_note(run, &text) ? find_note_member(&text, state_key) : NULL;
    if (read_state(value, &before) && before != state) {
        const char *rest = value + strlen(states[before]);
        tp_buf_add(&changed, text.data, (size_t)(value - text.data));
        tp_buf_puts(&changed, states[state]);
        tp_buf_add(&changed, rest, text.size - (size_t)(rest - text.data));
        code = write_note(run, &changed, err);
    }
    tp_buf_release(&changed);
    tp_buf_release(&text);
    return code;
}

/* ---- writing to the disk ---- */

static void sync_path(const char *folder, const char *name)
{
    char path[TP_RUN_PATH_BYTES + 300];
    snprintf(path, sizeof path, "%s%s%s", folder, name ? "/" : "", name ? name : "");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

void tp_run_folder_sync(const struct tp_run_folder *run)
{
    DIR *dir = opendir(run->spools);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (entry->d_type == DT_REG || entry->d_type == DT_UNKNOWN)
            sync_path(run->spools, entry->d_name);
    if (dir)
        closedir(dir);
    sync_path(run->spools, NULL);
    sync_path(run->path, NULL);
}
