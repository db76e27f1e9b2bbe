/* Writes compact JSON into a tp_buf token by token, with the keys in call order. Adds commas and checks nesting.
 *
 * A wrong order of calls is a bug of the caller; it fails an assertion in debug builds and is not detected in release
 * builds. Times are written as decimal microseconds with at most three decimals. Reals have the fewest digits from
 * which the same value is read back. */
#ifndef TP_WRITER_BASE_JSON_OUT_H
#define TP_WRITER_BASE_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/buf.h"
#include "writer/base/str.h"

struct tp_json {
    struct tp_buf *out;
    unsigned depth;
    bool needs_comma;
    bool is_html_safe; /* true: writes < > & U+2028 U+2029 as \uXXXX, for data inside HTML */
};

void tp_json_init(struct tp_json *json, struct tp_buf *out);
void tp_json_object(struct tp_json *json);
void tp_json_object_end(struct tp_json *json);
void tp_json_array(struct tp_json *json);
void tp_json_array_end(struct tp_json *json);

/* Writes a key, whose value the next call writes. text: NUL-terminated; is escaped if necessary. */
void tp_json_key(struct tp_json *json, const char *text);
void tp_json_key_str(struct tp_json *json, struct tp_str text);

void tp_json_text(struct tp_json *json, const char *text); /* Writes a text; NULL is written as null. */
/* Writes a text in UTF-8; text.ptr NULL is written as null. */
void tp_json_str(struct tp_json *json, struct tp_str text);
void tp_json_int(struct tp_json *json, int64_t value);
void tp_json_uint(struct tp_json *json, uint64_t value);
void tp_json_bool(struct tp_json *json, bool value);
void tp_json_null(struct tp_json *json);
/* Writes a double; NaN and infinity become null. Integral values get ".0", so that a reader recognizes them as
 * reals. */
void tp_json_real(struct tp_json *json, double value);
/* Writes nanoseconds as microseconds: 12, 12.5, 0.003 */
void tp_json_us(struct tp_json *json, int64_t ns);
/* Writes a value that is already JSON. */
void tp_json_raw(struct tp_json *json, struct tp_str text);

/* Writes the key and the value of a member. */
void tp_json_member_text(struct tp_json *json, const char *key, const char *value);
void tp_json_member_str(struct tp_json *json, const char *key, struct tp_str value);
void tp_json_member_int(struct tp_json *json, const char *key, int64_t value);
void tp_json_member_bool(struct tp_json *json, const char *key, bool value);
void tp_json_member_real(struct tp_json *json, const char *key, double value);
void tp_json_member_us(struct tp_json *json, const char *key, int64_t ns);
void tp_json_member_null(struct tp_json *json, const char *key);

#endif
