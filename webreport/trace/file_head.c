/* Reads the first bytes of files: see file_head.h. */
#include "webreport/trace/file_head.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "webreport/trace/event_search.h"
#include "webreport/trace/inflate.h"
#include "webreport/trace/inputs/signs.h"
#include "webreport/trace/json/number.h"
#include "writer/base/crc32c.h"
#include "writer/base/input.h"
#include "writer/base/limits.h"
#include "writer/base/str.h"

enum { STORED = 1 << 18, TEXT = 1 << 20, FIRST_MEMBERS = 1 << 12, HEADER = 1 << 16 };

/* ---- reading of the first bytes of a file ---- */

struct head {
    unsigned char *stored;
    char *text;
    size_t stored_size, size; /* number of bytes read from the file, and number of bytes of text after inflating */
};

static void inflate_start_of_file(struct head *head, size_t most)
{
    struct tp_inflate inflate;
    head->text = malloc(most);
    if (!head->text || tp_inflate_open(&inflate) < 0)
        return;
    tp_inflate_feed(&inflate, head->stored, head->stored_size);
    head->size = tp_inflate_run(&inflate, head->text, most);
    tp_inflate_close(&inflate);
}

static void release_start_of_file(struct head *head)
{
    if (head->text != (char *)head->stored)
        free(head->text);
    free(head->stored);
}

/* Returns the first `most` bytes of text of a regular file. The result is empty if the file has no text. */
static struct head read_start_of_file(const char *path, size_t most)
{
    struct head head = {0};
    struct tp_input input;
    size_t stored = most < STORED ? most : STORED;
    if (tp_input_open(&input, path, TP_INPUT_FILE, NULL) < 0)
        return head;
    head.stored = malloc(most);
    if (head.stored)
        tp_input_read(&head.stored_size, &input, head.stored, stored, 0, NULL);
    bool is_gzip = head.stored_size >= 2 && head.stored[0] == 0x1F && head.stored[1] == 0x8B;
    if (head.stored && !is_gzip && head.stored_size == stored && stored < most) {
        size_t more = 0;
        tp_input_read(&more, &input, head.stored + stored, most - stored, stored, NULL);
        head.stored_size += more;
    }
    close(input.fd);
    if (is_gzip) {
        inflate_start_of_file(&head, most);
    } else {
        head.text = (char *)head.stored;
        head.size = head.stored_size;
    }
    return head;
}

bool tp_file_head_is_trace(const char *path)
{
    struct head head = read_start_of_file(path, TEXT);
    bool is_one = head.text &&
                  (tp_sign_is_trace(head.text, head.size) || tp_input_format_is_readable(head.text, head.size, path));
    release_start_of_file(&head);
    return is_one;
}

bool tp_file_head_is_from_outside(const char *path)
{
    static const char recorder[] = "\"tracepress_recorder\":\"outside\"";
    struct head head = read_start_of_file(path, FIRST_MEMBERS);
    bool is_one = head.size && *head.text == '{' && memmem(head.text, head.size, recorder, sizeof recorder - 1);
    release_start_of_file(&head);
    return is_one;
}

/* Returns the position after the first `word` in [at, end); NULL if it is missing. */
static const char *find_word_end(const char *at, const char *end, const char *word)
{
    const char *found = at ? memmem(at, (size_t)(end - at), word, strlen(word)) : NULL;
    return found ? found + strlen(word) : NULL;
}

/* Returns the number that follows a colon at `at`, if it is below TP_MAX_JOB_RANKS. Returns -1 for other text. */
static int64_t parse_number_after_colon(const char *at, const char *end)
{
    int64_t number = 0;
    at += tp_sign_skip_space(at, (size_t)(end - at), 0);
    at += at < end && *at == ':';
    at += tp_sign_skip_space(at, (size_t)(end - at), 0);
    const char *first = at;
    for (; at < end && *at >= '0' && *at <= '9' && number < TP_MAX_JOB_RANKS; at++)
        number = number * 10 + (*at - '0');
    return at > first && number < TP_MAX_JOB_RANKS ? number : -1;
}

