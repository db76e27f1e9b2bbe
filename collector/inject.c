/* The constructor of the preload library: begins a recording in a program that knows nothing of us.
 *
 * It acts only where `tracepress record` has set TRACEPRESS_SPOOLS, and it records to a spool and nothing more: the
 * trace is made by `tracepress record` when the program is over, so this library needs libc alone. Constructors of the
 * program's libraries may run before or after it; their threads are recorded from their first record on. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "collector/sources.h"
#include "collector/tracepress.h"

/* For whoever asks a process whether it is being recorded. */
__attribute__((visibility("default"))) extern const char tracepress_preload_version[];
const char tracepress_preload_version[] = TP_VERSION;

static struct tp_source_host host;
static bool is_injected;

/* At the end of exit(), after the program's own functions; a program that leaves by other ways has its spool as it is.
 * (What a constructor gives to atexit() runs after the destructors: the loader's own comes later and so goes first.) */
__attribute__((destructor)) static void at_exit(void)
{
    if (!is_injected)
        return;
    tp_sources_stop();
    tracepress_stop();
}

__attribute__((constructor)) static void inject(void)
{
    Dl_info self;
    host.spools = getenv("TRACEPRESS_SPOOLS");
    host.library = dladdr(&host, &self) ? self.dli_fname : "";
    if (getenv("TRACEPRESS_LIST_SOURCES")) {
        tp_sources_list(&host, STDOUT_FILENO);
        _exit(0);
    }
    struct tracepress_options options = {
        .size = sizeof options, .record_shapes = 1, .profile_memory = 1, .with_flops = 1};
    options.directory = host.spools;
    if (!host.spools || !*host.spools || tracepress_start(&options) != 0) {
        tp_sources_refuse();
        return;
    }
    is_injected = true;
    pthread_atfork(NULL, NULL, tp_sources_in_child);
    tp_sources_start(&host, getenv("TRACEPRESS_SOURCES"));
}
