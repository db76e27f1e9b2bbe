/* Shows an answer to people: see answer_text.h. */
#include "webreport/ask/answer_text.h"

#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"
#include "writer/text/terminal.h"

/* A place in the answer: an object or list whose items are being written. */
struct level {
    struct tp_str json;
    size_t at;
};

static void add_indent(struct tp_buf *out, unsigned depth)
{
    for (unsigned i = 1; i < depth; i++)
        tp_buf_puts(out, "  ");
}

static bool is_container(struct tp_str value)
{
    return tp_value_starts_with(value, '{') || tp_value_starts_with(value, '[');
}

/* Appends a text or a number. */
static void add_scalar(struct tp_buf *out, struct tp_str value, struct tp_arena *arena)
{
    struct tp_str text = tp_value_starts_with(value, '"') ? tp_value_text(arena, value) : value;
    size_t before = out->size;
    tp_buf_add(out, text.ptr, text.len);
    if (!out->failed && out->size > before)
        tp_terminal_clean(out->data + before, out->size - before);
}

/* Appends a list of texts and numbers, such as a row, on one line. Returns false for other lists. */
static bool add_short_list(struct tp_buf *out, struct tp_str list, struct tp_arena *arena)
{
    struct tp_str item;
    for (size_t at = 0; tp_value_next(list, &at, NULL, &item);)
        if (is_container(item))
            return false;
    unsigned count = 0;
    for (size_t at = 0; tp_value_next(list, &at, NULL, &item); count++) {
        tp_buf_puts(out, count ? " | " : "");
        add_scalar(out, item, arena);
    }
    tp_buf_putc(out, '\n');
    return true;
}

struct showing {
    struct tp_buf *out;
    struct tp_str answer;
    struct tp_arena arena;
};

static int show(void *context, struct tp_error *err)
{
    struct showing *s = context;
    struct level levels[TP_MAX_ASK_DEPTH] = {{s->answer, 0}};
    (void)err;
    for (unsigned depth = 1; depth > 0;) {
        struct level *level = &levels[depth - 1];
        struct tp_str key = {NULL, 0}, item;
        if (!tp_value_next(level->json, &level->at, &key, &item)) {
            depth--;
            continue;
        }
        add_indent(s->out, depth);
        if (tp_value_starts_with(level->json, '{')) {
            add_scalar(s->out, key, &s->arena);
            tp_buf_puts(s->out, ": ");
        } else {
            tp_buf_puts(s->out, "- ");
        }
        if (!is_container(item)) {
            add_scalar(s->out, item, &s->arena);
            tp_buf_putc(s->out, '\n');
        } else if (!(tp_value_starts_with(item, '[') && add_short_list(s->out, item, &s->arena)) &&
                   depth < TP_MAX_ASK_DEPTH) {
            tp_buf_putc(s->out, '\n');
            levels[depth++] = (struct level){item, 0};
        }
    }
    return TP_OK;
}

void tp_answer_text_add(struct tp_buf *out, struct tp_str answer)
{
    struct showing showing = {.out = out, .answer = answer};
    size_t before = out->size;
    tp_arena_init(&showing.arena, 0);
    if (tp_arena_run(&showing.arena, show, &showing, NULL) < 0 && !out->failed)
        out->failed = TP_ENOMEM;
    tp_arena_release(&showing.arena);
    tp_terminal_disable_appended(out, before);
}
