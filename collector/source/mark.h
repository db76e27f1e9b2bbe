/* Writes records for NVTX and ITT, the sources that the program itself calls (struct tp_spool_mark and related
 * records).
 *
 * Any thread may call these functions at any time; without a recording they do nothing. Texts are limited to their
 * first TP_NAME_BYTES bytes and need not be UTF-8, because the code that writes the trace repairs them. */
#ifndef TP_COLLECTOR_SOURCE_MARK_H
#define TP_COLLECTOR_SOURCE_MARK_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "collector/name_table.h"
#include "writer/spool/spool_format.h"

/* A name: a number from tracepress_intern, or `size` borrowed bytes if the number is TP_SPOOL_NO_NAME. */
struct tp_mark_text {
    uint32_t number;
    uint32_t size;
    const char *bytes;
};

/* Buffer for a wide text that is converted to UTF-8. */
struct tp_mark_wide {
    char bytes[TP_NAME_BYTES];
};

static inline struct tp_mark_text tp_mark_number(uint32_t number)
{
    return (struct tp_mark_text){.number = number};
}

/* Returns a text of the program as a name. NULL becomes "". */
struct tp_mark_text tp_mark_text(const char *text);

/* Returns a wide text as a name, converted into `room`. Invalid characters become U+FFFD. */
struct tp_mark_text tp_mark_wide(struct tp_mark_wide *room, const wchar_t *text);

/* tp_mark_intern* return the number of a name, which may be used as a handle, or 0 when memory is short. They take the
 * session's lock. */
uint32_t tp_mark_intern(const char *text);
uint32_t tp_mark_intern_wide(const wchar_t *text);

/* Returns the text of a name, which stays valid for ever. Takes the session's lock. */
const char *tp_mark_name_of_number(uint32_t number);

/* Writes a record of type `kind`, with `mark` as its payload, followed by the name. */
void tp_mark_write(uint8_t kind, const struct tp_spool_mark *mark, struct tp_mark_text name);

/* Writes a finished range. begin, end: ticks of the recording's clock. */
void tp_mark_write_span(const struct tp_spool_mark *mark, uint32_t name, uint64_t begin, uint64_t end);

/* tp_mark_end_innermost ends the innermost range of the domain on this thread. tp_mark_end_by_key ends the range with
 * the key. */
void tp_mark_end_innermost(uint32_t domain);
void tp_mark_end_by_key(uint64_t key);

/* Writes the name of a thread, by its system thread id. */
void tp_mark_write_thread_name(uint64_t tid, struct tp_mark_text name);

/* tp_mark_write_values adds an argument with head->count numbers to a range. tp_mark_write_text_fact adds an argument
 * with a text. key: number of the argument's name. */
void tp_mark_write_values(uint32_t key, const struct tp_spool_fact_head *head, const uint64_t *values);
void tp_mark_write_text_fact(uint32_t key, const struct tp_spool_fact_head *head, const char *text, size_t size);

/* maximum number of values in one argument */
enum { TP_MARK_VALUES = 64 };

#endif
