/* A copy of the code that NVTX 3 adds to every program: slots for functions, a table that returns them, and a loader.
 * At the first call, the loader asks the library in NVTX_INJECTION64_PATH to fill the slots. Written for these tests
 * from the protocol.
 *
 * The functions below have the names and arguments of NVTX's functions. A function with an empty slot does nothing. */
#ifndef TESTS_FAKE_NVTX_PART_H
#define TESTS_FAKE_NVTX_PART_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { NVTX_FUNCTIONS = 16 };

typedef void (*nvtx_function)(void);

struct nvtx_attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    union {
        uint64_t u64;
        int64_t i64;
        double real;
        uint32_t u32;
        int32_t i32;
        float small;
    } payload;
    int32_t message_type;
    union {
        const char *ascii;
        const wchar_t *wide;
        void *registered;
    } message;
};

struct nvtx_resource {
    uint16_t version, size;
    int32_t type;
    uint64_t identifier;
    int32_t message_type;
    const char *message;
};

static nvtx_function nvtx_core[NVTX_FUNCTIONS], nvtx_core2[NVTX_FUNCTIONS];
static nvtx_function *nvtx_core_table[NVTX_FUNCTIONS + 1], *nvtx_core2_table[NVTX_FUNCTIONS + 1];

static inline int nvtx_get_module(int module, nvtx_function ***table, unsigned *size)
{
    nvtx_function *slots = module == 1 ? nvtx_core : nvtx_core2,
                  **pointers = module == 1 ? nvtx_core_table : nvtx_core2_table;
    if (module != 1 && module != 5)
        return 0;
    for (int i = 1; i < NVTX_FUNCTIONS; i++)
        pointers[i] = &slots[i];
    *table = pointers;
    *size = NVTX_FUNCTIONS;
    return 1;
}

static inline const void *nvtx_get_table(uint32_t id)
{
    static const struct {
        size_t size;
        int (*get_module)(int, nvtx_function ***, unsigned *);
    } callbacks = {sizeof callbacks, nvtx_get_module};
    return id == 1 ? &callbacks : NULL;
}

/* Loads the tool's library. Returns 1 if the library filled the slots. */
static inline int nvtx_load(void)
{
    int (*initialize)(const void *(*)(uint32_t));
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
    void *found = library ? dlsym(library, "InitializeInjectionNvtx2") : NULL;
    memcpy(&initialize, &found, sizeof found);
    return found && initialize(nvtx_get_table);
}

#define NVTX_SLOT(result, otherwise, slot, name, parameters, arguments)                                                \
    static inline result name parameters                                                                               \
    {                                                                                                                  \
        return slot ? ((result(*) parameters)slot)arguments : otherwise;                                               \
    }
#define NVTX_VOID(slot, name, parameters, arguments)                                                                   \
    static inline void name parameters                                                                                 \
    {                                                                                                                  \
        if (slot)                                                                                                      \
            ((void(*) parameters)slot) arguments;                                                                      \
    }

NVTX_VOID(nvtx_core[1], nvtxMarkEx, (const struct nvtx_attributes *a), (a))
NVTX_VOID(nvtx_core[2], nvtxMarkA, (const char *text), (text))
NVTX_VOID(nvtx_core[3], nvtxMarkW, (const wchar_t *text), (text))
NVTX_SLOT(uint64_t, 0, nvtx_core[4], nvtxRangeStartEx, (const struct nvtx_attributes *a), (a))
NVTX_SLOT(uint64_t, 0, nvtx_core[5], nvtxRangeStartA, (const char *text), (text))
NVTX_SLOT(uint64_t, 0, nvtx_core[6], nvtxRangeStartW, (const wchar_t *text), (text))
NVTX_VOID(nvtx_core[7], nvtxRangeEnd, (uint64_t id), (id))
NVTX_SLOT(int, -2, nvtx_core[8], nvtxRangePushEx, (const struct nvtx_attributes *a), (a))
NVTX_SLOT(int, -2, nvtx_core[9], nvtxRangePushA, (const char *text), (text))
NVTX_SLOT(int, -2, nvtx_core[10], nvtxRangePushW, (const wchar_t *text), (text))
NVTX_SLOT(int, -2, nvtx_core[11], nvtxRangePop, (void), ())
NVTX_VOID(nvtx_core[12], nvtxNameCategoryA, (uint32_t category, const char *text), (category, text))
NVTX_VOID(nvtx_core[13], nvtxNameCategoryW, (uint32_t category, const wchar_t *text), (category, text))
NVTX_VOID(nvtx_core[14], nvtxNameOsThreadA, (uint32_t thread, const char *text), (thread, text))
NVTX_VOID(nvtx_core[15], nvtxNameOsThreadW, (uint32_t thread, const wchar_t *text), (thread, text))
NVTX_VOID(nvtx_core2[1], nvtxDomainMarkEx, (void *domain, const struct nvtx_attributes *a), (domain, a))
NVTX_SLOT(uint64_t, 0, nvtx_core2[2], nvtxDomainRangeStartEx, (void *domain, const struct nvtx_attributes *a),
          (domain, a))
NVTX_VOID(nvtx_core2[3], nvtxDomainRangeEnd, (void *domain, uint64_t id), (domain, id))
NVTX_SLOT(int, -2, nvtx_core2[4], nvtxDomainRangePushEx, (void *domain, const struct nvtx_attributes *a), (domain, a))
NVTX_SLOT(int, -2, nvtx_core2[5], nvtxDomainRangePop, (void *domain), (domain))
NVTX_SLOT(void *, NULL, nvtx_core2[6], nvtxDomainResourceCreate, (void *domain, const struct nvtx_resource *r),
          (domain, r))
NVTX_VOID(nvtx_core2[7], nvtxDomainResourceDestroy, (void *resource), (resource))
NVTX_VOID(nvtx_core2[8], nvtxDomainNameCategoryA, (void *domain, uint32_t category, const char *text),
          (domain, category, text))
NVTX_VOID(nvtx_core2[9], nvtxDomainNameCategoryW, (void *domain, uint32_t category, const wchar_t *text),
          (domain, category, text))
NVTX_SLOT(void *, NULL, nvtx_core2[10], nvtxDomainRegisterStringA, (void *domain, const char *text), (domain, text))
NVTX_SLOT(void *, NULL, nvtx_core2[11], nvtxDomainRegisterStringW, (void *domain, const wchar_t *text), (domain, text))
NVTX_SLOT(void *, NULL, nvtx_core2[12], nvtxDomainCreateA, (const char *text), (text))
NVTX_SLOT(void *, NULL, nvtx_core2[13], nvtxDomainCreateW, (const wchar_t *text), (text))
NVTX_VOID(nvtx_core2[14], nvtxDomainDestroy, (void *domain), (domain))

#endif
