/* Implements lead.h. */
#include "webreport/document/lead.h"

#include <stdarg.h>
#include <string.h>

#include "writer/text/format.h"

/* Adds a run with the next `size` bytes of a format, in which the arguments replace each "%s". */
static void add_run(struct tp_list *runs, const char *format, size_t size, bool is_bold, va_list *arguments)
{
    struct tp_arena *arena = runs->items.arena;
    const char *text = "";

    for (size_t i = 0; i < size;) {
        size_t plain = 0;
        while (i + plain < size && format[i + plain] != '%')
            plain++;
        text = tp_text_printf(arena, "%s%.*s", text, (int)plain, format + i);
        i += plain;
        if (i >= size)
            break;
        text = tp_text_printf(arena, "%s%s", text, format[i + 1] == 's' ? va_arg(*arguments, const char *) : "%");
        i += 2;
    }
    if (!*text)
        return;
    struct tp_object *run = tp_list_add_object(runs);
    tp_object_add_sentence(run, "text", tp_str_of(text));
    tp_object_add_bool(run, "is_bold", is_bold);
}

void tp_object_add_lead(struct tp_object *object, const char *format, ...)
{
    struct tp_list *runs = tp_object_add_list(object, "lead");
    bool is_bold = false;
    va_list arguments;

    va_start(arguments, format);
    for (const char *at = format; *at; is_bold = !is_bold) {
        const char *end = strstr(at, "**");
        size_t size = end ? (size_t)(end - at) : strlen(at);
        add_run(runs, at, size, is_bold, &arguments);
        at += size + (end ? 2 : 0);
    }
    va_end(arguments);
}
