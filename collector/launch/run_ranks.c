/* Manages the ranks of one job in one run: see run_ranks.h. */
#include "collector/launch/run_ranks.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "collector/launch/run_folder.h"
#include "writer/base/buf.h"
#include "writer/base/fs.h"
#include "writer/base/input.h"
#include "writer/worker.h"

enum { MOST_NOTES_BYTES = 1 << 30, PATH_BYTES = TP_RUN_PATH_BYTES + 64 };

static const char ended[] = ".ended";
/* members of run.json in the form in which run_folder.c writes them */
static const char *const states[] = {"\"state\":\"recording\"", "\"state\":\"unprocessed\"", "\"state\":\"complete\""};

bool tp_run_ranks_is_shared(const struct tp_run_folder *run)
{
    return strcmp(run->path, run->home) != 0;
}

static int lock_folder(const char *path)
{
    DIR *dir = opendir(path);
    int fd = dir ? fcntl(dirfd(dir), F_DUPFD_CLOEXEC, 3) : -1;
    if (dir)
        closedir(dir);
    if (fd >= 0)
        /* without the lock, two ranks can both find that they are the last one, and make the same results */
        flock(fd, LOCK_EX);
    return fd;
}

int tp_run_ranks_lock(const struct tp_run_folder *run)
{
    return lock_folder(run->path);
}

/* Returns whether `name` is the name of a rank's folder, such as "3". is_end: whether `name` is the name of an end
 * mark, such as "3.ended". */
static bool is_rank_folder_name(const char *name, bool is_end)
{
    size_t digits = strspn(name, "0123456789");
    return digits > 0 && strcmp(name + digits, is_end ? ended : "") == 0;
}

/* Returns the number of folders of ranks that have no end mark, or -1 if the number is unknown. */
static long count_unfinished_ranks(const char *places)
{
    long count = 0;
    DIR *dir = opendir(places);
    if (!dir)
        return -1;
    for (struct dirent *entry; (entry = readdir(dir));)
        count += is_rank_folder_name(entry->d_name, false) - is_rank_folder_name(entry->d_name, true);
    closedir(dir);
    return count;
}

bool tp_run_ranks_mark_rank_ended(const struct tp_run_folder *run)
{
    char places[PATH_BYTES], mark[PATH_BYTES];
    snprintf(places, sizeof places, "%s/%s", run->path, TP_WORKER_RANKS);
    snprintf(mark, sizeof mark, "%s%s", run->home, ended);
    int lock = lock_folder(places);
    int fd = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0)
        close(fd);
    bool is_last = fd >= 0 && count_unfinished_ranks(places) == 0;
    if (lock >= 0)
        close(lock);
    return is_last;
}

/* ---- run.json ---- */

static int is_rank_folder_entry(const struct dirent *entry)
{
    return is_rank_folder_name(entry->d_name, false);
}

static int compare_by_number(const struct dirent **a, const struct dirent **b)
{
    unsigned long x = strtoul((*a)->d_name, NULL, 10), y = strtoul((*b)->d_name, NULL, 10);
    return (x > y) - (x < y);
}

/* Reads the run.json of a rank without its line feed. Empties *note if the file does not exist or has another
 * format. */
static void load_note_of_rank(struct tp_buf *note, const char *places, const char *rank)
{
    static const char head[] = "{\"schema\":\"tracepress-run\",";
    char path[PATH_BYTES + 300];
    snprintf(path, sizeof path, "%s/%s/run.json", places, rank);
    tp_buf_clear(note);
    if (tp_input_read_all(note, path, TP_INPUT_FILE, NULL) < 0 || note->size < sizeof head + 1 ||
        memcmp(note->data, head, sizeof head - 1) != 0 || memcmp(note->data + note->size - 2, "}\n", 2) != 0)
        note->size = 0;
    note->size -= note->size > 0;
}

/* The notes (run.json) of all ranks, while they are being combined. */
struct notes {
    struct tp_buf first, all; /* first: note of the lowest rank; all: notes of all ranks, separated by commas */
    const char *state;        /* state of the rank that has made least progress */
};

static bool has_note_state(const struct tp_buf *note, const char *state)
{
    return memmem(note->data, note->size, state, strlen(state)) != NULL;
}

static void add_note_of_rank(struct notes *notes, const struct tp_buf *note)
{
    if (!notes->all.size)
        tp_buf_add(&notes->first, note->data, note->size - 1);
    tp_buf_puts(&notes->all, notes->all.size ? ",\n" : "\n");
    tp_buf_add(&notes->all, note->data, note->size);
    if (notes->state != states[0] && !has_note_state(note, states[2]))
        notes->state = has_note_state(note, states[0]) ? states[0] : states[1];
}

