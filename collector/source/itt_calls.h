/* What ITT calls of us, by the names that its static parts have for it. */
#ifndef TP_COLLECTOR_SOURCE_ITT_CALLS_H
#define TP_COLLECTOR_SOURCE_ITT_CALLS_H

typedef void (*tp_itt_call)(void);

struct tp_itt_function {
    const char *name; /* behind "__itt_" */
    tp_itt_call call; /* its arguments are those of ITT's function */
};

/* All that are taken; NULL ends them. Any thread; nothing happens without a recording. */
extern const struct tp_itt_function tp_itt_functions[];

#endif
