/* Reads and writes notes on stored runs: see run_notes.h. */
#include "webreport/session/run_notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "webreport/session/text_outputs.h"
#include "writer/base/environment.h"
#include "writer/base/input.h"
#include "writer/text/format.h"

static const char head[] = "tracepress-run-note 1";
enum { MOST_BYTES = 1 << 16, MOST_REASON = 400, MOST_DIGITS = 10 };
/* largest time, seconds since 1970 (the year 2255), so that times in ns fit into int64 */
static const int64_t LAST_SECOND = 9000000000;

static const char *path_of_run_note(const char *tps, struct tp_arena *arena)
{
    size_t size = strlen(tps);
    size -= size > 4 && strcmp(tps + size - 4, ".tps") == 0 ? 4 : 0;
    return tp_text_printf(arena, "%.*s.note", (int)size, tps);
}

/* ---- reading of notes ---- */

static bool parse_key_value(struct tp_str line, const char *key, struct tp_str *value)
{
    size_t size = strlen(key);
    if (line.len < size || memcmp(line.ptr, key, size) != 0)
        return false;
    *value = (struct tp_str){line.ptr + size, line.len - size};
    return true;
}

int64_t tp_run_note_parse_seconds(struct tp_str text)
{
    int64_t seconds = 0;
    if (text.len == 0 || text.len > MOST_DIGITS)
        return 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return 0;
        seconds = 10 * seconds + (text.ptr[i] - '0');
    }
    return seconds < LAST_SECOND ? seconds : 0;
}

static void parse_note_line(struct tp_run_decision *d, struct tp_str line)
{
    struct tp_str verdict, committed;
    if (parse_key_value(line, "verdict: ", &verdict)) {
        d->is_failed = !tp_str_equal(verdict, TP_STR("pass"));
        d->is_known = !d->is_failed || tp_str_equal(verdict, TP_STR("fail"));
    } else if (parse_key_value(line, "accepted: ", &d->at))
        d->is_accepted = true;
    else if (parse_key_value(line, "committed: ", &committed))
        d->committed_s = tp_run_note_parse_seconds(committed);
    else if (!parse_key_value(line, "by: ", &d->by))
        parse_key_value(line, "reason: ", &d->reason);
}

static const struct tp_run_decision none = {.by = {"", 0}, .at = {"", 0}, .reason = {"", 0}};

/* Fills the decision from the text of a note. Returns false if the text is incomplete or has an unknown version. */
static bool parse_note(struct tp_run_decision *decision, struct tp_str text)
{
    const char *at = text.ptr, *end = at + text.len;
    if (text.len < sizeof head || memcmp(at, head, sizeof head - 1) != 0 || at[sizeof head - 1] != '\n' ||
        end[-1] != '\n')
        return false;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        parse_note_line(decision, (struct tp_str){at, (size_t)(line_end - at)});
        at = line_end + 1;
    }
    return decision->is_known;
}

/* Fills the decision from the note of a stored run. tps: path of the run's .tps file. Without a note, is_known becomes
 * false. An unreadable note counts as a broken limit. */
static void read_note(struct tp_run_decision *decision, const char *tps, struct tp_arena *arena)
{
    const char *path = path_of_run_note(tps, arena);
    struct tp_buf text;
    *decision = none;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return;
    tp_buf_init(&text, MOST_BYTES);
    int code = tp_input_read_all(&text, path, TP_INPUT_FILE, NULL);
    size_t size = code == 0 && !text.failed ? text.size : 0;
    struct tp_str copy = {tp_arena_copy(arena, text.data, size), size};
    tp_buf_release(&text);
    if (parse_note(decision, copy))
        return;
    *decision = none;
    decision->is_known = decision->is_failed = decision->is_unreadable = true;
}

void tp_run_note_read(struct tp_run_decision *decision, const struct tp_run_decision *stored, const char *tps,
                      struct tp_arena *arena)
{
    struct tp_run_decision note;
    read_note(&note, tps, arena);
    *decision = stored->is_known ? *stored : note;
    if (!note.is_known)
        return;
    decision->is_unreadable = note.is_unreadable;
    decision->is_failed |= note.is_failed;
    decision->is_accepted &= note.is_accepted;
}

/* ---- writing of notes ---- */

struct tp_str tp_run_note_single_line(struct tp_str text, struct tp_arena *arena)
{
    size_t size = text.len < MOST_REASON ? text.len : MOST_REASON;
    char *line = tp_arena_copy(arena, text.ptr, size);
    for (size_t i = 0; i < size; i++)
        line[i] = (unsigned char)line[i] < ' ' ? ' ' : line[i];
    return (struct tp_str){line, size};
}

static void write_note_line(struct tp_buf *out, const char *key, struct tp_str value)
{
    if (value.len)
        tp_buf_printf(out, "%s%.*s\n", key, (int)value.len, value.ptr);
}

int tp_run_note_write(const char *tps, const struct tp_run_decision *decision, struct tp_arena *arena,
                      struct tp_error *err)
{
    struct tp_text_output file = {path_of_run_note(tps, arena), {0}};
    if (!decision->is_failed && !decision->is_accepted && !decision->committed_s) {
        if (unlink(file.path) != 0 && errno != ENOENT)
            return tp_error_set(err, TP_EIO, 0, "%.200s: %s", file.path, strerror(errno));
        return TP_OK;
    }
    tp_buf_init(&file.text, MOST_BYTES);
    tp_buf_printf(&file.text, "%s\nverdict: %s\n", head, decision->is_failed ? "fail" : "pass");
    if (decision->is_accepted) {
        write_note_line(&file.text, "accepted: ", decision->at);
        write_note_line(&file.text, "by: ", decision->by);
        write_note_line(&file.text, "reason: ", decision->reason);
    }
    if (decision->committed_s)
        tp_buf_printf(&file.text, "committed: %lld\n", (long long)decision->committed_s);
    int code = tp_text_outputs_write(&file, 1, err);
    tp_buf_release(&file.text);
    return code;
}

void tp_run_note_set_author(struct tp_run_decision *decision, struct tp_arena *arena)
{
    static const char *const names[] = {"GITHUB_ACTOR", "GITLAB_USER_LOGIN", "BUILD_USER_ID", "LOGNAME", "USER"};
    const char *by = NULL, *epoch = tp_environment("SOURCE_DATE_EPOCH");
    time_t now = epoch && *epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    const char *at = tp_text_of_date(arena, (int64_t)now * 1000000000);
    for (size_t i = 0; i < sizeof names / sizeof *names && !(by && *by); i++)
        by = tp_environment(names[i]);
    decision->by =
        tp_run_note_single_line(tp_str_of(tp_text_printf(arena, "%.100s", by && *by ? by : "unknown")), arena);
    decision->at = tp_str_of(at ? at : "unknown");
}
