/* Reads spools: see spool_read.h. */
#include "writer/spool/spool_read.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "writer/base/input.h"
#include "writer/base/mapped.h"

/* Limits for damaged values, so that sums fit into 64 bits. MAX_WALL_NS is for the wall clock (until 2116), MAX_NS for
 * other durations. */
static const int64_t MAX_WALL_NS = 1ll << 62, MAX_NS = 1ll << 60;

/* ---- the file ---- */

/* Returns whether a program still records into the spool. Such a program has the spool locked. On file systems without
 * locks, returns true for every spool. */
static bool is_spool_in_use(int fd, pid_t *pid)
{
    struct tp_spool_head head = {0};
    bool is_spool = pread(fd, &head, sizeof head, 0) == (ssize_t)sizeof head && head.magic == TP_SPOOL_MAGIC;
    *pid = (pid_t)head.pid;
    /* a writer locks the file before it writes the head, so this lock does not disturb a writer */
    return is_spool && flock(fd, LOCK_SH | LOCK_NB) != 0;
}

/* Returns whether this process itself has the file open through another descriptor. Process ids are not sufficient,
 * because a process in another container may have the same id. */
static bool is_file_open_in_this_process(int fd)
{
    struct stat own, other;
    DIR *dir = fstat(fd, &own) == 0 ? opendir("/proc/self/fd") : NULL;
    bool is_found = false;
    for (struct dirent *entry; dir && !is_found && (entry = readdir(dir)) != NULL;) {
        /* opened by its name in the folder, because another thread may close the descriptor at this moment */
        is_found = *entry->d_name != '.' && atoi(entry->d_name) != fd &&
                   fstatat(dirfd(dir), entry->d_name, &other, 0) == 0 && other.st_dev == own.st_dev &&
                   other.st_ino == own.st_ino;
    }
    if (dir)
        closedir(dir);
    return is_found;
}

/* Copies the file, because a running program reuses chunks. Before a program reuses a chunk, it writes the chunk's
 * contents to the end of the file. So a copy in file order up to the current end contains all records. */
static void *copy_file_bytes(int fd, size_t *size)
{
    size_t room = *size + *size / 4 + (64u << 20), at = 0;
    char *bytes = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (ssize_t n = 1; bytes != MAP_FAILED && at < room && n > 0; at += n > 0 ? (size_t)n : 0)
        n = pread(fd, bytes + at, room - at, (off_t)at);
    if (bytes == MAP_FAILED || at < TP_SPOOL_UNIT)
        return MAP_FAILED;
    size_t whole = (at + TP_SPOOL_UNIT - 1) / TP_SPOOL_UNIT * TP_SPOOL_UNIT;
    if (whole < room)
        munmap(bytes + whole, room - whole);
    *size = at;
    return bytes;
}

/* Returns the bytes of the file, mapped or as a stable copy. Returns MAP_FAILED if the file is too short, or when
 * memory is short. */
static void *load_file_bytes(int fd, size_t *size, bool *is_copy)
{
    pid_t pid;
    if (*size < TP_SPOOL_UNIT)
        return MAP_FAILED;
    /* a signal handler in the recording process itself reads only finished recordings, which need no copy */
    *is_copy = is_spool_in_use(fd, &pid) && (pid != getpid() || !is_file_open_in_this_process(fd));
    if (*is_copy)
        return copy_file_bytes(fd, size);
    void *bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED)
        tp_mapped_add(bytes, *size);
    return bytes;
}

static int map_file(struct tp_spool_file *file, const char *path, struct tp_error *err)
{
    struct tp_input input;
    struct tp_error why = {0};
    int code = tp_input_open(&input, path, TP_INPUT_FILE, &why), fd = input.fd;
    if (code < 0)
        return tp_error_set(err, TP_EIO, 0, "%s: %s", path, why.text);
    size_t size = (size_t)input.size;
    bool is_copy = false;
    void *bytes = load_file_bytes(fd, &size, &is_copy);
    file->source = is_copy ? 0 : fd + 1;
    if (is_copy || bytes == MAP_FAILED)
        close(fd);
    if (bytes == MAP_FAILED) {
        file->source = 0;
        return tp_error_set(err, TP_EFORMAT, 0, "%s: not a spool of tracepress", path);
    }
    file->bytes = bytes;
    file->size = size;
    memcpy(&file->head, bytes, sizeof file->head);
    if (file->head.magic != TP_SPOOL_MAGIC || file->head.version != TP_SPOOL_VERSION)
        return tp_error_set(err, TP_EFORMAT, 0, "%s: not a spool of tracepress, or of another version", path);
    return 0;
}

