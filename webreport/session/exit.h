/* Defines the exit codes of all commands. */
#ifndef TP_WEBREPORT_SESSION_EXIT_H
#define TP_WEBREPORT_SESSION_EXIT_H

enum tp_exit {
    TP_EXIT_DONE = 0,
    TP_EXIT_FOUND = 1, /* a limit of a check is broken, or a comparison found a difference */
    TP_EXIT_USAGE = 2,
    TP_EXIT_NO_INPUT = 3,  /* none of the inputs could be used */
    TP_EXIT_NO_OUTPUT = 4, /* at least one output could not be written */
    TP_EXIT_LIMIT = 5,     /* a limit such as --max-input was reached, or memory is exhausted */
    TP_EXIT_DAMAGED = 6    /* a check or comparison has no result, because its data is damaged or missing */
};

#endif
