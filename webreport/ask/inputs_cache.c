/* Finds, opens and closes the inputs of a session: see inputs_cache.h. */
#include "webreport/ask/inputs_cache.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "webreport/ask/file_list.h"
#include "webreport/ask/input_database.h"
#include "writer/base/input.h"

/* ---- finding ---- */

static enum tp_ask_code fail_to_find(struct tp_ask_call *call, enum tp_roots_answer answer)
{
    static const char hint[] = "tracepress_traces lists the files under the roots";
    switch (answer) {
    case TP_ROOTS_MISSING:
        return tp_call_fail(call, TP_ASK_NOT_FOUND, call->ask->roots.count ? hint : "", "no such file");
    case TP_ROOTS_SPECIAL:
        return tp_call_fail(call, TP_ASK_NOT_A_TRACE, "", "neither a regular file nor a folder, or not readable");
    default:
        return tp_call_fail(call, TP_ASK_OUTSIDE_ROOTS, hint, "only files under the given roots are read");
    }
}

static bool is_id(struct tp_str text)
{
    bool is_hex = text.len == TP_ASK_ID_DIGITS;
    for (size_t i = 0; is_hex && i < text.len; i++)
        is_hex = tp_is_digit(text.ptr[i]) || (text.ptr[i] >= 'a' && text.ptr[i] <= 'f');
    return is_hex;
}

/* Returns the path of the file below the roots with this id; NULL if none exists. */
static const char *find_by_id(struct tp_ask_call *call, struct tp_str wanted)
{
    const struct tp_roots *roots = &call->ask->roots;
    struct tp_vec paths = TP_VEC(call->arena, const char *);
    for (size_t i = 0; i < TP_MAX_ASK_TRACES && call->ask->inputs[i]; i++)
        if (tp_str_equal(wanted, tp_str_of(call->ask->inputs[i]->id)))
            return call->ask->inputs[i]->path;
    for (size_t i = 0; i < roots->count; i++)
        tp_file_list_find(&paths, roots->paths[i]);
    for (size_t i = 0; i < paths.count; i++) {
        const char *path = *TP_AT(&paths, const char *, i);
        char id[TP_ASK_ID_DIGITS + 1];
        if (tp_file_list_id(id, path, false, call->arena) && tp_str_equal(wanted, tp_str_of(id)))
            return path;
    }
    return NULL;
}

/* Splits "PATH#NUMBER". Returns the number; NULL if the text does not end like this. */
static const char *split_process(char *path)
{
    char *mark = strrchr(path, '#');
    if (!mark || !mark[1] || strspn(mark + 1, "-0123456789") != strlen(mark + 1))
        return NULL;
    *mark = '\0';
    return mark + 1;
}

enum tp_ask_code tp_inputs_cache_find(const char **path, const char **process, struct tp_file_identity *identity,
                                      struct tp_ask_call *call, struct tp_str given)
{
    const struct tp_roots *roots = &call->ask->roots;
    char *text = tp_arena_copy(call->arena, given.ptr, given.len);
    enum tp_roots_answer answer = tp_roots_find(path, identity, roots, text, call->arena);
    *process = NULL;
    if (answer != TP_ROOTS_FOUND && (*process = split_process(text)) != NULL) {
        enum tp_roots_answer other = tp_roots_find(path, identity, roots, text, call->arena);
        answer = other == TP_ROOTS_FOUND || answer == TP_ROOTS_MISSING ? other : answer;
    }
    if (answer == TP_ROOTS_MISSING && is_id(given)) {
        const char *found = find_by_id(call, given);
        answer = found ? tp_roots_find(path, identity, roots, found, call->arena) : answer;
    }
    if (answer != TP_ROOTS_FOUND)
        return fail_to_find(call, answer);
    if (identity->is_folder)
        tp_file_list_identify(identity, *path, call->arena);
    return TP_ASK_ANSWERED;
}

/* ---- opening ---- */

static void close_input(struct tp_ask_input *input)
{
    tp_input_database_close(input);
    if (input->is_trace)
        tp_opened_trace_close(&input->trace);
    tp_arena_release(&input->arena);
    free(input);
}

static size_t count_bytes(const struct tp_ask_input *input)
{
    return input->arena.used_bytes + (input->is_trace ? tp_opened_trace_bytes(&input->trace) : 0) +
           (size_t)input->database_bytes;
}

/* Closes the input at this position. */
static void drop(struct tp_ask *ask, size_t at)
{
    close_input(ask->inputs[at]);
    for (; at + 1 < TP_MAX_ASK_TRACES; at++)
        ask->inputs[at] = ask->inputs[at + 1];
    ask->inputs[TP_MAX_ASK_TRACES - 1] = NULL;
}

static size_t count_inputs(const struct tp_ask *ask)
{
    size_t count = 0;
    while (count < TP_MAX_ASK_TRACES && ask->inputs[count])
        count++;
    return count;
}

/* Closes the least recently used inputs until at most `most` remain and their memory is below the limit. The limit of
 * memory alone never closes the last input. */
static void shrink(struct tp_ask *ask, size_t most)
{
    for (size_t count = count_inputs(ask); count > 0; count--) {
        uint64_t bytes = 0;
        for (size_t i = 0; i < count; i++)
            bytes += count_bytes(ask->inputs[i]);
        if (count <= most && (count == 1 || bytes <= ask->options.cache_bytes))
            return;
        drop(ask, count - 1);
    }
}