/* Writes the members of the lowest rank's note with the state of the job, followed by the notes of all ranks. */
static void combine_notes(struct tp_buf *text, const struct notes *notes)
{
    static const char key[] = "\"state\":\"";
    const char *begin = notes->first.data, *end = begin + notes->first.size;
    const char *at = memmem(begin, notes->first.size, key, sizeof key - 1);
    const char *behind = at ? memchr(at + sizeof key, '"', (size_t)(end - at) - sizeof key) : NULL;
    tp_buf_add(text, begin, behind ? (size_t)(at - begin) : notes->first.size);
    if (behind) {
        tp_buf_puts(text, notes->state);
        tp_buf_add(text, behind + 1, (size_t)(end - behind - 1));
    }
    tp_buf_puts(text, ",\"ranks\":[");
    tp_buf_add(text, notes->all.data, notes->all.size);
    tp_buf_puts(text, "\n]}\n");
}

static int write_combined_note(const struct tp_run_folder *run, const struct tp_buf *all, struct tp_error *err)
{
    char path[PATH_BYTES];
    struct tp_outfile *file = NULL;
    snprintf(path, sizeof path, "%s/run.json", run->path);
    int code =
        all->failed ? tp_error_set(err, all->failed, 0, "%s: out of memory", path) : tp_outfile_open(&file, path, err);
    if (code < 0)
        return code;
    code = tp_outfile_write(file, all->data, all->size, err);
    return code < 0 ? (tp_outfile_discard(&file), code) : tp_outfile_commit(&file, err);
}

int tp_run_ranks_write_note(const struct tp_run_folder *run, struct tp_error *err)
{
    char places[PATH_BYTES];
    struct dirent **names = NULL;
    struct notes notes = {.state = states[2]};
    struct tp_buf text, note;
    snprintf(places, sizeof places, "%s/%s", run->path, TP_WORKER_RANKS);
    int count = scandir(places, &names, is_rank_folder_entry, compare_by_number), code = TP_OK;
    tp_buf_init(&notes.first, MOST_NOTES_BYTES);
    tp_buf_init(&notes.all, MOST_NOTES_BYTES);
    tp_buf_init(&text, MOST_NOTES_BYTES);
    tp_buf_init(&note, MOST_NOTES_BYTES);
    for (int i = 0; i < count; i++) {
        load_note_of_rank(&note, places, names[i]->d_name);
        if (note.size)
            add_note_of_rank(&notes, &note);
        free(names[i]);
    }
    free(names);
    text.failed = notes.first.failed ? notes.first.failed : notes.all.failed;
    if (notes.all.size && !text.failed)
        combine_notes(&text, &notes);
    if (notes.all.size || text.failed)
        code = write_combined_note(run, &text, err);
    tp_buf_release(&note);
    tp_buf_release(&text);
    tp_buf_release(&notes.all);
    tp_buf_release(&notes.first);
    return code;
}

static void combine_wishes_of_rank(struct tp_run_wishes *all, const struct tp_run_wishes *one, bool is_first)
{
    bool is_only = one->summary_only && (is_first || all->summary_only);
    all->events |= one->events;
    all->report |= one->report;
    all->summary |= one->summary || one->summary_only || all->summary_only;
    all->summary_only = is_only;
}

void tp_run_ranks_combine_wishes(const struct tp_run_folder *run, struct tp_run_wishes *wishes)
{
    char places[PATH_BYTES];
    struct dirent **names = NULL;
    bool is_first = true;
    snprintf(places, sizeof places, "%s/%s", run->path, TP_WORKER_RANKS);
    int count = scandir(places, &names, is_rank_folder_entry, compare_by_number);
    *wishes = (struct tp_run_wishes){0};
    for (int i = 0; i < count; i++) {
        struct tp_run_folder rank = {.lock = -1};
        struct tp_run_note note;
        int n = snprintf(rank.home, sizeof rank.home, "%s/%s", places, names[i]->d_name);
        if (n > 0 && (size_t)n < sizeof rank.home && tp_run_folder_read_note(&rank, &note)) {
            combine_wishes_of_rank(wishes, &note.wishes, is_first);
            is_first = false;
        }
        free(names[i]);
    }
    free(names);
}

int tp_run_ranks_create_note(const struct tp_run_folder *run, struct tp_error *err)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/run.json", run->path);
    return access(path, F_OK) == 0 ? TP_OK : tp_run_ranks_write_note(run, err);
}
