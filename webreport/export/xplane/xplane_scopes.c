/* Makes scopes, which are paths of operator names. XProf groups operators by scope.
 *
 * XProf recognizes "path:type" as a framework operator if path matches [A-Za-z0-9.][A-Za-z0-9_./>-]* and type matches
 * [a-z_][a-z0-9_]* (tf_op_utils.cc). XProf does not recognize other names. */
#include <stdio.h>

#include "webreport/export/xplane/xplane_parts.h"
#include "writer/base/limits.h"

enum { PART_MOST = 128, TYPE_MOST = 64 };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Writes an operator name as a part of a path: aten::add_ becomes aten.add_. Returns the length. */
static size_t write_name_part(char *out, struct tp_str name)
{
    size_t n = 0;
    for (size_t i = 0; i < name.len && n < PART_MOST; i++) {
        char c = name.ptr[i];
        if (c == ':' && i + 1 < name.len && name.ptr[i + 1] == ':') {
            out[n++] = '.';
            i++;
        } else {
            out[n++] = is_letter(c) || tp_is_digit(c) || c == '.' || c == '-' ? c : '_';
        }
    }
    if (n == 0)
        out[n++] = '_';
    return n;
}

/* Writes the last part of a qualified name, up to '#' or ':', as a type. aten::add_ becomes add_;
 * Optimizer.step#SGD.step becomes optimizer_step. */
static size_t write_name_as_type(char *out, struct tp_str name)
{
    size_t n = 0, first = 0, end = name.len;
    for (size_t i = 0; i + 1 < name.len; i++)
        if (name.ptr[i] == ':' && name.ptr[i + 1] == ':')
            first = ++i + 1;
    for (size_t i = first; i < end; i++)
        if (name.ptr[i] == '#' || name.ptr[i] == ':')
            end = i;
    if (first >= end || !is_letter(name.ptr[first])) {
        memcpy(out, "op_", 3);
        n = 3;
    }
    for (size_t i = first; i < end && n < TYPE_MOST; i++) {
        char c = name.ptr[i];
        out[n++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : is_letter(c) || tp_is_digit(c) ? c : '_');
    }
    return n;
}

void tp_xscopes_init(struct tp_xscopes *scopes, struct tp_arena *arena)
{
    tp_keys_init(&scopes->edges, arena, 2);
    scopes->items = TP_VEC(arena, struct tp_xscope);
}

/* Appends a scope with its text. If the path is too long, keeps only its root and its last part. */
static void set_scope_text(struct tp_xscopes *scopes, uint32_t above, enum tp_xroot root, struct tp_str name)
{
    static const char *const roots[] = {[TP_XROOT_MAIN] = "main",
                                        [TP_XROOT_BACKWARD] = "backward",
                                        [TP_XROOT_OPTIMIZER] = "optimizer",
                                        [TP_XROOT_INPUT] = "input",
                                        [TP_XROOT_THREAD] = "thread"};
    char text[TP_MAX_XPLANE_PATH_BYTES + PART_MOST + TYPE_MOST + 8], part[PART_MOST];
    struct tp_xscope *scope = tp_vec_push(&scopes->items);
    struct tp_str path = tp_str_of(roots[root]);
    size_t size = write_name_part(part, name), n;
    if (above != TP_NO_ID)
        path = (struct tp_str){tp_xscopes_get(scopes, above)->text.ptr, tp_xscopes_get(scopes, above)->path_bytes};
    bool is_long = path.len + 1 + size > TP_MAX_XPLANE_PATH_BYTES;
    if (is_long)
        path.len = (size_t)((const char *)memchr(path.ptr, '/', path.len) - path.ptr);
    memcpy(text, path.ptr, path.len);
    n = path.len;
    memcpy(text + n, is_long ? "/.../" : "/", is_long ? 5 : 1);
    n += is_long ? 5 : 1;
    memcpy(text + n, part, size);
    n += size;
    scope->path_bytes = (uint32_t)n;
    text[n++] = ':';
    n += write_name_as_type(text + n, name);
    scope->text = (struct tp_str){tp_arena_copy(scopes->items.arena, text, n), n};
}

uint32_t tp_xscopes_add(struct tp_xscopes *scopes, uint32_t above, enum tp_xroot root, uint32_t name,
                        struct tp_str text)
{
    uint32_t parent = above == TP_NO_ID ? TP_NO_ID - 1 - (uint32_t)root : above;
    uint32_t scope = tp_keys_pair(&scopes->edges, parent, name);
    if (scope == scopes->items.count)
        set_scope_text(scopes, above, root, text);
    return scope;
}

uint32_t tp_xscopes_text(struct tp_xscopes *scopes, uint32_t scope, struct tp_xplane *plane, uint32_t plane_number)
{
    struct tp_xscope *s = tp_xscopes_get(scopes, scope);
    if (s->plane != plane_number) {
        s->plane = plane_number;
        s->id = tp_xplane_add_text(plane, s->text);
    }
    return s->id;
}
