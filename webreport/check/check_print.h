/* The verdict in each format. All append to `out`, where a failure is sticky; every text of a trace, budget or file
 * name is escaped for the format. */
#ifndef TP_WEBREPORT_CHECK_CHECK_PRINT_H
#define TP_WEBREPORT_CHECK_CHECK_PRINT_H

#include "webreport/check/check.h"
#include "writer/base/buf.h"

struct tp_check_print {
    const struct tp_check *check;
    struct tp_arena *arena;  /* for texts; guard set by the caller */
    const char *source_root; /* taken off the front of paths in SARIF; NULL: none */
    bool has_color;          /* of the text */
};

/* "fail: 2 of 6 limits broken, 1 inconclusive, 1 warning". */
const char *tp_check_verdict_line(const struct tp_check_print *print);

/* "run.json.gz against main.tps (3 profiles), comparable 95 of 100". */
const char *tp_check_sides_line(const struct tp_check_print *print);

/* The verdict line and a table with reasons, at most 80 columns wide. */
void tp_check_text(const struct tp_check_print *print, struct tp_buf *out);

/* {"schema":"tracepress-check", ..}: the items, and all metrics of each run. */
void tp_check_json(const struct tp_check_print *print, struct tp_buf *out);

/* JUnit XML: a test case per item; inconclusive ones are skipped, warnings pass with a note. */
void tp_check_junit(const struct tp_check_print *print, struct tp_buf *out);

/* SARIF 2.1.0: a result per item that does not pass and place in the code. */
void tp_check_sarif(const struct tp_check_print *print, struct tp_buf *out);

/* A few lines for a job's summary: verdict, what does not hold, where. */
void tp_check_markdown(const struct tp_check_print *print, struct tp_buf *out);

/* An SVG picture "performance | passing". */
void tp_check_badge(const struct tp_check_print *print, struct tp_buf *out);

/* ---- parts that several formats share ---- */

/* "rank 3: kernels.per_step <= 620". */
const char *tp_check_item_title(const struct tp_check_print *print, const struct tp_check_item *item);

/* One sentence: the value, the baseline's, the change, the reason. */
const char *tp_check_item_message(const struct tp_check_print *print, const struct tp_check_item *item);

#endif
