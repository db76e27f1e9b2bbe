/* Reads logs of TORCH_TRACE: see compile_parts.h.
 *
 * An artifact begins with a head line, `V1128 04:45:22.360000 31689 torch/_inductor/compile_fx.py:1632] {"artifact":
 * {"name": "inductor_provenance_tracking_kernel_stack_traces", ..}, ..}`. Its contents are the next lines, each of
 * which begins with a tab. */
#include "webreport/trace/compile_log/artifact_files.h"
#include "webreport/trace/compile_log/compile_parts.h"
#include "webreport/trace/json/clean.h"
#include "webreport/trace/json/value.h"

#define FX_GRAPH "inductor_post_grad_graph"

void tp_compile_lines_init(struct tp_compile_lines *lines, struct tp_compile_reader *r)
{
    *lines = (struct tp_compile_lines){.reader = r, .payload = TP_VEC(r->arena, char)};
    r->fx_text = (struct tp_str){NULL, 0};
}

/* Returns the JSON of a head line; len 0 for other lines. */
static struct tp_str head_json(struct tp_str line)
{
    const struct tp_str none = {NULL, 0};
    size_t at = 0;
    line = tp_str_trim(line);
    while (line.len && (line.ptr[line.len - 1] == '\r' || line.ptr[line.len - 1] == '\t'))
        line.len--;
    if (line.len < 10 || line.ptr[0] != 'V' || line.ptr[5] != ' ' || line.ptr[line.len - 1] != '}')
        return none;
    for (at = 1; at < 5; at++)
        if (!tp_is_digit(line.ptr[at]))
            return none;
    const char *bracket = memchr(line.ptr, ']', line.len);
    at = bracket ? (size_t)(bracket - line.ptr) : line.len;
    if (line.len - at < 4 || memcmp(line.ptr + at, "] {", 3) != 0)
        return none;
    return (struct tp_str){line.ptr + at + 2, line.len - at - 2};
}

/* Returns the name of the artifact in the JSON of a head line; len 0 if the artifact is not read. */
static struct tp_str wanted_artifact(struct tp_arena *arena, struct tp_str json)
{
    struct tp_str none = {NULL, 0};
    struct tp_buf buf;
    if (tp_str_find(json, "\"artifact\"") < 0 && tp_str_find(json, "\"" FX_GRAPH "\"") < 0)
        return none;
    tp_buf_init(&buf, TP_MAX_COMPILE_TEXT_BYTES);
    tp_clean_value(&buf, json);
    if (buf.failed == TP_ELIMIT) {
        tp_buf_release(&buf);
        return none;
    }
    size_t size = buf.size;
    struct tp_str head = {tp_buf_move(&buf, arena), size};
    if (tp_value_member(head, FX_GRAPH).ptr)
        return TP_STR(FX_GRAPH);
    struct tp_str name = tp_value_text(arena, tp_value_member(tp_value_member(head, "artifact"), "name"));
    return name.ptr && (tp_compile_is_artifact(name) || tp_str_equal(name, TP_STR(FX_GRAPH))) ? name : none;
}

static void end_artifact(struct tp_compile_lines *lines)
{
    struct tp_compile_reader *r = lines->reader;
    struct tp_str text = {lines->payload.data, lines->payload.count};
    if (lines->is_too_long)
        r->log->dropped_count++;
    else if (lines->artifact.len && text.len && tp_str_equal(lines->artifact, TP_STR(FX_GRAPH)))
        r->fx_text = (struct tp_str){tp_arena_copy(r->arena, text.ptr, text.len), text.len};
    else if (lines->artifact.len && text.len)
        tp_compile_read_artifact(r, lines->artifact, text);
    lines->payload.count = 0;
    lines->artifact.len = 0;
    lines->is_too_long = false;
}

static void read_line(struct tp_compile_lines *lines, struct tp_str line)
{
    struct tp_str json = head_json(line);
    if (json.len) {
        end_artifact(lines);
        lines->artifact = wanted_artifact(lines->reader->arena, json);
        return;
    }
    if (!lines->artifact.len || !line.len || *line.ptr != '\t')
        return;
    lines->is_too_long |= lines->payload.count + line.len > TP_MAX_COMPILE_TEXT_BYTES;
    if (lines->is_too_long)
        return;
    tp_vec_add_text(&lines->payload, (struct tp_str){line.ptr + 1, line.len - 1});
    tp_vec_add_text(&lines->payload, TP_STR("\n"));
}

size_t tp_compile_lines_read(struct tp_compile_lines *lines, struct tp_str text)
{
    size_t at = 0;
    for (const char *end; at < text.len && (end = memchr(text.ptr + at, '\n', text.len - at));) {
        size_t size = (size_t)(end - text.ptr) - at;
        read_line(lines, (struct tp_str){text.ptr + at, size});
        at += size + 1;
    }
    return at;
}

void tp_compile_lines_end(struct tp_compile_lines *lines, struct tp_str rest)
{
    read_line(lines, rest);
    end_artifact(lines);
}
