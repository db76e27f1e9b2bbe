/* Writes SVG documents: see svg.h. */
#include "webreport/export/svg.h"

#include "webreport/export/export_formats.h"
#include "writer/base/fs.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"
#include "writer/text/assets.h"
#include "writer/text/escape.h"

void tp_svg_begin(struct tp_buf *out, unsigned width, unsigned height)
{
    tp_buf_printf(out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
                  "height=\"%u\" viewBox=\"0 0 %u %u\">\n",
                  width, height, width, height);
}

static void put_asset(struct tp_buf *out, const char *element, const char *asset, struct tp_arena *arena)
{
    struct tp_assets assets;
    struct tp_str text = {"", 0};
    tp_assets_init(&assets, arena, NULL);
    if (tp_assets_get(&assets, tp_str_of(asset), &text, NULL) != TP_OK && !out->failed)
        out->failed = TP_ENOTFOUND; /* the asset is not built in, which is a bug of the caller */
    tp_buf_printf(out, "<%s><![CDATA[\n", element);
    tp_buf_add(out, text.ptr, text.len);
    tp_buf_printf(out, "]]></%s>\n", element);
}

void tp_svg_put_style(struct tp_buf *out, const char *asset, struct tp_arena *arena)
{
    put_asset(out, "style", asset, arena);
}

void tp_svg_put_script(struct tp_buf *out, const char *asset, struct tp_arena *arena)
{
    put_asset(out, "script", asset, arena);
}

/* Returns the length of the character that starts at `at`, bytes, at most up to the end of the text. An invalid
 * character has the length 1. */
static size_t character_bytes(struct tp_str text, size_t at)
{
    unsigned char first = (unsigned char)text.ptr[at];
    size_t size = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4, i = 1;
    while (i < size && at + i < text.len && tp_utf8_is_continuation(text.ptr[at + i]))
        i++;
    return i;
}

/* Returns the number of columns that a character of `size` bytes takes. Characters of three bytes or more count as two
 * columns, because East Asian characters and emoji are wide. */
static size_t character_columns(size_t size)
{
    return size >= 3 ? 2 : 1;
}

/* Returns the length of the longest prefix of `text` that fits into max_columns, bytes. */
static size_t prefix_bytes(struct tp_str text, size_t max_columns)
{
    size_t at = 0;
    for (size_t used = 0; at < text.len;) {
        size_t size = character_bytes(text, at);
        used += character_columns(size);
        if (used > max_columns)
            break;
        at += size;
    }
    return at;
}

static void put_line(struct tp_buf *out, struct tp_str text)
{
    size_t from = out->size;
    tp_html_escape(out, text);
    for (size_t i = from; i < out->size && !out->failed; i++)
        if (out->data[i] == '\n' || out->data[i] == '\t')
            out->data[i] = ' ';
}

void tp_svg_put_text(struct tp_buf *out, struct tp_str text, size_t max_bytes)
{
    size_t size = 0;
    if (text.len <= max_bytes) {
        put_line(out, text);
        return;
    }
    for (size_t next; size < text.len && (next = size + character_bytes(text, size)) <= max_bytes;)
        size = next;
    put_line(out, (struct tp_str){text.ptr, size});
    tp_buf_puts(out, "\u2026");
}

void tp_svg_put_text_within(struct tp_buf *out, struct tp_str text, size_t max_columns)
{
    if (max_columns < 3)
        return;
    if (prefix_bytes(text, max_columns) == text.len) {
        put_line(out, text);
        return;
    }
    put_line(out, (struct tp_str){text.ptr, prefix_bytes(text, max_columns - 1)});
    tp_buf_puts(out, "\u2026");
}

struct drawing {
    struct tp_buf *out;
    void (*draw)(struct tp_buf *out, void *context);
    void *context;
};

static int draw_guarded(void *context, struct tp_error *err)
{
    struct drawing *drawing = context;
    (void)err;
    drawing->draw(drawing->out, drawing->context);
    return TP_OK;
}

static int write_document(const struct tp_buf *document, const char *path, struct tp_error *err)
{
    struct tp_outfile *file;
    int code = tp_outfile_open(&file, path, err);
    if (code < 0)
        return code;
    code = tp_outfile_write(file, document->data, document->size, err);
    if (code == TP_OK)
        return tp_outfile_commit(&file, err);
    tp_outfile_discard(&file);
    return code;
}

int tp_svg_write(const char *path, struct tp_arena *arena, void (*draw)(struct tp_buf *out, void *context),
                 void *context, struct tp_error *err)
{
    struct tp_buf document;
    tp_buf_init(&document, TP_MAX_SVG_BYTES);
    int code = tp_arena_run(arena, draw_guarded, &(struct drawing){&document, draw, context}, NULL);
    code = code < 0 ? code : document.failed;
    if (code < 0)
        tp_error_set(err, code, 0, "%s: %s", path, code == TP_ELIMIT ? "a limit was reached" : "out of memory");
    else
        code = write_document(&document, path, err);
    tp_buf_release(&document);
    return code;
}
