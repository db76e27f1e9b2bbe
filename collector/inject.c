/* Contains the constructor of the preload library, which starts a recording in a program that was not written for
 * tracepress.
 *
 * The constructor acts only if `tracepress record` has set TRACEPRESS_SPOOLS, and it writes only a spool. `tracepress
 * record` makes the trace after the program has ended, so this library needs only libc. A program that links
 * libtracepress.so finds the functions of tracepress.h in this library first (preload.map). Therefore the process has
 * only one recording at a time, and a recording that the program starts takes precedence. Constructors of the
 * program's libraries may run before or after this one. Threads that these constructors start are recorded from their
 * first record on. */
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
#include "collector/session.h"
#include "collector/sources.h"
#include "collector/spool_socket.h"
#include "writer/base/environment.h"
#include "writer/worker.h"

/* exported symbol by which other tools see that this process is being recorded */
__attribute__((visibility("default"))) extern const char tracepress_preload_version[];
const char tracepress_preload_version[] = TP_VERSION;

static struct tp_source_host host;
static bool is_injected;

/* Stops the sources at the end of exit(), after the program's own functions. A program that exits in another way does
 * not close its spool. This is a destructor and not an atexit() function, because exit() calls the functions of
 * atexit() in reverse order. The loader registers the function that runs destructors after the constructors, so a
 * function of this constructor would run last. */
__attribute__((destructor)) static void at_exit(void)
{
    if (!is_injected || tp_is_confined() || tp_session_is_in_forked_copy())
        return;
    tp_sources_stop();
    tp_session_stop_for_command();
}

/* Reports to `record` that the library was loaded in this process, so that `record` can explain an empty recording. */
static void report_library_load(const char *folder)
{
    char name[17] = "";
    prctl(PR_GET_NAME, name);
    tp_exec_append_to_run_notes(folder, TP_WORKER_BEGINS, name);
}

__attribute__((constructor)) static void start_injected_recorder(void)
{
    Dl_info self;
    host.spools = tp_environment("TRACEPRESS_SPOOLS");
    host.library = dladdr(&host, &self) ? self.dli_fname : "";
    if (tp_environment("TRACEPRESS_LIST_SOURCES")) {
        tp_sources_list(&host, STDOUT_FILENO);
        _exit(0);
    }
    tp_spool_socket_set(tp_environment("TRACEPRESS_SPOOL_SOCKET"));
    if (!host.spools || !*host.spools || !tp_session_start_for_command(host.spools)) {
        tp_sources_disable_early();
        return;
    }
    is_injected = true;
    report_library_load(host.spools);
    tp_exec_set_library(host.library);
    pthread_atfork(NULL, NULL, tp_sources_notify_child);
    tp_session_set_confine_stop(tp_sources_stop);
    tp_sources_start(&host, tp_environment("TRACEPRESS_SOURCES"));
}
