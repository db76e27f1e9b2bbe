/* Loads libdw at run time: see libdw.h. */
#include "writer/spool/libdw.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

static struct tp_libdw dw;
static bool has_libdw;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

/* Returns whether the process has enough address space for libdw. libdw ends the process if memory is short, and debug
 * information of a large program needs hundreds of megabytes. */
static bool has_address_space(void)
{
    enum { LEAST_MIB = 2048 };
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >> 20 >= LEAST_MIB;
}

static void load_library(void)
{
    void *library = has_address_space() ? dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL) : NULL;
    has_libdw = library != NULL;
#define LOAD(name)                                                                                                     \
    *(void **)&dw.name = has_libdw ? dlsym(library, #name) : NULL;                                                     \
    has_libdw = has_libdw && dw.name;
    TP_LIBDW_FUNCTIONS(LOAD)
}

const struct tp_libdw *tp_libdw(void)
{
    pthread_once(&loaded, load_library);
    return has_libdw ? &dw : NULL;
}
