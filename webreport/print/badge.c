/* Prints the verdict as a small SVG picture for a README. See print.h. */
#include "webreport/print/print.h"

#include <string.h>

enum { LETTER = 7, MARGIN = 7 };

static const struct tp_block *find_verdict(const struct tp_document *document)
{
    for (size_t i = 0; i < document->blocks.count; i++)
        if (tp_document_block_at(document, i)->kind == TP_BLOCK_VERDICT)
            return tp_document_block_at(document, i);
    return NULL;
}

int tp_print_badge(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options,
                   struct tp_error *err)
{
    (void)err;
    static const struct {
        const char *text, *fill;
    } shown[] = {[TP_TONE_GOOD] = {"passing", "#237a3b"},
                 [TP_TONE_WARN] = {"warning", "#8a6100"},
                 [TP_TONE_UNSURE] = {"inconclusive", "#5f6368"},
                 [TP_TONE_BAD] = {"failing", "#b3261e"}};
    const struct tp_block *verdict = find_verdict(document);
    enum tp_tone tone = verdict && verdict->verdict.tone ? verdict->verdict.tone : TP_TONE_UNSURE;
    const char *left = "performance", *right = shown[tone].text;
    (void)options;
    unsigned a = (unsigned)strlen(left) * LETTER + 2 * MARGIN, b = (unsigned)strlen(right) * LETTER + 2 * MARGIN;
    tp_buf_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"20\" viewBox=\"0 0 %u 20\" role=\"img\" "
        "aria-label=\"%s: %s\">\n<title>%s: %s</title>\n"
        "<rect width=\"%u\" height=\"20\" rx=\"3\" fill=\"#3c4043\"/>\n"
        "<path d=\"M%u 0h%ua3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3h-%uz\" fill=\"%s\"/>\n"
        "<g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\" "
        "text-anchor=\"middle\">\n",
        a + b, a + b, left, right, left, right, a + b, a, b - 3, b - 3, shown[tone].fill);
    tp_buf_printf(
        out,
        "<text x=\"%u\" y=\"14\" textLength=\"%u\">%s</text>\n<text x=\"%u\" y=\"14\" textLength=\"%u\">%s</text>\n"
        "</g>\n</svg>\n",
        a / 2, a - 2 * MARGIN, left, a + b / 2, b - 2 * MARGIN, right);
    return TP_OK;
}
