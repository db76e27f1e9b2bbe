/* Lists the sources of libtracepress.so, which records the GPUs of a program that uses CUDA in addition to the calls
 * of tracepress.h. The preload library has a table of sources instead (sources_table.c).
 *
 * Like the preload library, libtracepress.so intercepts the functions by which a program confines itself
 * (source/host_confine.c) or changes the rights of a thread (source/host_rights.c). Without these hooks, the system
 * could kill the program because of the recorder. */
#include "collector/session.h"
#include "collector/source/cupti.h"

static void end_cuda_recording(void)
{
    tp_cupti_end(true);
}

__attribute__((constructor)) static void register_cuda_callbacks(void)
{
    static const struct tp_session_watch cuda = {tp_cupti_begin, end_cuda_recording, tp_cupti_disable_in_child};
    tp_session_watch(&cuda);
}
