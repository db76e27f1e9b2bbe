/* Lists the ranks of a merged trace: see merged_ranks.h. */
#include "webreport/trace/merged_ranks.h"

#include <string.h>
#include <unistd.h>

#include "webreport/trace/event_search.h"
#include "webreport/trace/feed.h"
#include "webreport/trace/rank_split.h"
#include "writer/base/input.h"
#include "writer/base/limits.h"

/* size of a piece of text that is searched, number of searched places in a file, and distance of searched places in a
 * gzip file; sizes in bytes */
enum { PIECE = 4096, PLACES = 32, GZIP_DISTANCE = 4 * PIECE };

/* ---- signs of several ranks ---- */

struct signs {
    char memory[24];
    struct tp_str host; /* pid of the first process with calls, in `memory`; ptr NULL before the first call */
    bool has_two_hosts, has_label;
    size_t ranks, events; /* numbers of arguments "rank" and of events */
};

/* Counts a process with calls. */
static void add_host(struct signs *s, struct tp_str pid)
{
    bool is_number = pid.len && pid.len < sizeof s->memory && (*pid.ptr == '-' || (*pid.ptr >= '0' && *pid.ptr <= '9'));
    if (!is_number)
        return;
    if (!s->host.ptr) {
        memcpy(s->memory, pid.ptr, pid.len);
        s->host = (struct tp_str){s->memory, pid.len};
    }
    s->has_two_hosts |= !tp_str_equal(s->host, pid);
}

/* Searches the text of one event. */
static void search_event(struct signs *s, const char *at, const char *end)
{
    struct tp_str pid = tp_search_value(at, end, "\"pid\""), rank = tp_search_value(at, end, "\"rank\"");
    if (!pid.len)
        return;
    s->events++;
    s->ranks += rank.len && *rank.ptr >= '0' && *rank.ptr <= '9';
    s->has_label |= tp_str_starts(pid, "\"[");
    if (tp_search_has(at, end, "\"cuda_runtime\"") || tp_search_has(at, end, "\"cuda_driver\""))
        add_host(s, pid);
}

/* Searches the events of a piece of text, except the first and the last, which may be cut. */
static void search_piece(struct signs *s, const char *text, size_t size)
{
    const char *end = text + size;
    for (const char *at = tp_search_next_event(text, end), *next; at < end; at = next) {
        next = tp_search_next_event(at, end);
        if (next < end)
            search_event(s, at, next);
    }
}

/* Returns whether the trace may contain several ranks. */
static bool may_be_merged(const struct signs *s)
{
    enum { LEAST = 3, LEAST_OF_EVENTS = 4 };
    return s->has_two_hosts || s->has_label || (s->ranks >= LEAST && s->ranks * LEAST_OF_EVENTS >= s->events);
}

/* Returns whether the text has the layout in which torch writes traces. Programs that merge traces write another one.
 */
static bool has_layout_of_torch(const char *text, size_t size)
{
    return tp_search_has(text, text + size, "{\n    \"ph\": \"X\", \"cat\": \"");
}

/* Searches the start of the text of a compressed file, because unpacking the whole file would take about as long as
 * reading the trace. Only searches the first piece of a trace that torch itself wrote. A trace of several ranks that
 * this function misses is refused when it is read (tp_rank_split_check). */
static void search_gzip(struct signs *s, const char *path)
{
    struct tp_feed_options options = {.max_input_bytes = TP_MAX_INPUT_BYTES, .single_thread = true, .skips_hash = true};
    const char *at = NULL, *end = NULL;
    struct tp_feed *feed;
    if (tp_feed_open(&feed, path, &options, NULL) < 0)
        return;
    for (size_t size = 0; size < TP_MAX_RANK_SEARCH_BYTES && tp_feed_next_window(feed, &at, &end, NULL) > 0; at = end) {
        size += (size_t)(end - at);
        for (const char *piece = at; piece < end; piece += GZIP_DISTANCE)
            search_piece(s, piece, (size_t)(end - piece) < PIECE ? (size_t)(end - piece) : PIECE);
        if (may_be_merged(s) || has_layout_of_torch(at, (size_t)(end - at)))
            break;
    }
    tp_feed_close(feed);
}

static void search_plain_file(struct signs *s, const struct tp_input *input)
{
    char piece[PIECE];
    uint64_t distance = input->size / PLACES;
    distance = distance < PIECE ? PIECE : distance;
    for (uint64_t at = 0; at < input->size && !s->has_two_hosts; at += distance) {
        ssize_t size = pread(input->fd, piece, sizeof piece, (off_t)at);
        if (size > 0)
            search_piece(s, piece, (size_t)size);
    }
}

static bool search_file(const char *path)
{
    struct signs signs = {0};
    struct tp_input input;
    unsigned char magic[2] = {0};
    if (tp_input_open(&input, path, TP_INPUT_FILE, NULL) < 0)
        return false;
    bool is_gzip = pread(input.fd, magic, sizeof magic, 0) == 2 && magic[0] == 0x1F && magic[1] == 0x8B;
    if (is_gzip)
        search_gzip(&signs, path);
    else
        search_plain_file(&signs, &input);
    close(input.fd);
    return may_be_merged(&signs);
}

/* ---- the list ---- */

struct listing {
    struct tp_vec *parts;
    const char *path;
    struct tp_arena *scratch; /* memory of the trace */
};

static int list_parts(void *context, struct tp_error *err)
{
    struct listing *listing = context;
    struct tp_trace_options options = {.skips_hash = true, .lists_ranks = true};
    struct tp_trace trace;
    int code = tp_trace_read(&trace, listing->scratch, listing->path, &options, err);
    struct tp_error why = {0};
    if (code < 0 || tp_rank_split_find(listing->parts, &trace, &why) == TP_OK)
        return code;
    struct tp_arena *arena = listing->parts->arena;
    struct tp_part_rows *rows = tp_arena_alloc(arena, sizeof *rows);
    rows->refusal = tp_arena_copy(arena, why.text, strlen(why.text));
    *(struct tp_input_part *)tp_vec_push(listing->parts) = (struct tp_input_part){.name = TP_STR(""), .rows = rows};
    return TP_OK;
}

int tp_merged_ranks_list(struct tp_vec *parts, const char *path, struct tp_error *err)
{
    struct tp_arena scratch;
    if (!search_file(path))
        return TP_OK;
    tp_arena_init(&scratch, 0);
    struct listing listing = {parts, path, &scratch};
    int code = tp_arena_run_both(&scratch, parts->arena, list_parts, &listing, err);
    tp_arena_release(&scratch);
    return code;
}
