/* Exit codes: what a command tells the shell. */
#ifndef TP_WEBREPORT_SESSION_EXIT_H
#define TP_WEBREPORT_SESSION_EXIT_H

/* Exit codes of every command. */
enum tp_exit {
    TP_EXIT_DONE = 0,
    TP_EXIT_FOUND = 1, /* a gate or comparison found something */
    TP_EXIT_USAGE = 2,
    TP_EXIT_NO_INPUT = 3,  /* nothing usable */
    TP_EXIT_NO_OUTPUT = 4, /* an output could not be written */
    TP_EXIT_LIMIT = 5,     /* --max-input, memory */
    TP_EXIT_DAMAGED = 6    /* a gate or comparison found nothing, and what would decide is damaged or not there */
};

#endif
