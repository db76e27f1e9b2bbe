/* Defines the exit codes of all commands. */
#ifndef TP_WEBREPORT_SESSION_EXIT_H
#define TP_WEBREPORT_SESSION_EXIT_H

enum tp_exit {
    TP_EXIT_DONE = 0,
    TP_EXIT_FOUND = 1, /* a gate failed, or a comparison found a difference */
    TP_EXIT_USAGE = 2,
    TP_EXIT_NO_INPUT = 3,  /* no input could be used */
    TP_EXIT_NO_OUTPUT = 4, /* an output could not be written */
    TP_EXIT_LIMIT = 5,     /* a limit such as --max-input was reached, or memory ran out */
    TP_EXIT_DAMAGED = 6    /* a gate or comparison is undecided because its data is damaged or missing */
};

#endif