void tp_spool_release(struct tp_spool_file *file)
{
    tp_mapped_remove(file->bytes, file->size);
    file->bytes = NULL;
    if (file->source)
        close(file->source - 1);
    file->source = 0;
}

size_t tp_spool_cut_offset(const struct tp_spool_file *file)
{
    return file->source ? tp_mapped_cut_offset(file->bytes) : SIZE_MAX;
}

bool tp_spool_is_live(const char *path)
{
    pid_t pid;
    struct tp_input input;
    if (tp_input_open(&input, path, TP_INPUT_FILE, NULL) < 0)
        return false;
    bool lives = is_spool_in_use(input.fd, &pid);
    close(input.fd);
    return lives;
}

/* Returns the chunk at `offset`, or NULL if the chunk is not complete. Reads its header by pread, not through the
 * mapping, because the file may have holes after a full disk. On a memory file system, touching a hole needs a page,
 * and raises SIGBUS if memory is short. */
static const struct tp_spool_chunk *chunk_at(const struct tp_spool_file *file, size_t offset)
{
    struct tp_spool_chunk head;
    if (!file->source)
        memcpy(&head, file->bytes + offset, sizeof head);
    else if (pread(file->source - 1, &head, sizeof head, (off_t)offset) != (ssize_t)sizeof head)
        return NULL;
    bool is_whole = head.magic == TP_SPOOL_CHUNK_MAGIC && head.size >= TP_SPOOL_UNIT &&
                    head.size <= TP_SPOOL_MAX_CHUNK && head.size % TP_SPOOL_UNIT == 0 &&
                    head.size <= file->size - offset;
    return is_whole ? (const struct tp_spool_chunk *)(const void *)(file->bytes + offset) : NULL;
}

/* ---- records ---- */

static void begin_chunk_of_walk(struct tp_spool_walk *walk)
{
    const struct tp_spool_chunk *chunk = walk->file->chunks[walk->chunk];
    /* reads the size again, because the program may have changed it since the chunk was listed */
    size_t size = __atomic_load_n(&chunk->size, __ATOMIC_RELAXED);
    size_t room = walk->file->size - (size_t)((const char *)chunk - walk->file->bytes);
    walk->at = (const char *)(chunk + 1);
    walk->chunk_end = size >= sizeof *chunk && size <= room ? (const char *)chunk + size : walk->at;
}

void tp_spool_walk(struct tp_spool_walk *walk, const struct tp_spool_file *file, const struct tp_spool_thread *thread)
{
    *walk = (struct tp_spool_walk){.file = file, .chunk = thread->first, .end = thread->end};
    if (walk->chunk < walk->end)
        begin_chunk_of_walk(walk);
}

bool tp_spool_next_record(struct tp_spool_walk *walk, struct tp_spool_record *record, const char **payload)
{
    while (walk->chunk < walk->end) {
        size_t left = (size_t)(walk->chunk_end - walk->at);
        const struct tp_spool_record *from = (const struct tp_spool_record *)(const void *)walk->at;
        uint64_t time = left >= TP_SPOOL_SLOT ? __atomic_load_n(&from->time, __ATOMIC_ACQUIRE) : 0;
        if (time) {
            *record = *from;
            record->time = time;
            size_t size = (size_t)(record->slots + 1) * TP_SPOOL_SLOT;
            bool is_value = record->kind == TP_SPOOL_FUNCTION || record->kind == TP_SPOOL_FUNCTION_END ||
                            (record->kind == TP_SPOOL_KIND_SCOPE && record->name != TP_SPOOL_NO_NAME);
            if (size <= left && (is_value || record->text <= record->slots * TP_SPOOL_SLOT) && record->kind &&
                record->kind < TP_SPOOL_KINDS) {
                *payload = walk->at + TP_SPOOL_SLOT;
                walk->at += size;
                return true;
            }
            walk->broken_count++;
        }
        if (++walk->chunk < walk->end)
            begin_chunk_of_walk(walk);
    }
    return false;
}

struct tp_str tp_spool_record_name(const struct tp_spool_file *file, const struct tp_spool_record *record,
                                   const char *payload)
{
    if (record->name == TP_SPOOL_NO_NAME)
        return (struct tp_str){payload + record->slots * TP_SPOOL_SLOT -
                                   (record->text + TP_SPOOL_SLOT - 1) / TP_SPOOL_SLOT * TP_SPOOL_SLOT,
                               record->text};
    return record->name < file->name_count && file->names[record->name].ptr ? file->names[record->name]
                                                                            : (struct tp_str){"", 0};
}

/* ---- records about the whole process ---- */

struct notes {
    struct tp_vec names, clocks, facts, modules;
};