int64_t tp_file_head_rank(const char *path)
{
    struct head head = read_start_of_file(path, HEADER);
    const char *end = head.text ? head.text + head.size : NULL, *rank = NULL;
    if (head.text) {
        const char *events = find_word_end(head.text, end, "\"traceEvents\"");
        end = events ? events : end;
        rank = find_word_end(find_word_end(head.text, end, "\"distributedInfo\""), end, "\"rank\"");
    }
    int64_t number = rank ? parse_number_after_colon(rank, end) : -1;
    release_start_of_file(&head);
    return number;
}

/* Extends the times by those of the complete events in a piece of text. */
static void add_times(struct tp_file_times *times, const char *text, size_t size)
{
    const char *end = text + size;
    for (const char *at = tp_search_next_event(text, end), *next; at < end; at = next) {
        int64_t ts, dur = 0;
        next = tp_search_next_event(at, end);
        struct tp_str ph = tp_search_value(at, next, "\"ph\"");
        if (next == end || ph.len != 3 || ph.ptr[1] != 'X' ||
            tp_number_parse_time(tp_search_value(at, next, "\"ts\""), &ts) != TP_NUMBER_OK)
            continue;
        tp_number_parse_time(tp_search_value(at, next, "\"dur\""), &dur);
        times->start_ns = ts < times->start_ns ? ts : times->start_ns;
        times->end_ns = dur >= 0 && ts + dur > times->end_ns ? ts + dur : times->end_ns;
    }
}

/* Extends the times by those of the last events of a file, unless the file is compressed. */
static void add_times_of_tail(struct tp_file_times *times, const char *path)
{
    struct tp_input input;
    if (tp_input_open(&input, path, TP_INPUT_FILE, NULL) < 0)
        return;
    char *tail = input.size > HEADER ? malloc(HEADER) : NULL;
    if (tail && pread(input.fd, tail, 2, 0) == 2 && memcmp(tail, "\x1F\x8B", 2) != 0 &&
        pread(input.fd, tail, HEADER, (off_t)(input.size - HEADER)) == HEADER)
        add_times(times, tail, HEADER);
    free(tail);
    close(input.fd);
}

bool tp_file_head_times(struct tp_file_times *times, const char *path)
{
    const int64_t year_2000_ns = 946684800ll * 1000000000;
    struct head head = read_start_of_file(path, HEADER);
    int64_t base_ns = 0;
    *times = (struct tp_file_times){.start_ns = INT64_MAX, .end_ns = INT64_MIN};
    if (head.size) {
        struct tp_str base = tp_search_value(head.text, head.text + head.size, "\"baseTimeNanoseconds\"");
        if (tp_number_parse_int(base, &base_ns) != TP_NUMBER_OK || base_ns < 0 || base_ns > TP_MAX_TIME_NS)
            base_ns = 0;
        times->checksum = tp_crc32c(head.text, head.size);
        add_times(times, head.text, head.size);
    }
    release_start_of_file(&head);
    if (times->end_ns < times->start_ns)
        return false;
    add_times_of_tail(times, path);
    times->start_ns += base_ns;
    times->end_ns += base_ns;
    return times->start_ns >= year_2000_ns;
}

bool tp_file_head_is_snapshot(const char *path)
{
    struct head head = read_start_of_file(path, TEXT);
    bool is_one = head.text && tp_input_format_detect(head.text, head.size, path)->is_snapshot;
    release_start_of_file(&head);
    return is_one;
}

const char *tp_file_head_describe(const char *path)
{
    struct head head = read_start_of_file(path, TEXT);
    const char *what = head.text ? tp_input_format_detect(head.text, head.size, path)->refusal : NULL;
    release_start_of_file(&head);
    return what;
}

const struct tp_input_format *tp_file_head_format(const char *path)
{
    struct head head = read_start_of_file(path, HEADER);
    const struct tp_input_format *format = head.size ? tp_input_format_detect(head.text, head.size, path) : NULL;
    release_start_of_file(&head);
    return format;
}

bool tp_file_head_is_flight(const char *path)
{
    const struct tp_input_format *format = tp_file_head_format(path);
    return format && format->is_flight;
}

bool tp_file_head_is_timeline(const char *path)
{
    const struct tp_input_format *format = tp_file_head_format(path);
    return format && format->is_timeline;
}
