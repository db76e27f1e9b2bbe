/* The verdict as a small SVG picture for a README: see check_print.h. */
#include "webreport/check/check_print.h"
#include "webreport/render/format.h"

enum { LETTER = 7, MARGIN = 7 };

void tp_check_badge(const struct tp_check_print *print, struct tp_buf *out)
{
    static const struct {
        const char *text, *fill;
    } shown[] = {{"passing", "#237a3b"}, {"warning", "#8a6100"}, {"inconclusive", "#5f6368"}, {"failing", "#b3261e"}};
    const char *left = "performance", *right = shown[print->check->verdict].text;
    unsigned a = (unsigned)strlen(left) * LETTER + 2 * MARGIN, b = (unsigned)strlen(right) * LETTER + 2 * MARGIN;
    tp_buf_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"20\" viewBox=\"0 0 %u 20\" role=\"img\" "
        "aria-label=\"%s: %s\">\n<title>%s: %s</title>\n"
        "<rect width=\"%u\" height=\"20\" rx=\"3\" fill=\"#3c4043\"/>\n"
        "<path d=\"M%u 0h%ua3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3h-%uz\" fill=\"%s\"/>\n"
        "<g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\" "
        "text-anchor=\"middle\">\n",
        a + b, a + b, left, right, left, right, a + b, a, b - 3, b - 3, shown[print->check->verdict].fill);
    tp_buf_printf(
        out,
        "<text x=\"%u\" y=\"14\" textLength=\"%u\">%s</text>\n<text x=\"%u\" y=\"14\" textLength=\"%u\">%s</text>\n"
        "</g>\n</svg>\n",
        a / 2, a - 2 * MARGIN, left, a + b / 2, b - 2 * MARGIN, right);
}