static void read_fact_record(struct notes *notes, const struct tp_spool_record *record, const char *payload)
{
    const char *line = memchr(payload, '\n', record->text);
    if (!line)
        return;
    size_t key = (size_t)(line - payload);
    *(struct tp_spool_fact *)tp_vec_push(&notes->facts) =
        (struct tp_spool_fact){.key = {payload, key},
                               .value = {line + 1, record->text - key - 1},
                               .is_json = record->kind == TP_SPOOL_META_JSON};
}

static void read_clock_record(struct tp_spool_file *file, struct notes *notes, const struct tp_spool_record *record,
                              const char *payload)
{
    struct tp_spool_clock clock = {.monotonic_ns = -1};
    if (record->slots * TP_SPOOL_SLOT >= (int)sizeof clock)
        memcpy(&clock, payload, sizeof clock);
    if (clock.monotonic_ns < 0 || clock.monotonic_ns > MAX_NS || clock.realtime_ns < 0 ||
        clock.realtime_ns > MAX_WALL_NS)
        file->broken_count++;
    else
        *(struct tp_spool_clock *)tp_vec_push(&notes->clocks) = clock;
}

static void read_module_record(struct tp_spool_file *file, struct notes *notes, const struct tp_spool_record *record,
                               const char *payload)
{
    struct tp_spool_loaded loaded;
    size_t room = (size_t)record->slots * TP_SPOOL_SLOT;
    if (record->text < sizeof loaded || record->text > room) {
        file->broken_count++;
        return;
    }
    memcpy(&loaded, payload, sizeof loaded);
    *(struct tp_spool_module *)tp_vec_push(&notes->modules) =
        (struct tp_spool_module){.start = loaded.start,
                                 .end = loaded.end,
                                 .bias = loaded.bias,
                                 .since = loaded.ticks,
                                 .path = {payload + sizeof loaded, record->text - sizeof loaded}};
}

static void read_notes_record(struct tp_spool_file *file, struct notes *notes, const struct tp_spool_record *record,
                              const char *payload)
{
    switch (record->kind) {
    case TP_SPOOL_NAME:
        while (notes->names.count <= record->name && record->name <= file->size / TP_SPOOL_SLOT)
            tp_vec_push(&notes->names); /* a number above this limit is invalid, because each name needs a record of at
                                         * least one slot */
        if (record->name < notes->names.count)
            *TP_AT(&notes->names, struct tp_str, record->name) = (struct tp_str){payload, record->text};
        break;
    case TP_SPOOL_CLOCK:
        read_clock_record(file, notes, record, payload);
        break;
    case TP_SPOOL_META_TEXT:
    case TP_SPOOL_META_JSON:
        read_fact_record(notes, record, payload);
        break;
    case TP_SPOOL_LOADED:
        read_module_record(file, notes, record, payload);
        break;
    case TP_SPOOL_STOP:
        file->was_stopped = true;
        break;
    default:
        file->broken_count++;
    }
}

static int compare_by_ticks(const void *x, const void *y)
{
    const struct tp_spool_clock *a = x, *b = y;
    return (a->ticks > b->ticks) - (a->ticks < b->ticks);
}

/* Returns the time from `from` to `ticks` in ns. rate: ns per tick. The result is limited so that the sums below fit
 * into 64 bits. */
static int64_t elapsed_ns(uint64_t ticks, uint64_t from, double rate)
{
    double ns = (ticks >= from ? (double)(ticks - from) : -(double)(from - ticks)) * rate;
    return ns > (double)MAX_NS ? MAX_NS : ns < -(double)MAX_NS ? -MAX_NS : (int64_t)ns;
}

int64_t tp_spool_realtime_ns(const struct tp_spool_file *file, uint64_t ticks)
{
    const struct tp_spool_clock *clocks = file->clocks;
    uint32_t low = 0, high = file->clock_count;
    if (file->clock_count < 2) /* the program was killed at the start, so at most its first clock note is known */
        return file->clock_count ? clocks->realtime_ns + elapsed_ns(ticks, clocks->ticks, 1.0)
                                 : elapsed_ns(ticks, 0, 1.0);
    while (low + 1 < high) { /* finds the last clock note at or before `ticks` */
        uint32_t middle = low + (high - low) / 2;
        if (clocks[middle].ticks <= ticks)
            low = middle;
        else
            high = middle;
    }
    low = low + 1 < file->clock_count ? low : low - 1;
    const struct tp_spool_clock *a = &clocks[low], *b = a + 1;
    double rate =
        b->ticks > a->ticks ? (double)(b->monotonic_ns - a->monotonic_ns) / (double)(b->ticks - a->ticks) : 1.0;
    /* the whole file has one offset to the wall clock, because times must not jump if the clock is set during the
     * recording */
    return clocks->realtime_ns + (a->monotonic_ns - clocks->monotonic_ns) + elapsed_ns(ticks, a->ticks, rate);
}

