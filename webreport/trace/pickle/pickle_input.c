/* Moves the window of a pickle: see pickle_machine.h. */
#include "webreport/trace/pickle/pickle_machine.h"
#include "writer/base/limits.h"

uint64_t tp_pickle_offset(const struct tp_pickle_machine *machine)
{
    return tp_feed_offset(machine->feed, machine->at);
}

/* Lets the memory of the values grow with the bytes that were read. */
static void set_memory_limit(const struct tp_pickle_machine *machine)
{
    if (machine->bytes_per_byte)
        machine->pickle->arena->max_bytes =
            TP_PICKLE_GRACE_BYTES + machine->bytes_per_byte * tp_feed_offset(machine->feed, machine->end);
}

int tp_pickle_need(struct tp_pickle_machine *machine, uint64_t size)
{
    while ((uint64_t)(machine->end - machine->at) < size) {
        int status =
            machine->has_all ? 0 : tp_feed_next_window(machine->feed, &machine->at, &machine->end, machine->err);
        if (status < 0)
            return status;
        if (status == 0) {
            machine->has_all = true;
            return 0;
        }
        set_memory_limit(machine);
    }
    return 1;
}
