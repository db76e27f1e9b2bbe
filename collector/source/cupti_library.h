/* Finds libcupti at run time, and declares the functions that the source calls. */
#ifndef TP_COLLECTOR_SOURCE_CUPTI_LIBRARY_H
#define TP_COLLECTOR_SOURCE_CUPTI_LIBRARY_H

#include <stdbool.h>

#include "collector/source/cupti_abi.h"

struct tp_cupti {
    void *handle;
    /* functions that every supported library has */
    int (*get_version)(uint32_t *version);
    int (*subscribe)(void **subscriber, tp_cupti_callback callback, void *user);
    int (*register_callbacks)(tp_cupti_request request, tp_cupti_complete complete);
    int (*enable)(uint32_t kind);
    int (*disable)(uint32_t kind);
    int (*next_record)(uint8_t *buffer, size_t valid, void **record);
    int (*flush_all)(uint32_t flags);
    /* functions that old libraries lack; NULL in that case */
    int (*register_clock)(uint64_t (*clock)(void));
    int (*count_dropped)(void *context, uint32_t stream, size_t *count);
    int (*callback_name)(uint32_t domain, uint32_t function, const char **name);
    int (*result_text)(int result, const char **text);
    int (*get_timestamp)(uint64_t *ns);
    int (*set_tid_type)(uint32_t type);
    int (*flush_period)(uint32_t ms);
    int (*subscribe_v2)(void **subscriber, tp_cupti_callback callback, void *user, struct tp_cupti_subscription *with);
};

/* Returns whether the process has mapped a library whose file name begins with `prefix`. */
bool tp_cupti_is_mapped(const char *prefix);

/* Opens the next library to try. *candidate: number of the library, 0 in the first call. If $TRACEPRESS_CUPTI is set,
 * only this path is tried. Otherwise libraries that the process has already mapped come first, and then libraries that
 * the system finds. Returns false if there are no more libraries. Libraries are never closed. */
bool tp_cupti_open(struct tp_cupti *cupti, unsigned *candidate);

/* Returns the text of a CUPTI result. The text is static, or owned by the library. */
const char *tp_cupti_result_text(const struct tp_cupti *cupti, int result);

#endif
