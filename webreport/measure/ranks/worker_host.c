/* Implements worker_host.h: extracts the machine from the name of a trace. */
#include "webreport/measure/ranks/worker_host.h"

#include <string.h>

#include "writer/worker.h"

/* Removes the suffix of a worker (writer/worker.h): returns HOST_PID for HOST_PID_helper. */
static struct tp_str remove_worker_suffix(struct tp_str worker)
{
    static const char *const suffixes[] = {TP_WORKER_SECOND, TP_WORKER_HELPER, TP_WORKER_INSIDE};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (tp_str_ends(worker, suffixes[i]))
            worker.len -= strlen(suffixes[i]);
    return worker;
}

struct tp_str tp_worker_host(struct tp_str worker)
{
    worker = remove_worker_suffix(worker);
    struct tp_str host = worker, letters;

    while (host.len && tp_is_digit(host.ptr[host.len - 1]))
        host.len--;
    if (host.len == worker.len || !host.len || !strchr("_.-", host.ptr[host.len - 1]))
        host = worker;
    else
        host.len--;
    letters = host;
    while (letters.len && (tp_is_digit(letters.ptr[letters.len - 1]) || strchr("_-.", letters.ptr[letters.len - 1])))
        letters.len--;
    if (letters.len < 3 || tp_str_equal(letters, TP_STR("worker")) || tp_str_equal(letters, TP_STR("rank")) ||
        tp_str_equal(letters, TP_STR("trace")))
        return (struct tp_str){"", 0};
    return host;
}
