/* How a recording shall be: what the program has asked for and what stands in its environment, in one struct. */
#ifndef TP_COLLECTOR_CONFIG_H
#define TP_COLLECTOR_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/tracepress.h"
#include "writer/spool/spool_format.h"

#define TP_CONFIG_SPOOL_BYTES (64ull << 30) /* the most a spool may grow to */

/* Whether a struct of tracepress.h can have this size: not less than the first header's (least), and not what was in a
 * variable that nobody has set. */
static inline bool tp_config_is_size(uint32_t size, size_t least)
{
    enum { MOST_BYTES = 4096, UNIT_BYTES = 8 };
    return size >= least && size <= MOST_BYTES && size % UNIT_BYTES == 0;
}

/* Copies such a struct, which begins with its size: members that the caller's header does not have are 0, those that
 * this library does not know are left out. False, and nothing is copied, when the size is none. */
bool tp_config_take(void *own, size_t own_size, const void *given, size_t least);

/* Why a recording with these options (NULL: defaults) is refused, in a few words; NULL: it is not. */
const char *tp_config_refusal(const struct tracepress_options *given);

/* Replaces *kept by a copy of `given` (NULL: defaults) with its texts, and with TRACEPRESS_DIR and a worker's name
 * where it has none; its folder is an absolute path. The texts of `kept` are its own; those before are freed. False
 * when memory is short. */
bool tp_config_keep(struct tracepress_options *kept, const struct tracepress_options *given);

/* What the last part of a recording may take in bytes, by the options or TRACEPRESS_RING_MB; 0: all of it is kept. */
uint64_t tp_config_ring_bytes(const struct tracepress_options *options);

/* The number in an environment variable such as RANK; UINT32_MAX: there is none. */
uint32_t tp_config_number(const char *variable);

/* The rank of this process by what engines set, RANK first; UINT32_MAX: there is none. */
uint32_t tp_config_rank(void);

/* Switched on in the environment: there, and neither empty nor 0. */
bool tp_config_is_wanted(const char *variable);

/* Whether samples are asked for; by `given` as the program passed it, maybe of an older header. */
bool tp_config_is_sampling(const struct tracepress_options *given);

/* Whether the recording has what belongs to an activity. */
bool tp_config_is_recorded(const struct tracepress_options *options, enum tracepress_activity activity);

/* The head of a spool that begins now. */
struct tp_spool_head tp_config_head(const struct tracepress_options *options, const struct tp_spool_clock *now);

#endif
