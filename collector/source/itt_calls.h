/* Lists the ITT functions that this library implements, with the names that ITT's static part uses. */
#ifndef TP_COLLECTOR_SOURCE_ITT_CALLS_H
#define TP_COLLECTOR_SOURCE_ITT_CALLS_H

typedef void (*tp_itt_call)(void);

struct tp_itt_function {
    const char *name; /* name of ITT's function without the prefix "__itt_" */
    tp_itt_call call; /* our function, which has the parameters of ITT's function */
};

/* all implemented functions; the last entry has the name NULL. Any thread may call the functions. Without a recording
 * they do nothing */
extern const struct tp_itt_function tp_itt_functions[];

#endif
