/* Moves the window of a pickle: see pickle_machine.h. */
#include "webreport/trace/snapshot/pickle_machine.h"

uint64_t tp_pickle_offset(const struct tp_pickle_machine *machine)
{
    return tp_feed_offset(machine->feed, machine->at);
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
    }
    return 1;
}
