/* Renders templates with a stack of frames (open sections and partials) and a stack of contexts. */
#include "webreport/print/template.h"

#include <stdlib.h>

#include "webreport/print/mustache.h"
#include "writer/base/limits.h"
#include "writer/text/escape.h"

enum { MAX_STEPS = 1 << 28 };

/* An open section or partial: the tokens `at` to `end` - 1 of its template. In the section of a list, each item repeats
 * the tokens from `start`. */
struct frame {
    const struct tp_mustache *template;
    uint32_t at, start, end;
    struct tp_data list; /* list for whose items the tokens are repeated; not a list if they are rendered once */
    size_t index;
    bool has_context, is_partial;
};

struct tp_renderer {
    struct tp_templates *templates;
    struct tp_buf *out;
    struct tp_error *err;
    struct frame frames[TP_MAX_TEMPLATE_FRAMES];
    struct tp_data contexts[TP_MAX_TEMPLATE_FRAMES];
    unsigned frame_count, context_count, partial_count;
};

void tp_templates_init(struct tp_templates *templates, struct tp_arena *arena, tp_template_load load, void *context)
{
    *templates = (struct tp_templates){.arena = arena, .load = load, .context = context, .max_steps = MAX_STEPS};
    templates->compiled = TP_VEC(arena, struct tp_mustache *);
}

/* Adds `indent` before each line of `text`, as the specification requires for a partial that is alone on its line. */
static int indent_lines(struct tp_templates *templates, struct tp_str indent, struct tp_str *text, struct tp_error *err)
{
    size_t lines = 1, size;
    for (size_t i = 0; i < text->len; i++)
        lines += text->ptr[i] == '\n';
    if (__builtin_mul_overflow(lines, indent.len, &size) || size > TP_MAX_TEMPLATE_BYTES)
        return tp_error_set(err, TP_ELIMIT, 0, "a template with its indentation is longer than 1 MiB");
    char *copy = tp_arena_alloc(templates->arena, text->len + size + 1), *to = copy;
    for (size_t i = 0; i < text->len; i++) {
        if (i == 0 || text->ptr[i - 1] == '\n') {
            memcpy(to, indent.ptr, indent.len);
            to += indent.len;
        }
        *to++ = text->ptr[i];
    }
    *text = (struct tp_str){copy, (size_t)(to - copy)};
    return 0;
}

/* Sets *out to the compiled template with this name and indentation. may_miss: true treats a missing template as an
 * empty one. */
static int find_or_compile(struct tp_templates *templates, struct tp_str name, struct tp_str indent, bool may_miss,
                           const struct tp_mustache **out, struct tp_error *err)
{
    for (size_t i = 0; i < templates->compiled.count; i++) {
        *out = *TP_AT(&templates->compiled, struct tp_mustache *, i);
        if (tp_str_equal((*out)->name, name) && tp_str_equal((*out)->indent, indent))
            return 0;
    }
    struct tp_str text = {"", 0};
    int code = templates->load(templates->context, name, &text, err);
    if (code == TP_ENOTFOUND && may_miss)
        text.len = 0;
    else if (code)
        return code;
    if (indent.len && (code = indent_lines(templates, indent, &text, err)))
        return code;
    struct tp_mustache *compiled = tp_arena_alloc(templates->arena, sizeof *compiled);
    code = tp_mustache_compile(compiled, templates->arena, name, text, err);
    if (code)
        return code;
    compiled->name.ptr = tp_arena_copy(templates->arena, name.ptr, name.len);
    compiled->indent = (struct tp_str){tp_arena_copy(templates->arena, indent.ptr, indent.len), indent.len};
    *(struct tp_mustache **)tp_vec_push(&templates->compiled) = compiled;
    *out = compiled;
    return 0;
}

static bool find_member(const struct tp_data *object, struct tp_str name, struct tp_data *out)
{
    return object->kind == TP_DATA_OBJECT && object->source->member(object, name, out);
}

/* Finds the value of a dotted name. Searches its first part from the innermost context outwards, and each further
 * part in the value of the previous part. */
