/* Makes any program record itself by the library that it links: linked beside it, with -finstrument-functions for the
 * program's own files. Recording begins before main, in the folder $RECORDED, with samples; each call of a function is
 * a range. The rest is the program's. */
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
    options.with_stack = getenv("STACKS") != NULL; /* none come where the program is linked statically */
    if (options.directory && tracepress_start(&options) == 0)
        call = tracepress_intern("call");
}

/* Not stopped by a destructor: the spool stays, and `tracepress recover` makes the trace. */
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
