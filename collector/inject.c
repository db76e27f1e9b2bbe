/* The constructor of the preload library: begins a recording in a program that knows nothing of us.
 *
 * It acts only where `tracepress record` has set TRACEPRESS_SPOOLS, and it records to a spool and nothing more: the
 * trace is made by `tracepress record` when the program is over, so this library needs libc alone. A program that links
 * libtracepress.so finds the functions of tracepress.h here first (preload.map), so that there is one recording at a
 * time: its own while it has one. Constructors of the program's libraries may run before or after it; their threads are
 * recorded from their first record on. */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "collector/confined.h"
#include "collector/exec_environment.h"
#include "collector/handed.h"
#include "collector/session.h"
#include "collector/sources.h"
#include "writer/base/environment.h"
#include "writer/worker.h"

/* For whoever asks a process whether it is being recorded. */
__attribute__((visibility("default"))) extern const char tracepress_preload_version[];
const char tracepress_preload_version[] = TP_VERSION;

static struct tp_source_host host;
static bool is_injected;

/* At the end of exit(), after the program's own functions; a program that leaves by other ways has its spool as it is.
 * (What a constructor gives to atexit() runs after the destructors: the loader's own comes later and so goes first.) */
__attribute__((destructor)) static void at_exit(void)
{
    if (!is_injected || tp_is_confined() || tp_session_is_copy())
        return;
    tp_sources_stop();
    tp_session_reclaim();
}

/* Tells `record` that the library began here: where nothing is recorded, it can say why. */
static void report_entry(const char *folder)
{
    char name[17] = "";
    prctl(PR_GET_NAME, name);
    tp_exec_report(folder, TP_WORKER_BEGINS, name);
}

__attribute__((constructor)) static void inject(void)
{
    Dl_info self;
    host.spools = tp_environment("TRACEPRESS_SPOOLS");
    host.library = dladdr(&host, &self) ? self.dli_fname : "";
    if (tp_environment("TRACEPRESS_LIST_SOURCES")) {
        tp_sources_list(&host, STDOUT_FILENO);
        _exit(0);
    }
    tp_handed_from(tp_environment("TRACEPRESS_SPOOL_SOCKET"));
    if (!host.spools || !*host.spools || !tp_session_lend(host.spools)) {
        tp_sources_refuse();
        return;
    }
    is_injected = true;
    report_entry(host.spools);
    tp_exec_keep(host.library);
    pthread_atfork(NULL, NULL, tp_sources_in_child);
    tp_session_at_confine(tp_sources_stop);
    tp_sources_start(&host, tp_environment("TRACEPRESS_SOURCES"));
}
