/* Reads memory of other processes: see other_memory.h. */
#include "collector/outside/processes/other_memory.h"

#include <errno.h>
#include <sys/uio.h>

size_t tp_other_memory_read_parts(struct tp_other_memory *memory, const struct tp_other_part *parts, size_t count)
{
    struct iovec to[TP_OTHER_PARTS] = {{0}}, from[TP_OTHER_PARTS] = {{0}};
    if (!memory->remaining_read_count || !count || count > TP_OTHER_PARTS)
        return 0;
    memory->remaining_read_count--;
    for (size_t i = 0; i < count; i++) {
        to[i] = (struct iovec){parts[i].to, parts[i].size};
        from[i] = (struct iovec){(void *)(uintptr_t)parts[i].at, parts[i].size}; // NOLINT(performance-no-int-to-ptr)
    }
    ssize_t got = process_vm_readv((pid_t)memory->pid, to, count, from, count, 0);
    memory->is_refused = memory->is_refused || (got < 0 && errno == EPERM);
    size_t done = 0, left = got > 0 ? (size_t)got : 0;
    for (; done < count && left >= parts[done].size; done++)
        left -= parts[done].size;
    return done;
}

bool tp_other_memory_read(struct tp_other_memory *memory, uint64_t at, void *to, size_t size)
{
    const struct tp_other_part part = {at, to, size};
    return at && tp_other_memory_read_parts(memory, &part, 1) == 1;
}

uint64_t tp_other_memory_read_word(struct tp_other_memory *memory, uint64_t at)
{
    uint64_t word = 0;
    return tp_other_memory_read(memory, at, &word, sizeof word) ? word : 0;
}
