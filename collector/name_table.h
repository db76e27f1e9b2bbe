/* Names by number, for the life of the process: 1, 2, 3 .. in order of first use. */
#ifndef TP_COLLECTOR_NAME_TABLE_H
#define TP_COLLECTOR_NAME_TABLE_H

#include <stdint.h>

enum { TP_NAME_BYTES = 3000 }; /* longer names are cut */

/* Number of the name, added when new (*is_new); 0 when memory is short. The caller holds the session's lock. */
uint32_t tp_names_add(const char *name, int *is_new);

/* Count of names, and the text of number 1 .. count. */
uint32_t tp_names_count(void);
const char *tp_names_text(uint32_t number);

#endif