static void resolve_name(const struct tp_renderer *r, struct tp_str name, struct tp_data *out)
{
    struct tp_data value = {.kind = TP_DATA_NONE};
    *out = value;
    if (name.len == 1 && name.ptr[0] == '.') {
        *out = r->contexts[r->context_count - 1];
        return;
    }
    const char *dot = name.len ? memchr(name.ptr, '.', name.len) : NULL;
    struct tp_str part = {name.ptr, dot ? (size_t)(dot - name.ptr) : name.len};
    bool is_found = false;
    for (unsigned i = r->context_count; i-- > 0 && !is_found;)
        is_found = find_member(&r->contexts[i], part, &value);
    while (is_found && dot) {
        struct tp_data object = value;
        struct tp_str rest = {dot + 1, name.len - (size_t)(dot + 1 - name.ptr)};
        dot = rest.len ? memchr(rest.ptr, '.', rest.len) : NULL;
        part = (struct tp_str){rest.ptr, dot ? (size_t)(dot - rest.ptr) : rest.len};
        is_found = find_member(&object, part, &value);
    }
    if (is_found)
        *out = value;
}

/* Escapes the text in `out` from position `from` on, which a data source has printed. */
static void escape_appended_text(struct tp_buf *out, size_t from)
{
    char small[512];
    size_t size = out->size - from;
    char *plain = size <= sizeof small ? small : malloc(size);
    if (!plain) {
        out->failed = TP_ENOMEM;
        return;
    }
    memcpy(plain, out->data + from, size);
    out->size = from;
    tp_html_escape(out, (struct tp_str){plain, size});
    if (plain != small)
        free(plain);
}

static void append_value(struct tp_buf *out, const struct tp_data *value, bool escapes)
{
    size_t from = out->size;
    switch (value->kind) {
    case TP_DATA_TEXT:
        if (escapes)
            tp_html_escape(out, (struct tp_str){value->self, (size_t)value->number});
        else
            tp_buf_add(out, value->self, (size_t)value->number);
        break;
    case TP_DATA_INT:
        tp_buf_int(out, value->number);
        break;
    case TP_DATA_BOOL:
        tp_buf_puts(out, value->number ? "true" : "false");
        break;
    case TP_DATA_PRINTED:
        value->source->print(value, out);
        if (escapes && !out->failed && out->size > from)
            escape_appended_text(out, from);
        break;
    default:
        break;
    }
}

static struct frame *push_section_frame(struct tp_renderer *r, const struct tp_mustache *template, uint32_t start,
                                        uint32_t end)
{
    if (r->frame_count == TP_MAX_TEMPLATE_FRAMES)
        return NULL;
    struct frame *frame = &r->frames[r->frame_count++];
    *frame = (struct frame){.template = template, .at = start, .start = start, .end = end};
    return frame;
}

static int set_depth_error(struct tp_renderer *r, const struct tp_mustache *template)
{
    int shown = template->name.len > 60 ? 60 : (int)template->name.len;
    return tp_error_set(r->err, TP_ELIMIT, 0, "template %.*s: sections and partials are too deep inside each other",
                        shown, template->name.ptr);
}

static int enter_section(struct tp_renderer *r, const struct tp_mustache *template,
                         const struct tp_mustache_token *token)
{
    struct tp_data value;
    resolve_name(r, token->text, &value);
    if (!tp_data_is_true(&value))
        return 0;
    struct frame *frame = push_section_frame(r, template, (uint32_t)(token - template->tokens) + 1, token->jump - 1);
    if (!frame || r->context_count == TP_MAX_TEMPLATE_FRAMES)
        return set_depth_error(r, template);
    frame->has_context = true;
    struct tp_data *context = &r->contexts[r->context_count++];
    *context = value;
    if (value.kind == TP_DATA_LIST) {
        frame->list = value;
        value.source->item(&frame->list, 0, context);
    }
    return 0;
}

