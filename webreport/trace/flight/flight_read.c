/* Opens a dump of the Flight Recorder, which is a pickle or JSON, plain or gzip: see flight_dump.h. */
#include "webreport/trace/flight/flight_value.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

struct job {
    struct tp_flight_dump *dump;
    struct tp_arena *scratch;
    struct tp_pickle_input input;
    struct tp_error *err;
};

/* ---- pickles ---- */

static enum tp_flight_refusal refusal_of_pickle(enum tp_pickle_refusal refusal)
{
    switch (refusal) {
    case TP_PICKLE_EMPTY:
        return TP_FLIGHT_EMPTY;
    case TP_PICKLE_CODE:
        return TP_FLIGHT_CODE;
    case TP_PICKLE_TRUNCATED:
        return TP_FLIGHT_TRUNCATED;
    case TP_PICKLE_NUMBER:
        return TP_FLIGHT_NUMBER;
    case TP_PICKLE_LONG_TEXT:
        return TP_FLIGHT_LONG_TEXT;
    case TP_PICKLE_OK:
        return TP_FLIGHT_UNREADABLE;
    default:
        return TP_FLIGHT_NO_PICKLE;
    }
}

static void add_entries(struct tp_flight_dump *dump, struct tp_flight_source *source,
                        const struct tp_flight_value *entries)
{
    struct tp_flight_walk walk;
    struct tp_flight_value entry;
    tp_flight_walk_begin(&walk, source, entries);
    while (tp_flight_walk_next(&walk, NULL, &entry))
        tp_flight_add_entry(dump, source, &entry);
}

/* Fills a dump from the values of a pickle. */
static int fill_from_pickle(struct job *job, const struct tp_pickle *pickle)
{
    struct tp_flight_source source;
    struct tp_flight_members root;
    uint64_t size = tp_feed_offset(job->input.feed, job->input.end);
    tp_flight_source_init(&source, pickle, job->scratch, TP_MAX_FLIGHT_VISITS_PER_BYTE * size + TP_FLIGHT_GRACE_VISITS);
    struct tp_flight_value value = tp_flight_value_of_pickle(&source, pickle->root);
    tp_flight_members_fill(&root, &source, &value);
    struct tp_flight_value entries = tp_flight_member(&root, TP_FLIGHT_KEY_ENTRIES);
    struct tp_flight_value version = tp_flight_member(&root, TP_FLIGHT_KEY_VERSION);
    struct tp_flight_value groups = tp_flight_member(&root, TP_FLIGHT_KEY_PG_CONFIG);
    struct tp_flight_value status = tp_flight_member(&root, TP_FLIGHT_KEY_PG_STATUS);
    job->dump->arena->max_bytes = TP_PICKLE_GRACE_BYTES + TP_MAX_FLIGHT_CALL_MEMORY_PER_BYTE * size;
    bool has_list = !(root.has >> TP_FLIGHT_KEY_ENTRIES & 1) || (entries.kind == TP_FLIGHT_LIST && !entries.is_tuple);
    if (!(root.has >> TP_FLIGHT_KEY_VERSION & 1) || !has_list)
        return tp_flight_refuse(
            job->dump, TP_FLIGHT_NO_DUMP, TP_EFORMAT, job->err,
            "the pickle is no dump of the Flight Recorder: it lacks a version or a list of entries");
    if (tp_flight_set_version(job->dump, &version, job->err) < 0)
        return TP_EFORMAT;
    tp_flight_set_groups(job->dump, &source, &groups);
    if (root.has >> TP_FLIGHT_KEY_PG_STATUS & 1)
        tp_flight_set_progress(job->dump, &source, &status);
    add_entries(job->dump, &source, &entries);
    if (tp_flight_is_over_budget(&source))
        return tp_flight_refuse(job->dump, TP_FLIGHT_REPEATED, TP_EFORMAT, job->err,
                                "the pickle uses the same values more often than a dump of %llu bytes can",
                                (unsigned long long)size);
    return TP_OK;
}

static int read_pickle(struct job *job)
{
    struct tp_strings texts;
    struct tp_pickle pickle = {.arena = job->scratch, .texts = &texts};
    job->input.may_have_rest = true;
    job->input.files = "dumps of the Flight Recorder";
    job->input.max_text_size = TP_MAX_FLIGHT_TEXT_BYTES;
    job->input.bytes_per_byte = TP_MAX_FLIGHT_MEMORY_PER_BYTE;
    tp_strings_init(&texts, job->scratch, 0);
    int code = tp_pickle_read(&pickle, &job->input, job->err);
    if (code == TP_OK)
        return fill_from_pickle(job, &pickle);
    job->dump->refusal = refusal_of_pickle(pickle.refusal);
    return code;
}

/* ---- files ---- */

static int compare_calls(const void *x, const void *y, const void *context)
{
    const struct tp_flight_call *a = x, *b = y;
    (void)context;
    return (a->record_id > b->record_id) - (a->record_id < b->record_id);
}

