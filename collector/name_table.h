/* Maps names to numbers for the life of the process: 1, 2, 3 .. in order of first use. */
#ifndef TP_COLLECTOR_NAME_TABLE_H
#define TP_COLLECTOR_NAME_TABLE_H

#include <stdint.h>

/* maximum length of a stored name, bytes; the end of a longer name is dropped */
enum { TP_NAME_BYTES = 3000 };

/* Returns the number of the name. Adds the name if it is new, and sets *is_new. Returns 0 when memory is short. Needs
 * the session's lock. */
uint32_t tp_names_add(const char *name, int *is_new);

/* tp_names_count returns the number of names. tp_names_text returns the text of a name; number: 1 to tp_names_count. */
uint32_t tp_names_count(void);
const char *tp_names_text(uint32_t number);

#endif
