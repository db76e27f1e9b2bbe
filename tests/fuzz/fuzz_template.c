/* Compiles and renders arbitrary templates. A template must compile or be refused. Rendering unusual data must not
 * crash, and escaped values must add no markup.
 *
 * The first NUL divides the input into the main template and the partial template "p". Both get the same small data. */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/print/template.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct texts {
    struct tp_str main, partial;
};

static int load_template(void *context, struct tp_str name, struct tp_str *text, struct tp_error *err)
{
    const struct texts *texts = context;
    (void)err;
    if (tp_str_equal(name, TP_STR("main")))
        *text = texts->main;
    else if (tp_str_equal(name, TP_STR("p")))
        *text = texts->partial;
    else
        return TP_ENOTFOUND;
    return 0;
}

static struct tp_data make_data(struct tp_arena *arena, struct tp_str input)
{
    struct tp_object *page = tp_object_new(arena);
    struct tp_list *list = tp_object_add_list(page, "l");
    tp_object_add_str(page, "t", input);
    tp_object_add_bool(page, "y", true);
    tp_object_add_bool(page, "n", false);
    tp_object_add_int(page, "i", INT64_MIN);
    tp_object_add_text(tp_object_add_object(page, "o"), "t", "<o>");
    for (int i = 0; i < 3; i++)
        tp_object_add_int(tp_list_add_object(list), "i", i);
    tp_list_add(list, tp_data_of_list(list)); /* adds the list to itself */
    tp_list_add(list, tp_data_str(input));
    return tp_data_of_object(page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct texts texts = {.main = {(const char *)data, size}, .partial = {"", 0}};
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    struct tp_arena arena;
    struct tp_buf out;
    tp_buf_init(&out, 1 << 20);
    tp_arena_init(&arena, 64 << 20);
    if (nul) {
        texts.main.len = (size_t)(nul - data);
        texts.partial = (struct tp_str){(const char *)nul + 1, size - texts.main.len - 1};
    }
    if (!setjmp(arena.guard)) {
        struct tp_templates templates;
        struct tp_error err = {0};
        tp_templates_init(&templates, &arena, load_template, &texts);
        templates.max_steps = 50000;
        int code = tp_template_render(&templates, "main", make_data(&arena, texts.main), &out, &err);
        if (code && (code != err.code || !err.text[0]))
            abort();
        if (!code && !memchr(texts.main.ptr, '{', texts.main.len) && out.size != texts.main.len)
            abort();
    }
    tp_arena_release(&arena);
    tp_buf_release(&out);
    return 0;
}