static bool is_json(const struct tp_pickle_input *input)
{
    const char *at = input->at;
    while (at < input->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at < input->end && *at == '{';
}

static int read_feed(void *context, struct tp_error *unused)
{
    struct job *job = context;
    struct tp_flight_dump *dump = job->dump;
    struct tp_arena *arena = dump->arena;
    (void)unused; /* errors are written to job->err */
    *dump = (struct tp_flight_dump){.arena = arena,
                                    .calls = TP_VEC(arena, struct tp_flight_call),
                                    .groups = TP_VEC(arena, struct tp_flight_group),
                                    .progress = TP_VEC(arena, struct tp_flight_progress),
                                    .leaves_calls_out = true};
    tp_strings_init(&dump->texts, arena, 0);
    tp_strings_init(&dump->stacks, arena, 0);
    int status = tp_feed_next_window(job->input.feed, &job->input.at, &job->input.end, job->err);
    if (status < 0)
        return status;
    if (status == 0)
        return tp_flight_refuse(dump, TP_FLIGHT_EMPTY, TP_EFORMAT, job->err, "the file is empty");
    dump->is_json = is_json(&job->input);
    int code = dump->is_json ? tp_flight_read_json(dump, job->scratch, &job->input, job->err) : read_pickle(job);
    if (code < 0)
        return code;
    tp_merge_sort(job->scratch, dump->calls.data, dump->calls.count, sizeof(struct tp_flight_call), compare_calls,
                  NULL);
    return TP_OK;
}

/* Names the reason of an error that the reader of the values did not name. */
static int name_reason(struct job *job, int code)
{
    struct tp_feed_report report = tp_feed_result(job->input.feed);
    struct tp_flight_dump *dump = job->dump;
    if (code == TP_OK && (report.is_corrupt || report.has_bad_checksum))
        return tp_flight_refuse(dump, TP_FLIGHT_DAMAGED, TP_EFORMAT, job->err,
                                "the gzip data are damaged, so the calls in the file may be wrong");
    if (code < 0 && report.is_corrupt)
        return tp_flight_refuse(dump, TP_FLIGHT_DAMAGED, TP_ETRUNCATED, job->err,
                                "the gzip data are damaged after %llu bytes of text",
                                (unsigned long long)report.text_bytes);
    if (dump->refusal == TP_FLIGHT_OK || dump->refusal == TP_FLIGHT_UNREADABLE)
        dump->refusal = code == TP_ELIMIT ? TP_FLIGHT_LARGE : code < 0 ? TP_FLIGHT_UNREADABLE : TP_FLIGHT_OK;
    return code;
}

/* Reads a dump from an open feed, which is then closed. */
static int read_and_close(struct job *job)
{
    struct tp_error memory = {0};
    job->scratch->max_bytes = TP_PICKLE_GRACE_BYTES;
    int code = tp_arena_run_both(job->dump->arena, job->scratch, read_feed, job, &memory);
    if (memory.code == TP_ELIMIT)
        tp_flight_refuse(job->dump, TP_FLIGHT_MEMORY, TP_ELIMIT, job->err,
                         "the values need more than %u bytes of memory for each byte of the file",
                         TP_MAX_FLIGHT_MEMORY_PER_BYTE);
    else if (memory.code)
        tp_error_set(job->err, memory.code, 0, "%s", memory.text);
    code = name_reason(job, code);
    tp_feed_close(job->input.feed);
    return code;
}

int tp_flight_read(struct tp_flight_dump *dump, struct tp_arena *arena, struct tp_arena *scratch, const char *path,
                   struct tp_error *err)
{
    struct tp_feed_options options = {
        .max_input_bytes = TP_MAX_FLIGHT_BYTES, .skips_hash = true, .single_thread = true};
    struct job job = {.dump = dump, .scratch = scratch, .err = err};
    *dump = (struct tp_flight_dump){.arena = arena, .refusal = TP_FLIGHT_UNREADABLE};
    int code = tp_feed_open(&job.input.feed, path, &options, err);
    return code < 0 ? code : read_and_close(&job);
}

int tp_flight_read_bytes(struct tp_flight_dump *dump, struct tp_arena *arena, struct tp_arena *scratch,
                         struct tp_str bytes, struct tp_error *err)
{
    struct tp_feed_options options = {
        .max_input_bytes = TP_MAX_FLIGHT_BYTES, .skips_hash = true, .single_thread = true};
    struct job job = {.dump = dump, .scratch = scratch, .err = err};
    *dump = (struct tp_flight_dump){.arena = arena, .refusal = TP_FLIGHT_UNREADABLE};
    int code = tp_feed_open_bytes(&job.input.feed, bytes.ptr, bytes.len, &options, err);
    return code < 0 ? code : read_and_close(&job);
}

/* ---- names ---- */

int64_t tp_flight_rank_of_file(struct tp_str name)
{
    static const char *const endings[] = {".json.gz", ".gz", ".json", ".pickle", ".pkl"};
    int64_t rank = 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (tp_str_ends(name, endings[i])) {
            name.len -= strlen(endings[i]);
            break;
        }
    size_t from = name.len;
    while (from && tp_is_digit(name.ptr[from - 1]))
        from--;
    for (size_t i = from; i < name.len && rank < TP_MAX_FLIGHT_RANKS; i++)
        rank = rank * 10 + (name.ptr[i] - '0');
    return from == name.len ? -1 : rank < TP_MAX_FLIGHT_RANKS ? rank : TP_MAX_FLIGHT_RANKS;
}
