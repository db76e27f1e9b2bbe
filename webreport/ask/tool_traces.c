/* The tool `traces`: the files under the roots that can be asked about. */
#include "webreport/ask/cursor.h"
#include "webreport/ask/file_list.h"
#include "webreport/ask/tool.h"

/* Writes one file. Returns whether it is below a root, and is no file of another kind. */
static bool write_file(struct tp_ask_call *call, const char *path, size_t root_length)
{
    struct tp_json *json = &call->json;
    struct tp_file_identity identity;
    const char *real, *kind = tp_file_list_kind(path);
    char id[13];
    if (strcmp(kind, "other") == 0 ||
        tp_roots_find(&real, &identity, &call->ask->roots, path, call->arena) != TP_ROOTS_FOUND ||
        !tp_file_list_id(id, real, false, call->arena))
        return false;
    tp_json_object(json);
    tp_call_member_whole(call, "path", tp_str_of(path + root_length + (path[root_length] == '/')));
    tp_json_member_text(json, "kind", kind);
    tp_json_member_int(json, "bytes", (int64_t)identity.size);
    tp_json_member_text(json, "id", id);
    tp_json_object_end(json);
    return true;
}

/* Writes files from `offset` on. Returns the offset of the next answer; -1 if all files are written. */
static int64_t write_files(struct tp_ask_call *call, const struct tp_vec *paths, const size_t *lengths, int64_t offset)
{
    enum { TAIL_BYTES = 100, MOST_OPENED = 1000 }; /* files that one answer opens; most of them may be no traces */
    int64_t count = 0;
    for (size_t i = (size_t)offset; i < paths->count; i++) {
        struct tp_call_mark mark = tp_call_mark(call);
        if (count == call->number[TP_ASK_LIMIT] || (int64_t)i - offset == MOST_OPENED)
            return (int64_t)i;
        count += write_file(call, *TP_AT(paths, const char *, i), lengths[i]);
        if (!tp_call_fits(call, TAIL_BYTES)) {
            tp_call_undo(call, mark);
            return (int64_t)i;
        }
    }
    return -1;
}

enum tp_ask_code tp_tool_traces(struct tp_ask_call *call)
{
    struct tp_cursor_key key;
    struct tp_vec paths = TP_VEC(call->arena, const char *), lengths = TP_VEC(call->arena, size_t);
    const struct tp_roots *roots = &call->ask->roots;
    enum tp_ask_code code = tp_cursor_read(&key, call, TP_STR("traces"));
    if (code != TP_ASK_ANSWERED)
        return code;
    for (size_t i = 0; i < roots->count; i++) {
        tp_file_list_find(&paths, roots->paths[i]);
        while (lengths.count < paths.count)
            *(size_t *)tp_vec_push(&lengths) = strlen(roots->paths[i]);
    }
    tp_call_begin(call);
    tp_json_key(&call->json, "traces");
    tp_json_array(&call->json);
    int64_t next = key.offset < (int64_t)paths.count ? write_files(call, &paths, lengths.data, key.offset) : -1;
    tp_json_array_end(&call->json);
    if (next == key.offset)
        return tp_call_fail(call, TP_ASK_TOO_LARGE, "", "the path of a file is too long for an answer");
    tp_cursor_write(call, &key, next);
    tp_json_object_end(&call->json);
    return TP_ASK_ANSWERED;
}
