/* Opens a memory snapshot, which may be a pickle, a gzip file of a pickle, or a page that torch.cuda._memory_viz wrote
 * with the pickle inside: see snapshot.h.
 *
 * The values of the pickle have their own arena, which is released after the snapshot was filled from them. */
#include <string.h>

#include "webreport/trace/snapshot/snapshot_walk.h"
#include "writer/base/limits.h"

struct job {
    struct tp_snapshot *snapshot;
    struct tp_arena *arena;
    struct tp_pickle pickle;
    struct tp_arena pickle_arena;
    struct tp_pickle_input input;
    bool is_page; /* true: the pickle is inside of a page */
    struct tp_error *err;
};

static int fill(void *context, struct tp_error *unused)
{
    struct job *job = context;
    struct tp_snapshot *snapshot = job->snapshot;
    (void)unused; /* errors are written to job->err */
    *snapshot = (struct tp_snapshot){.arena = job->arena,
                                     .pools = TP_VEC(job->arena, struct tp_snapshot_pool),
                                     .segments = TP_VEC(job->arena, struct tp_snapshot_segment),
                                     .annotations = TP_VEC(job->arena, struct tp_snapshot_annotation),
                                     .settings = {.max_split_bytes = -1, .json = "{}"}};
    tp_vec_push(&snapshot->pools); /* the default pool (0, 0) */
    tp_strings_init(&snapshot->texts, job->arena, 0);
    job->pickle = (struct tp_pickle){.arena = &job->pickle_arena, .texts = &snapshot->texts};
    int code = tp_pickle_read(&job->pickle, &job->input, job->err);
    if (code < 0)
        return code;
    struct tp_feed_report report = tp_feed_result(job->input.feed);
    snapshot->container = job->is_page ? TP_CONTAINER_HTML : report.is_gzip ? TP_CONTAINER_GZIP : TP_CONTAINER_PICKLE;
    return tp_snapshot_walk_pickle(snapshot, &job->pickle, report.text_bytes, job->err);
}

/* Reads a pickle from a feed, which is then closed. */
static int read_pickle(struct job *job)
{
    struct tp_error memory = {0};
    tp_arena_init(&job->pickle_arena, 0);
    int code = tp_arena_run_both(job->arena, &job->pickle_arena, fill, job, &memory);
    if (memory.code)
        tp_error_set(job->err, memory.code, 0, "%s", memory.text);
    tp_arena_release(&job->pickle_arena);
    tp_feed_close(job->input.feed);
    return code;
}

/* ---- pages ---- */

/* Returns the value of a character of base64, or -1. */
static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (tp_is_digit(c))
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes base64 in place, up to the first other character. Returns the number of bytes. */
static size_t decode_base64(char *text, size_t size)
{
    size_t count = 0;
    unsigned bits = 0, have = 0;
    for (size_t i = 0; i < size && base64_value(text[i]) >= 0; i++) {
        bits = bits << 6 | (unsigned)base64_value(text[i]);
        have += 6;
        if (have >= 8) {
            have -= 8;
            text[count++] = (char)(bits >> have);
        }
    }
    return count;
}

/* Appends all bytes of an input to `text`. */
static int read_all(struct tp_pickle_input *input, struct tp_vec *text, struct tp_error *err)
{
    int status = 1;
    while (status > 0) {
        tp_vec_add_text(text, (struct tp_str){input->at, (size_t)(input->end - input->at)});
        input->at = input->end;
        status = tp_feed_next_window(input->feed, &input->at, &input->end, err);
    }
    return status;
}

static int refuse_page(struct tp_str page, struct tp_error *err)
{
    if (tp_str_find(page, "data:image/png;base64") >= 0)
        return tp_error_set(err, TP_EFORMAT, 0,
                            "this page is export_memory_timeline's: it has only a picture; export to .json or "
                            ".raw.json.gz instead");
    return tp_error_set(err, TP_EFORMAT, 0, "this page has no snapshot inside");
}

