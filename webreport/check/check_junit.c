/* The verdict as JUnit XML: see check_print.h. A failure of ours is an assertion that did not hold, never an error. */
#include "webreport/check/check_print.h"
#include "webreport/render/escape.h"
#include "webreport/render/format.h"

static void attribute(struct tp_buf *out, const char *name, const char *text)
{
    tp_buf_printf(out, " %s=\"", name);
    tp_html_escape(out, tp_str_of(text));
    tp_buf_putc(out, '"');
}

static void put_places(struct tp_buf *out, const struct tp_check_item *item)
{
    for (uint32_t i = 0; i < item->place_count; i++) {
        tp_buf_putc(out, '\n');
        tp_html_escape(out, item->places[i].file_line);
        tp_buf_puts(out, ": ");
        tp_html_escape(out, item->places[i].text);
    }
}

/* <failure>, <skipped> or <system-out>; a limit that holds has none of them. */
static void put_outcome(const struct tp_check_print *print, const struct tp_check_item *item, struct tp_buf *out)
{
    static const char *const elements[] = {NULL, "system-out", "skipped", "failure"};
    const char *element = elements[item->status], *message = tp_check_item_message(print, item);
    tp_buf_printf(out, "      <%s", element);
    if (item->status != TP_CHECK_WARN)
        attribute(out, "message", message);
    if (item->status == TP_CHECK_FAIL)
        attribute(out, "type", tp_check_cause_text(item->cause));
    tp_buf_puts(out, ">");
    if (item->status == TP_CHECK_WARN)
        tp_buf_puts(out, "warning: ");
    tp_html_escape(out, tp_str_of(message));
    put_places(out, item);
    tp_buf_printf(out, "</%s>\n", element);
}

static void put_case(const struct tp_check_print *print, const struct tp_check_item *item, struct tp_buf *out)
{
    const char *file = print->check->input->budget->file;
    tp_buf_puts(out, "    <testcase");
    attribute(out, "classname", file ? file : "default budget");
    attribute(out, "name", tp_check_item_title(print, item));
    if (file) {
        attribute(out, "file", file);
        tp_buf_printf(out, " line=\"%u\"", item->line->number);
    }
    tp_buf_puts(out, " time=\"0\"");
    if (item->status == TP_CHECK_PASS) {
        tp_buf_puts(out, "/>\n");
        return;
    }
    tp_buf_puts(out, ">\n");
    put_outcome(print, item, out);
    tp_buf_puts(out, "    </testcase>\n");
}

void tp_check_junit(const struct tp_check_print *print, struct tp_buf *out)
{
    const struct tp_check *c = print->check;
    const char *counts = tp_text_printf(print->arena, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\"",
                                        c->count, c->counts[TP_CHECK_FAIL], c->counts[TP_CHECK_INCONCLUSIVE]);
    tp_buf_printf(out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tracepress\"%s time=\"0\">\n"
                  "  <testsuite name=\"tracepress check\"%s time=\"0\">\n",
                  counts, counts);
    for (size_t i = 0; i < c->count; i++)
        put_case(print, &c->items[i], out);
    tp_buf_puts(out, "  </testsuite>\n</testsuites>\n");
}
