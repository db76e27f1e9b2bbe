/* The values of an option that a command line may contain several times. */
#ifndef TP_WRITER_BASE_OPT_LIST_H
#define TP_WRITER_BASE_OPT_LIST_H

#include <stddef.h>

enum { TP_OPT_LIST_MAX = 64 };

/* The values in the order of the command line, owned by the caller. */
struct tp_opt_list {
    const char *items[TP_OPT_LIST_MAX];
    size_t count;
};

#endif