struct opening {
    struct tp_ask_input *input;
    const struct tp_ask_call *call;
    const char *path, *process;
};

static int open_in_guard(void *context, struct tp_error *err)
{
    const struct opening *o = context;
    struct tp_ask_input *input = o->input;
    input->path = tp_arena_copy(&input->arena, o->path, strlen(o->path));
    if (o->process)
        input->process = tp_arena_copy(&input->arena, o->process, strlen(o->process));
    if (!tp_file_list_id(input->id, input->path, input->identity.is_folder, &input->arena))
        return tp_error_set(err, TP_EIO, 0, "cannot be read");
    input->kind = o->call->ask->kinds;
    while (!input->kind->is_kind(input->path, input->identity.is_folder))
        input->kind++;
    return input->kind->open(input, o->call->ask, err);
}

static enum tp_ask_code fail_to_open(struct tp_ask_call *call, int code, const struct tp_error *err)
{
    switch (code) {
    case TP_ENOMEM:
    case TP_ELIMIT:
        return tp_call_fail(call, TP_ASK_TOO_LARGE, "raise the limit that the message names", "%s", err->text);
    case TP_EUSAGE:
        return tp_call_fail(call, TP_ASK_BAD_ARGUMENT, "add #NUMBER to the path", "the trace %.200s", err->text);
    default:
        return tp_call_fail(call, TP_ASK_NOT_A_TRACE, "", "%s", err->text);
    }
}

static enum tp_ask_code open_input(struct tp_ask_input **out, struct tp_ask_call *call, const struct opening *found,
                                   const struct tp_file_identity *identity)
{
    struct tp_ask *ask = call->ask;
    struct tp_error err = {0};
    struct opening opening = *found;
    shrink(ask, TP_MAX_ASK_TRACES - 1);
    struct tp_ask_input *input = calloc(1, sizeof *input);
    if (!input)
        return tp_call_fail(call, TP_ASK_TOO_LARGE, "", "out of memory");
    opening.input = input;
    input->identity = *identity;
    tp_arena_init(&input->arena, 0);
    int code = tp_arena_run(&input->arena, open_in_guard, &opening, &err);
    if (code < 0) {
        close_input(input);
        return fail_to_open(call, code, &err);
    }
    for (size_t i = TP_MAX_ASK_TRACES - 1; i > 0; i--)
        ask->inputs[i] = ask->inputs[i - 1];
    ask->inputs[0] = input;
    shrink(ask, TP_MAX_ASK_TRACES);
    *out = input;
    return TP_ASK_ANSWERED;
}

/* ---- the cache ---- */

static bool is_same_identity(const struct tp_file_identity *a, const struct tp_file_identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size && a->modified_ns == b->modified_ns;
}

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Moves the input at this position to the front. */
static struct tp_ask_input *use(struct tp_ask *ask, size_t at)
{
    struct tp_ask_input *input = ask->inputs[at];
    for (; at > 0; at--)
        ask->inputs[at] = ask->inputs[at - 1];
    return ask->inputs[0] = input;
}

/* Returns whether a file is still the one that was opened. Folders count as unchanged. */
static bool is_unchanged(const struct tp_ask_input *input)
{
    struct tp_file_identity now = {0};
    struct stat info;
    if (input->identity.is_folder)
        return true;
    if (stat(input->path, &info) != 0)
        return false;
    now =
        (struct tp_file_identity){info.st_dev, info.st_ino, (uint64_t)info.st_size, tp_input_modified_ns(&info), false};
    return is_same_identity(&now, &input->identity);
}

enum tp_ask_code tp_inputs_cache_get(struct tp_ask_input **input, struct tp_ask_call *call, struct tp_str given)
{
    struct tp_ask *ask = call->ask;
    struct tp_file_identity identity;
    struct opening found = {.call = call};
    char old_id[TP_ASK_ID_DIGITS + 1] = "";
    enum tp_ask_code code = tp_inputs_cache_find(&found.path, &found.process, &identity, call, given);
    if (code != TP_ASK_ANSWERED)
        return code;
    for (size_t i = 0; i < TP_MAX_ASK_TRACES && ask->inputs[i]; i++) {
        if (strcmp(ask->inputs[i]->path, found.path) != 0 || !is_same_text(ask->inputs[i]->process, found.process))
            continue;
        if (is_same_identity(&ask->inputs[i]->identity, &identity)) {
            *input = use(ask, i);
            return TP_ASK_ANSWERED;
        }
        memcpy(old_id, ask->inputs[i]->id, sizeof old_id);
        drop(ask, i);
        break;
    }
    code = open_input(input, call, &found, &identity);
    if (code != TP_ASK_ANSWERED)
        return code;
    memcpy((*input)->old_id, old_id, sizeof old_id);
    if (tp_str_equal(given, tp_str_of(old_id)))
        return tp_call_fail(call, TP_ASK_CHANGED, "tracepress_traces lists the ids",
                            "the file with this id changed; it has the id %s now", (*input)->id);
    if (!is_unchanged(*input)) {
        drop(ask, 0);
        return tp_call_fail(call, TP_ASK_CHANGED, "ask again", "the file changed while it was read");
    }
    return TP_ASK_ANSWERED;
}

void tp_inputs_cache_close(struct tp_ask *ask)
{
    shrink(ask, 0);
}