struct page {
    struct tp_pickle_input input;
    struct tp_vec text; /* whole page; elements: char */
    struct tp_str pickle;
    struct tp_error *err;
};

/* Finds the pickle in a page, and decodes it. */
static int find_pickle(void *context, struct tp_error *unused)
{
    static const char key[] = "\"base64\":";
    struct page *page = context;
    (void)unused; /* errors are written to page->err */
    int code = read_all(&page->input, &page->text, page->err);
    if (code < 0)
        return code;
    struct tp_str all = {page->text.data, page->text.count};
    ptrdiff_t found = tp_str_find(all, key);
    size_t at = found < 0 ? all.len : (size_t)found + sizeof key - 1;
    while (at < all.len && (all.ptr[at] == ' ' || all.ptr[at] == '"'))
        at++;
    if (at >= all.len || base64_value(all.ptr[at]) < 0)
        return refuse_page(all, page->err);
    char *text = (char *)page->text.data + at;
    page->pickle = (struct tp_str){text, decode_base64(text, all.len - at)};
    return TP_OK;
}

/* Reads the pickle in a page. Closes the feed of the page. */
static int read_page(struct job *job)
{
    struct tp_arena arena;
    struct page page = {.input = job->input, .err = job->err};
    struct tp_feed_options options = {.max_input_bytes = TP_MAX_INPUT_BYTES, .skips_hash = true, .single_thread = true};
    struct tp_error memory = {0};
    tp_arena_init(&arena, 0);
    page.text = TP_VEC(&arena, char);
    int code = tp_arena_run(&arena, find_pickle, &page, &memory);
    if (memory.code)
        tp_error_set(job->err, memory.code, 0, "%s", memory.text);
    tp_feed_close(job->input.feed);
    job->is_page = true;
    job->input = (struct tp_pickle_input){.may_have_rest = true};
    if (code == TP_OK)
        code = tp_feed_open_bytes(&job->input.feed, page.pickle.ptr, page.pickle.len, &options, job->err);
    if (code == TP_OK)
        code = read_pickle(job);
    tp_arena_release(&arena);
    return code;
}

/* ---- files ---- */

static bool is_markup(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || (*at >= '\t' && *at <= '\r')))
        at++;
    return at < end && *at == '<';
}

/* Reads the pickle or the page in an open feed, which is then closed. */
static int read_feed(struct job *job)
{
    struct tp_pickle_input *input = &job->input;
    int status = tp_feed_next_window(input->feed, &input->at, &input->end, job->err);
    if (status < 0) {
        tp_feed_close(input->feed);
        return status;
    }
    return is_markup(input->at, input->end) ? read_page(job) : read_pickle(job);
}

static struct tp_feed_options make_options(uint64_t max_input_bytes)
{
    return (struct tp_feed_options){.max_input_bytes = max_input_bytes ? max_input_bytes : TP_MAX_INPUT_BYTES,
                                    .skips_hash = true};
}

int tp_snapshot_read(struct tp_snapshot *snapshot, struct tp_arena *arena, const char *path, uint64_t max_input_bytes,
                     struct tp_error *err)
{
    struct tp_feed_options options = make_options(max_input_bytes);
    struct job job = {.snapshot = snapshot, .arena = arena, .err = err};
    int code = tp_feed_open(&job.input.feed, path, &options, err);
    return code < 0 ? code : read_feed(&job);
}

int tp_snapshot_read_bytes(struct tp_snapshot *snapshot, struct tp_arena *arena, const void *bytes, size_t size,
                           uint64_t max_input_bytes, struct tp_error *err)
{
    struct tp_feed_options options = make_options(max_input_bytes);
    struct job job = {.snapshot = snapshot, .arena = arena, .err = err};
    int code = tp_feed_open_bytes(&job.input.feed, bytes, size, &options, err);
    return code < 0 ? code : read_feed(&job);
}
