/* Makes any program record itself with the linked library.
 *
 * This file is linked into the program, and the files of the program are built with -finstrument-functions. Recording
 * starts before main, in the folder $RECORDED, with samples. Each function call is a range. */
#include <stdlib.h>

#include "collector/tracepress.h"

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

static tracepress_name call;

__attribute__((constructor)) static void begin(void)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.directory = getenv("RECORDED");
    options.handler = tracepress_tensorboard_trace_handler;
    options.worker = "worker";
    options.sample_rate = 1000;
    options.with_stack = getenv("STACKS") != NULL; /* programs that are linked statically have no stacks */
    if (options.directory && tracepress_start(&options) == 0)
        call = tracepress_intern("call");
}

/* Records the call. Compiled code calls this function at the start of each function. No destructor stops the recording,
 * so the spool remains, and `tracepress recover` makes the trace. */
void __cyg_profile_func_enter(void *function, void *site)
{
    (void)function, (void)site;
    tracepress_begin(call);
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function, (void)site;
    tracepress_end();
}