/* Sets *partial to the template of {{> name}}, or of {{> *name}}, whose name is the value of `name` in the contexts. */
static int find_partial(const struct tp_renderer *r, struct tp_mustache_token *token,
                        const struct tp_mustache **partial)
{
    struct tp_str name = token->text;
    int code = 0;
    if (name.len && name.ptr[0] == '*') {
        struct tp_data value;
        resolve_name(r, tp_str_trim((struct tp_str){name.ptr + 1, name.len - 1}), &value);
        name = value.kind == TP_DATA_TEXT ? (struct tp_str){value.self, (size_t)value.number} : (struct tp_str){"", 0};
        return find_or_compile(r->templates, name, token->indent, true, partial, r->err);
    }
    if (!token->partial)
        code = find_or_compile(r->templates, name, token->indent, true, &token->partial, r->err);
    *partial = token->partial;
    return code;
}

static int enter_partial(struct tp_renderer *r, const struct tp_mustache *template, struct tp_mustache_token *token)
{
    const struct tp_mustache *partial;
    int code = find_partial(r, token, &partial);
    if (code)
        return code;
    struct frame *frame = push_section_frame(r, partial, 0, partial->token_count);
    if (!frame || r->partial_count == TP_MAX_TEMPLATE_DEPTH)
        return set_depth_error(r, template);
    frame->is_partial = true;
    r->partial_count++;
    return 0;
}

/* Ends a pass through a frame: continues with the next item of the frame's list, or removes the frame from the
 * stack. */
static void end_pass_through_frame(struct tp_renderer *r, struct frame *frame)
{
    if (frame->list.kind == TP_DATA_LIST && ++frame->index < (size_t)frame->list.number) {
        frame->list.source->item(&frame->list, frame->index, &r->contexts[r->context_count - 1]);
        frame->at = frame->start;
        return;
    }
    r->context_count -= frame->has_context;
    r->partial_count -= frame->is_partial;
    r->frame_count--;
}

static int render_token(struct tp_renderer *r, struct frame *frame)
{
    struct tp_mustache_token *token = &frame->template->tokens[frame->at++];
    struct tp_data value;
    switch (token->kind) {
    case TP_MUSTACHE_TEXT:
        tp_buf_add(r->out, token->text.ptr, token->text.len);
        break;
    case TP_MUSTACHE_ESCAPED:
    case TP_MUSTACHE_RAW:
        resolve_name(r, token->text, &value);
        append_value(r->out, &value, token->kind == TP_MUSTACHE_ESCAPED);
        break;
    case TP_MUSTACHE_SECTION:
        frame->at = token->jump;
        return enter_section(r, frame->template, token);
    case TP_MUSTACHE_INVERTED:
        resolve_name(r, token->text, &value);
        if (tp_data_is_true(&value))
            frame->at = token->jump;
        break;
    case TP_MUSTACHE_PARTIAL:
        return enter_partial(r, frame->template, token);
    case TP_MUSTACHE_END:
        break;
    }
    return 0;
}

static int render_all_frames(struct tp_renderer *r)
{
    for (uint64_t steps = 0; r->frame_count; steps++) {
        struct frame *frame = &r->frames[r->frame_count - 1];
        if (steps == r->templates->max_steps)
            return tp_error_set(r->err, TP_ELIMIT, 0, "a template does not end (%llu steps)",
                                (unsigned long long)steps);
        if (frame->at >= frame->end) {
            end_pass_through_frame(r, frame);
            continue;
        }
        int code = render_token(r, frame);
        if (code)
            return code;
        if (r->out->failed)
            return tp_error_set(r->err, r->out->failed, 0, "the page exceeds its limit of %zu bytes",
                                r->out->max_bytes);
    }
    return 0;
}

int tp_template_render(struct tp_templates *templates, const char *name, struct tp_data data, struct tp_buf *out,
                       struct tp_error *err)
{
    const struct tp_mustache *template;
    int code = find_or_compile(templates, tp_str_of(name), (struct tp_str){"", 0}, false, &template, err);
    if (code)
        return code;
    if (!templates->renderer) /* the renderer is allocated once, because a page renders thousands of templates */
        templates->renderer = tp_arena_alloc(templates->arena, sizeof(struct tp_renderer));
    struct tp_renderer *r = templates->renderer;
    r->templates = templates;
    r->out = out;
    r->err = err;
    r->frame_count = r->context_count = r->partial_count = 0;
    r->contexts[r->context_count++] = data;
    push_section_frame(r, template, 0, template->token_count);
    return render_all_frames(r);
}
