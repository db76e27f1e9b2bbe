/* Determines rights to kernel events: see event_rights.h. */
#include "collector/outside/events/event_rights.h"

#include <errno.h>
#include <stdlib.h>

#include "writer/base/input.h"

/* highest perf_event_paranoid that lets users record their programs; the default of Debian and Ubuntu is higher */
enum { HIGHEST_LEVEL = 2 };

int tp_event_paranoid_level(void)
{
    enum { NO_EVENTS = 99, TEXT_BYTES = 1 << 17 };
    struct tp_buf text;
    tp_buf_init(&text, TEXT_BYTES);
    int code = tp_input_read_all(&text, "/proc/sys/kernel/perf_event_paranoid", TP_INPUT_FILE, NULL);
    tp_buf_putc(&text, '\0');
    int level = code == 0 && !text.failed ? (int)strtol(text.data, NULL, 10) : NO_EVENTS;
    tp_buf_release(&text);
    return level;
}

const char *tp_event_rights_advice(int error, int level)
{
    if (error == ENOSYS || error == ENOENT)
        return "this kernel or sandbox has no events";
    if (error == EMFILE || error == ENFILE)
        return "'ulimit -n' allows too few file descriptors";
    if (error != EPERM && error != EACCES)
        return "the kernel's log may show why";
    if (level > HIGHEST_LEVEL)
        return "allow them with 'sysctl kernel.perf_event_paranoid=2' or CAP_PERFMON";
    return "the container filters them; start it with '--security-opt seccomp=unconfined' or, with some runtimes, "
           "'--cap-add PERFMON'";
}
