/* A copy of ITT's static part of a program: a list of functions by name, and a loader. At the first call that needs the
 * list, the loader asks the library in INTEL_LIBITTNOTIFY64 to fill it. Written for these tests from the protocol.
 *
 * As in ITT, domains and string handles that are created before this call are structs of this file. */
#ifndef TESTS_FAKE_ITT_PART_H
#define TESTS_FAKE_ITT_PART_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

struct itt_id {
    unsigned long long d1, d2, d3;
};

struct itt_domain {
    volatile int flags;
    const char *nameA;
    const wchar_t *nameW;
    int extra1;
    void *extra2;
    struct itt_domain *next;
};

struct itt_string {
    const char *strA;
    const wchar_t *strW;
    int extra1;
    void *extra2;
    struct itt_string *next;
};

struct itt_counter {
    const char *nameA;
    void *nameW;
    const char *domainA;
    void *domainW;
    int type;
    long index;
    int extra1;
    void *extra2;
    struct itt_counter *next;
};

struct itt_api {
    const char *name;
    void **slot;
    void *before, *without;
    int group;
};

struct itt_global {
    unsigned char magic[8];
    unsigned long version_major, version_minor, version_build;
    volatile long api_initialized, mutex_initialized, atomic_counter;
    pthread_mutex_t mutex;
    void *lib, *error_handler;
    const char **dll_path;
    struct itt_api *api_list;
    struct itt_global *next;
    void *lists[4];
};

#define ITT_FUNCTIONS(F)                                                                                               \
    F(struct itt_domain *, domain_create, (const char *))                                                              \
    F(struct itt_string *, string_handle_create, (const char *))                                                       \
    F(void, task_begin, (const struct itt_domain *, struct itt_id, struct itt_id, struct itt_string *))                \
    F(void, task_begin_fn, (const struct itt_domain *, struct itt_id, struct itt_id, void *))                          \
    F(void, task_end, (const struct itt_domain *))                                                                     \
    F(void, task_begin_overlapped, (const struct itt_domain *, struct itt_id, struct itt_id, struct itt_string *))     \
    F(void, task_end_overlapped, (const struct itt_domain *, struct itt_id))                                           \
    F(void, region_begin, (const struct itt_domain *, struct itt_id, struct itt_id, struct itt_string *))              \
    F(void, region_end, (const struct itt_domain *, struct itt_id))                                                    \
    F(void, marker, (const struct itt_domain *, struct itt_id, struct itt_string *, int))                              \
    F(void, frame_begin_v3, (const struct itt_domain *, struct itt_id *))                                              \
    F(void, frame_end_v3, (const struct itt_domain *, struct itt_id *))                                                \
    F(void, frame_submit_v3, (const struct itt_domain *, struct itt_id *, unsigned long long, unsigned long long))     \
    F(unsigned long long, get_timestamp, (void))                                                                       \
    F(struct itt_counter *, counter_create, (const char *, const char *))                                              \
    F(struct itt_counter *, counter_create_typed, (const char *, const char *, int))                                   \
    F(void, counter_set_value, (struct itt_counter *, void *))                                                         \
    F(void, counter_inc, (struct itt_counter *))                                                                       \
    F(void, counter_dec_delta, (struct itt_counter *, unsigned long long))                                             \
    F(void, counter_inc_delta_v3, (const struct itt_domain *, struct itt_string *, unsigned long long))                \
    F(void, metadata_add, (const struct itt_domain *, struct itt_id, struct itt_string *, int, size_t, void *))        \
    F(void, metadata_str_add, (const struct itt_domain *, struct itt_id, struct itt_string *, const char *, size_t))   \
    F(void, thread_set_name, (const char *))                                                                           \
    F(int, event_create, (const char *, int))                                                                          \
    F(int, event_start, (int))                                                                                         \
    F(int, event_end, (int))                                                                                           \
    F(void, pause, (void))                                                                                             \
    F(void, unheard_of, (void))

/* itt_NAME is the function of the tool, or NULL. */
#define ITT_POINTER(result, name, parameters) static result(*itt_##name) parameters;
ITT_FUNCTIONS(ITT_POINTER)

#define ITT_ROW(result, name, parameters) {"__itt_" #name, (void **)(void *)&itt_##name, NULL, NULL, 1},
static struct itt_api itt_list[] = {ITT_FUNCTIONS(ITT_ROW){NULL, NULL, NULL, NULL, 0}};

static struct itt_global itt_global = {.magic = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30},
                                       .version_major = 3,
                                       .version_build = 20250807,
                                       .mutex = PTHREAD_MUTEX_INITIALIZER,
                                       .api_list = itt_list};

/* A domain that the program creates before the tool is loaded. */
static struct itt_domain itt_early_domain = {.flags = 1, .nameA = "early"};
__attribute__((unused)) static struct itt_string itt_early_string = {.strA = "early task"};
__attribute__((unused)) static struct itt_counter itt_early_counter = {
    .nameA = "early counter", .domainA = "early", .type = 4};

static const struct itt_id itt_null = {0, 0, 0};

/* Loads the tool's library. Returns 1 if the library filled the list. */
static inline int itt_load(void)
{
    void (*initialize)(struct itt_global *, int);
    const char *path = getenv("INTEL_LIBITTNOTIFY64");
    itt_global.lib = path ? dlopen(path, RTLD_LAZY) : NULL;
    void *found = itt_global.lib ? dlsym(itt_global.lib, "__itt_api_init") : NULL;
    memcpy(&initialize, &found, sizeof found);
    if (found)
        initialize(&itt_global, -1);
    itt_global.api_initialized = 1;
    return found != NULL;
}

#endif
