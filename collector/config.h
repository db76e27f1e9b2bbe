/* Contains the settings of a recording: combines the program's options with the environment. */
#ifndef TP_COLLECTOR_CONFIG_H
#define TP_COLLECTOR_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/tracepress.h"
#include "writer/spool/spool_format.h"

#define TP_CONFIG_SPOOL_BYTES (64ull << 30) /* default upper limit of a spool file, bytes */

/* Returns whether `size`, the first member of a struct from tracepress.h, can be the size of that struct. A size must
 * be at least `least`, the size in the first version of the header. An arbitrary value of an uninitialized variable is
 * rejected. */
static inline bool tp_config_is_known_struct_size(uint32_t size, size_t least)
{
    enum { MOST_BYTES = 4096, UNIT_BYTES = 8 };
    return size >= least && size <= MOST_BYTES && size % UNIT_BYTES == 0;
}

/* Copies a struct that begins with its size. Members that the caller's header lacks become 0, and members that this
 * library does not know are dropped. Returns false and copies nothing if the size is invalid. */
bool tp_config_copy_sized_struct(void *own, size_t own_size, const void *given, size_t least);

/* Returns the reason why a recording with these options is refused, in a few words, or NULL if it is allowed. given:
 * NULL means the defaults. */
const char *tp_config_invalid_options_text(const struct tracepress_options *given);

/* Replaces *kept by a deep copy of `given` (NULL: the defaults). Fills missing members: the folder from
 * TRACEPRESS_DIR, and the worker's name. Makes the folder an absolute path. *kept owns its texts, and its previous
 * texts are freed. Returns false when memory is short. */
bool tp_config_replace_options(struct tracepress_options *kept, const struct tracepress_options *given);

/* Returns the size of the flight recorder in bytes, from the options or TRACEPRESS_RING_MB. 0: there is no flight
 * recorder, and all records are kept. */
uint64_t tp_config_ring_bytes(const struct tracepress_options *options);

/* Returns the value of an environment variable such as RANK as a number, or UINT32_MAX if the value is no number. */
uint32_t tp_config_read_number(const char *variable);

/* Returns the rank of this process from the variables of job launchers, first from RANK. Returns UINT32_MAX if there
 * is no rank. */
uint32_t tp_config_rank(void);

/* Returns whether an environment variable switches a feature on. Such a variable is set, not empty and not "0". */
bool tp_config_is_variable_on(const char *variable);

/* Returns whether `given` requests CPU samples. given: the program's struct, possibly from an older header, or NULL. */
bool tp_config_has_sampling(const struct tracepress_options *given);

/* Returns whether the recording includes an activity. */
bool tp_config_records_activity(const struct tracepress_options *options, enum tracepress_activity activity);

/* Returns the head of a spool that starts at the moment with the clock values `now`. */
struct tp_spool_head tp_config_make_spool_head(const struct tracepress_options *options,
                                               const struct tp_spool_clock *now);

#endif
