/* Defines the exit codes of all commands. */
#ifndef TP_WEBREPORT_SESSION_EXIT_H
#define TP_WEBREPORT_SESSION_EXIT_H

enum tp_exit {
    TP_EXIT_DONE = 0,
    TP_EXIT_FOUND = 1, /* a gate or comparison found something */
    TP_EXIT_USAGE = 2,
    TP_EXIT_NO_INPUT = 3,  /* no usable input */
    TP_EXIT_NO_OUTPUT = 4, /* an output could not be written */
    TP_EXIT_LIMIT = 5,     /* --max-input, memory */
    TP_EXIT_DAMAGED = 6    /* a gate or comparison found nothing, but the data that decide are damaged or missing */
};

#endif
