/* Finds libcupti at run time: see cupti_library.h. */
#include "collector/source/cupti_library.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "writer/base/environment.h"
#include "writer/base/path.h"

/* File names of CUPTI. The names for CUDA 11 include the minor version; the names for CUDA 12 and 13 include only the
 * major version. */
static const char *const names[] = {
    "libcupti.so.13",
    "libcupti.so.12",
    "libcupti.so.11.8",
    "libcupti.so.11.7",
    "libcupti.so.11.6",
    "libcupti.so.11.5",
    "libcupti.so.11.4",
    "libcupti.so",
    "/usr/local/cuda/lib64/libcupti.so",
    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
};

enum { NAMES = sizeof names / sizeof *names };

#define MEMBER(member, name, is_needed)                                                                                \
    {                                                                                                                  \
        offsetof(struct tp_cupti, member), name, is_needed                                                             \
    }

static const struct {
    size_t member;
    const char *name;
    bool is_needed;
} functions[] = {
    MEMBER(get_version, "cuptiGetVersion", true),
    MEMBER(subscribe, "cuptiSubscribe", true),
    MEMBER(register_callbacks, "cuptiActivityRegisterCallbacks", true),
    MEMBER(enable, "cuptiActivityEnable", true),
    MEMBER(disable, "cuptiActivityDisable", true),
    MEMBER(next_record, "cuptiActivityGetNextRecord", true),
    MEMBER(flush_all, "cuptiActivityFlushAll", true),
    MEMBER(register_clock, "cuptiActivityRegisterTimestampCallback", false),
    MEMBER(count_dropped, "cuptiActivityGetNumDroppedRecords", false),
    MEMBER(callback_name, "cuptiGetCallbackName", false),
    MEMBER(result_text, "cuptiGetResultString", false),
    MEMBER(get_timestamp, "cuptiGetTimestamp", false),
    MEMBER(set_tid_type, "cuptiSetThreadIdType", false),
    MEMBER(flush_period, "cuptiActivityFlushPeriod", false),
    MEMBER(subscribe_v2, "cuptiSubscribe_v2", false),
};

static int has_library_name_prefix(struct dl_phdr_info *info, size_t size, void *prefix)
{
    (void)size;
    return strncmp(tp_path_base(info->dlpi_name), prefix, strlen(prefix)) == 0;
}

bool tp_cupti_is_mapped(const char *prefix)
{
    return dl_iterate_phdr(has_library_name_prefix, (void *)(uintptr_t)prefix) != 0;
}

static bool find_functions(struct tp_cupti *cupti)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(cupti->handle, functions[i].name);
        if (!function && functions[i].is_needed)
            return false;
        memcpy((char *)cupti + functions[i].member, &function, sizeof function);
    }
    return true;
}

bool tp_cupti_open(struct tp_cupti *cupti, unsigned *candidate)
{
    const char *given = tp_environment("TRACEPRESS_CUPTI");
    bool is_given = given && *given;
    while (*candidate < (is_given ? 1u : 2u * NAMES)) {
        unsigned number = (*candidate)++;
        int flags = RTLD_NOW | (!is_given && number < NAMES ? RTLD_NOLOAD : 0);
        memset(cupti, 0, sizeof *cupti);
        cupti->handle = dlopen(is_given ? given : names[number % NAMES], flags);
        if (cupti->handle && find_functions(cupti))
            return true;
    }
    return false;
}

const char *tp_cupti_result_text(const struct tp_cupti *cupti, int result)
{
    const char *text = NULL;
    if (cupti->result_text && cupti->result_text(result, &text) != 0)
        text = NULL;
    return text ? text : "an unnamed error";
}
