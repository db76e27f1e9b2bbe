/* Writes an element of a trace as valid JSON. An element that is valid stays unchanged. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_RAW_TEXT_H
#define TP_WEBREPORT_EXPORT_CHROME_RAW_TEXT_H

#include "webreport/trace/visit.h"
#include "writer/base/buf.h"

/* Appends the element's text to `out`, byte for byte. Only parts that are not JSON (invalid UTF-8, unescaped quotes,
 * bare words such as inf) are repaired, in the same way as the report reads them. Returns false without appending
 * anything if the text cannot be repaired. */
bool tp_raw_text_put(struct tp_buf *out, const struct tp_event_text *event);

/* Appends a top-level member "key":value with the same repairs. A value that cannot be repaired becomes null. */
void tp_raw_text_put_member(struct tp_buf *out, struct tp_str key, struct tp_str value);

#endif