/* ---- opening ---- */

static int compare_by_thread(const void *x, const void *y)
{
    const struct tp_spool_chunk *a = *(const struct tp_spool_chunk *const *)x;
    const struct tp_spool_chunk *b = *(const struct tp_spool_chunk *const *)y;
    if (a->is_notes != b->is_notes)
        return a->is_notes ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    return (a > b) - (a < b);
}

/* Drops duplicates of chunks. A program that was killed while it moved a chunk leaves two copies of the chunk; the
 * first one is kept. Returns the number of remaining chunks. */
static uint32_t remove_duplicate_chunks(const struct tp_spool_chunk **chunks, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_spool_chunk *last = kept ? chunks[kept - 1] : NULL;
        bool is_copy = last && !last->is_notes && !chunks[i]->is_notes && last->thread == chunks[i]->thread &&
                       last->sequence == chunks[i]->sequence;
        if (!is_copy)
            chunks[kept++] = chunks[i];
    }
    return kept;
}

/* Lists the chunks. Skips units without a header, which were reserved and never used. */
static uint32_t list_chunks(struct tp_spool_file *file, struct tp_arena *arena)
{
    struct tp_vec chunks = TP_VEC(arena, const struct tp_spool_chunk *);
    for (size_t at = TP_SPOOL_UNIT; at + TP_SPOOL_UNIT <= file->size;) {
        const struct tp_spool_chunk *chunk = chunk_at(file, at);
        at += chunk ? chunk->size : TP_SPOOL_UNIT;
        if (chunk)
            *(const struct tp_spool_chunk **)tp_vec_push(&chunks) = chunk;
    }
    file->chunks = chunks.data;
    if (chunks.count)
        qsort(file->chunks, chunks.count, sizeof(const struct tp_spool_chunk *), compare_by_thread);
    return remove_duplicate_chunks(file->chunks, (uint32_t)chunks.count);
}

static void list_threads(struct tp_spool_file *file, uint32_t first, uint32_t count, struct tp_arena *arena)
{
    struct tp_vec threads = TP_VEC(arena, struct tp_spool_thread);
    for (uint32_t i = first; i < count; i++) {
        const struct tp_spool_chunk *chunk = file->chunks[i];
        struct tp_spool_thread *last =
            threads.count ? TP_AT(&threads, struct tp_spool_thread, threads.count - 1) : NULL;
        if (last && last->number == chunk->thread) {
            last->end = i + 1;
            continue;
        }
        last = tp_vec_push(&threads);
        *last = (struct tp_spool_thread){
            .tid = chunk->tid,
            .number = chunk->thread,
            .name = {chunk->thread_name, strnlen(chunk->thread_name, sizeof chunk->thread_name)},
            .first = i,
            .end = i + 1};
    }
    file->threads = threads.data;
    file->thread_count = (uint32_t)threads.count;
}

int tp_spool_open(struct tp_spool_file *file, const char *path, struct tp_arena *arena, struct tp_error *err)
{
    memset(file, 0, sizeof *file);
    int code = map_file(file, path, err);
    if (code)
        return code;
    struct notes notes = {TP_VEC(arena, struct tp_str), TP_VEC(arena, struct tp_spool_clock),
                          TP_VEC(arena, struct tp_spool_fact), TP_VEC(arena, struct tp_spool_module)};
    uint32_t count = list_chunks(file, arena), note_chunks = 0;
    while (note_chunks < count && file->chunks[note_chunks]->is_notes)
        note_chunks++;
    struct tp_spool_walk walk;
    struct tp_spool_record record;
    const char *payload;
    tp_spool_walk(&walk, file, &(struct tp_spool_thread){.end = note_chunks});
    while (tp_spool_next_record(&walk, &record, &payload))
        read_notes_record(file, &notes, &record, payload);
    file->broken_count += walk.broken_count;
    file->names = notes.names.data;
    file->name_count = (uint32_t)notes.names.count;
    file->clocks = notes.clocks.data;
    file->clock_count = (uint32_t)notes.clocks.count;
    file->facts = notes.facts.data;
    file->fact_count = (uint32_t)notes.facts.count;
    file->modules = notes.modules.data;
    file->module_count = (uint32_t)notes.modules.count;
    if (file->clock_count)
        qsort(file->clocks, file->clock_count, sizeof *file->clocks, compare_by_ticks);
    list_threads(file, note_chunks, count, arena);
    return 0;
}
