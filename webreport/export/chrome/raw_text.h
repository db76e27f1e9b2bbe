/* The text of a trace's element, as valid JSON: untouched where it is that already. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_RAW_TEXT_H
#define TP_WEBREPORT_EXPORT_CHROME_RAW_TEXT_H

#include "webreport/trace/visit.h"
#include "writer/base/buf.h"

/* Appends the element's text to `out`, byte for byte. One that is no JSON (bytes that are no UTF-8, unescaped quotes,
 * bare words such as inf) is appended as the report reads it: those places alone are repaired. False: nothing can be
 * made of it, nothing was appended. */
bool tp_raw_text_put(struct tp_buf *out, const struct tp_event_text *event);

/* The same for a top-level member: "key":value; null for a value of which nothing can be made. */
void tp_raw_text_put_member(struct tp_buf *out, struct tp_str key, struct tp_str value);

#endif
