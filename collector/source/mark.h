/* Records of the sources that programs talk to themselves, NVTX and ITT: struct tp_spool_mark and what goes with it.
 *
 * All of it may be called from any thread at any time; without a recording nothing happens. Texts are cut at
 * TP_NAME_BYTES and need not be UTF-8: who writes the trace sees to that. */
#ifndef TP_COLLECTOR_SOURCE_MARK_H
#define TP_COLLECTOR_SOURCE_MARK_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "collector/name_table.h"
#include "writer/spool/spool_format.h"

/* A name: a number (tracepress_intern), or, with number TP_SPOOL_NO_NAME, `size` bytes that are borrowed. */
struct tp_mark_text {
    uint32_t number;
    uint32_t size;
    const char *bytes;
};

/* Room for a wide text as UTF-8. */
struct tp_mark_wide {
    char bytes[TP_NAME_BYTES];
};

static inline struct tp_mark_text tp_mark_number(uint32_t number)
{
    return (struct tp_mark_text){.number = number};
}

/* The text of a program; NULL: "". */
struct tp_mark_text tp_mark_text(const char *text);

/* The same for a wide one, whose bytes go to `room`; what is no character becomes U+FFFD. */
struct tp_mark_text tp_mark_wide(struct tp_mark_wide *room, const wchar_t *text);

/* The number of such a name, for handles; 0 when memory is short. Takes the session's lock. */
uint32_t tp_mark_intern(const char *text);
uint32_t tp_mark_intern_wide(const wchar_t *text);

/* The text of a name by its number; borrowed for ever. Takes the session's lock. */
const char *tp_mark_name(uint32_t number);

/* A record of a kind whose payload is a mark. */
void tp_mark_put(uint8_t kind, const struct tp_spool_mark *mark, struct tp_mark_text name);

/* A range that is over; in ticks of the recording's clock. */
void tp_mark_span(const struct tp_spool_mark *mark, uint32_t name, uint64_t begin, uint64_t end);

/* Ends of ranges: of the innermost of that domain on this thread, of the one with that key. */
void tp_mark_pop(uint32_t domain);
void tp_mark_finish(uint64_t key);

/* The name of a thread, by its number in the system. */
void tp_mark_thread(uint64_t tid, struct tp_mark_text name);

/* Something that is known about a range: head.count values, or a text. key: number of its name. */
void tp_mark_values(uint32_t key, const struct tp_spool_fact_head *head, const uint64_t *values);
void tp_mark_fact(uint32_t key, const struct tp_spool_fact_head *head, const char *text, size_t size);

enum { TP_MARK_VALUES = 64 }; /* more are not kept */

#endif
