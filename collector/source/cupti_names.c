/* Maps names of kernels and calls to numbers: see cupti_names.h.
 *
 * Each entry is written once and both tables only grow, so lookups take no lock. Two threads that fill the same entry
 * write the same value. */
#include "collector/source/cupti_names.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/tracepress.h"

enum { CALLS = 4096, KERNELS = 8192, PROBES = 16, UNWANTED = 1 };

struct known_kernel {
    const char *address; /* address of the name in CUPTI's memory */
    uint32_t name;
    /* copy of the name, because a new name may have the same address after a module is unloaded */
    char text[];
};

static _Atomic(struct known_kernel *) kernels[KERNELS];
/* number of a call's name plus UNWANTED; UNWANTED: not recorded; 0: not yet looked up */
static _Atomic uint32_t calls[2][CALLS];

/* ---- kernels ---- */

static struct known_kernel *add_kernel(const char *name)
{
    size_t size = strlen(name) + 1;
    struct known_kernel *known = malloc(sizeof *known + size);
    if (!known)
        return NULL;
    known->address = name;
    known->name = tracepress_intern(name);
    memcpy(known->text, name, size);
    return known;
}

uint32_t tp_cupti_kernel_name(const char *name)
{
    size_t at = (size_t)(((uintptr_t)name >> 3) * 0x9E3779B97F4A7C15ull >> 40);
    if (!name)
        return tracepress_intern("unknown");
    for (int i = 0; i < PROBES; i++) {
        _Atomic(struct known_kernel *) *slot = &kernels[(at + (size_t)i) % KERNELS];
        struct known_kernel *known = atomic_load_explicit(slot, memory_order_acquire);
        if (!known) {
            struct known_kernel *none = NULL;
            known = add_kernel(name);
            if (!known)
                break;
            if (atomic_compare_exchange_strong(slot, &none, known))
                return known->name;
            uint32_t number = known->name;
            free(known);
            return number;
        }
        if (known->address == name && strcmp(known->text, name) == 0)
            return known->name;
    }
    return tracepress_intern(name);
}

/* ---- calls ---- */

/* Frequent calls without meaning for users, as listed by Kineto (CuptiActivityProfiler.cpp,
 * isBlockListedRuntimeCbid). */
static const char *const noise[] = {
    "cudaGetDevice",   "cudaSetDevice", "cudaGetLastError", "cudaEventCreate", "cudaEventCreateWithFlags",
    "cudaEventDestroy"};

/* Prefixes of driver calls that are recorded. If a program uses the CUDA runtime, calls of the runtime contain all
 * other driver calls. */
static const char *const driver_work[] = {"cuLaunch",           "cuGraphLaunch",       "cuMem",
                                          "cuCtxSynchronize",   "cuStreamSynchronize", "cuStreamWaitEvent",
                                          "cuEventSynchronize", "cuEventRecord"};

/* Prefixes of cuMem functions that only read a state; they are not recorded. */
static const char *const driver_noise[] = {"cuMemGet", "cuMemHostGet", "cuMemPoolGet"};

static bool begins_with_one(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(name, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}

#define BEGINS_WITH_ONE(name, list) begins_with_one(name, list, sizeof(list) / sizeof *(list))

bool tp_cupti_copy_call_name(char *out, size_t size, const char *name, bool is_driver)
{
    snprintf(out, size, "%s", name);
    size_t n = strlen(out), digits = n;
    while (digits && isdigit((unsigned char)out[digits - 1]))
        digits--;
    if (digits < n && digits > 2 && out[digits - 1] == 'v' && out[digits - 2] == '_')
        out[digits - 2] = '\0';
    if (is_driver)
        return BEGINS_WITH_ONE(out, driver_work) && !BEGINS_WITH_ONE(out, driver_noise);
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
        if (strcmp(out, noise[i]) == 0)
            return false;
    return true;
}

static uint32_t look_up_call_name(const struct tp_cupti *cupti, bool is_driver, uint32_t function)
{
    char clean[128];
    const char *name = NULL;
    uint32_t domain = is_driver ? TP_CUPTI_DOMAIN_DRIVER : TP_CUPTI_DOMAIN_RUNTIME;
    if (!cupti->callback_name || cupti->callback_name(domain, function, &name) != 0 || !name) {
        snprintf(clean, sizeof clean, "%s call %u", is_driver ? "driver" : "runtime", function);
        return tracepress_intern(clean);
    }
    return tp_cupti_copy_call_name(clean, sizeof clean, name, is_driver) ? tracepress_intern(clean) : 0;
}

uint32_t tp_cupti_call_name(const struct tp_cupti *cupti, bool is_driver, uint32_t function)
{
    if (function >= CALLS)
        return look_up_call_name(cupti, is_driver, function);
    _Atomic uint32_t *slot = &calls[is_driver][function];
    uint32_t known = atomic_load_explicit(slot, memory_order_relaxed);
    if (!known) {
        known = look_up_call_name(cupti, is_driver, function) + UNWANTED;
        atomic_store_explicit(slot, known, memory_order_relaxed);
    }
    return known - UNWANTED;
}
