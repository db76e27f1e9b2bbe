/* Prints findings as JUnit XML. See print.h. A broken limit is a failure. An input that cannot be judged is an
 * error. */
#include "webreport/print/print.h"

#include "writer/text/escape.h"
#include "writer/text/format.h"

static void put_attribute(struct tp_buf *out, const char *name, const char *text)
{
    tp_buf_printf(out, " %s=\"", name);
    tp_html_escape(out, tp_str_of(text));
    tp_buf_putc(out, '"');
}

static void put_places(struct tp_buf *out, const struct tp_finding_block *finding)
{
    for (uint32_t i = 0; i < finding->place_count; i++) {
        tp_buf_putc(out, '\n');
        tp_html_escape(out, finding->places[i].file_line);
        tp_buf_puts(out, ": ");
        tp_html_escape(out, finding->places[i].text);
    }
}

/* Writes <failure>, <error>, <skipped> or <system-out> for a finding. Writes nothing for a good finding. */
static void put_outcome(struct tp_buf *out, const struct tp_finding_block *finding)
{
    const char *element = finding->is_inconclusive_by_input ? "error"
                          : finding->tone == TP_TONE_BAD    ? "failure"
                          : finding->tone == TP_TONE_UNSURE ? "skipped"
                                                            : "system-out";
    tp_buf_printf(out, "      <%s", element);
    if (finding->tone != TP_TONE_WARN)
        put_attribute(out, "message", finding->message);
    if (finding->tone == TP_TONE_BAD || finding->is_inconclusive_by_input)
        put_attribute(out, "type", finding->cause);
    tp_buf_puts(out, ">");
    if (finding->tone == TP_TONE_WARN)
        tp_buf_puts(out, "warning: ");
    tp_html_escape(out, tp_str_of(finding->message));
    put_places(out, finding);
    tp_buf_printf(out, "</%s>\n", element);
}

static void put_test_case(struct tp_buf *out, const struct tp_findings_block *list,
                          const struct tp_finding_block *finding)
{
    tp_buf_puts(out, "    <testcase");
    put_attribute(out, "classname", list->source);
    put_attribute(out, "name", finding->title);
    if (list->is_source_file) {
        put_attribute(out, "file", list->source);
        tp_buf_printf(out, " line=\"%u\"", finding->line);
    }
    tp_buf_puts(out, " time=\"0\"");
    if (finding->tone == TP_TONE_GOOD) {
        tp_buf_puts(out, "/>\n");
        return;
    }
    tp_buf_puts(out, ">\n");
    put_outcome(out, finding);
    tp_buf_puts(out, "    </testcase>\n");
}

static size_t count_findings_of_tone(const struct tp_findings_block *list, enum tp_tone tone)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->items[i].tone == tone && !list->items[i].is_inconclusive_by_input;
    return count;
}

static size_t count_input_faults(const struct tp_findings_block *list)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->items[i].is_inconclusive_by_input;
    return count;
}

static void put_test_suite(struct tp_buf *out, const struct tp_findings_block *list, struct tp_arena *arena)
{
    const char *counts = tp_text_printf(arena, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
                                        list->count, count_findings_of_tone(list, TP_TONE_BAD),
                                        count_input_faults(list), count_findings_of_tone(list, TP_TONE_UNSURE));
    tp_buf_printf(out, "<testsuites name=\"tracepress\"%s time=\"0\">\n", counts);
    tp_buf_printf(out, "  <testsuite name=\"%s\"%s time=\"0\">\n", list->name, counts);
    for (size_t i = 0; i < list->count; i++)
        put_test_case(out, list, &list->items[i]);
    tp_buf_puts(out, "  </testsuite>\n</testsuites>\n");
}

int tp_print_junit(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options,
                   struct tp_error *err)
{
    (void)err;
    (void)options;
    tp_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    for (size_t i = 0; i < document->blocks.count; i++)
        if (tp_document_block_at(document, i)->kind == TP_BLOCK_FINDINGS)
            put_test_suite(out, &tp_document_block_at(document, i)->findings, document->arena);
    return TP_OK;
}
