/* Records properties of the GPUs: see cupti_device.h. Never loads the driver, because a program without the driver uses
 * no GPU. */
#include "collector/source/cupti_device.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "collector/recorder.h"
#include "collector/source/cupti_abi.h"
#include "writer/spool/spool_format_gpu.h"

enum { MAX_DEVICES = 64 };

struct driver {
    int (*count)(int *count);
    int (*name)(char *name, int size, int device);
    int (*total)(size_t *bytes, int device);
    int (*attribute)(int *value, int attribute, int device);
    int (*version)(int *version);
};

static const struct {
    size_t member;
    int attribute;
} attributes[] = {
    {offsetof(struct tp_spool_gpu_device, compute_major), TP_CUDA_COMPUTE_MAJOR},
    {offsetof(struct tp_spool_gpu_device, compute_minor), TP_CUDA_COMPUTE_MINOR},
    {offsetof(struct tp_spool_gpu_device, warp_size), TP_CUDA_WARP_SIZE},
    {offsetof(struct tp_spool_gpu_device, sm_count), TP_CUDA_SM_COUNT},
    {offsetof(struct tp_spool_gpu_device, max_threads_per_block), TP_CUDA_MAX_THREADS_PER_BLOCK},
    {offsetof(struct tp_spool_gpu_device, max_threads_per_sm), TP_CUDA_MAX_THREADS_PER_SM},
    {offsetof(struct tp_spool_gpu_device, registers_per_block), TP_CUDA_REGISTERS_PER_BLOCK},
    {offsetof(struct tp_spool_gpu_device, registers_per_sm), TP_CUDA_REGISTERS_PER_SM},
    {offsetof(struct tp_spool_gpu_device, shared_per_block_bytes), TP_CUDA_SHARED_PER_BLOCK},
    {offsetof(struct tp_spool_gpu_device, shared_per_block_optin_bytes), TP_CUDA_SHARED_PER_BLOCK_OPTIN},
    {offsetof(struct tp_spool_gpu_device, shared_per_sm_bytes), TP_CUDA_SHARED_PER_SM},
    {offsetof(struct tp_spool_gpu_device, max_blocks_per_sm), TP_CUDA_MAX_BLOCKS_PER_SM},
};

static bool find_driver(struct driver *driver)
{
    static const struct {
        size_t member;
        const char *name;
    } functions[] = {{offsetof(struct driver, count), "cuDeviceGetCount"},
                     {offsetof(struct driver, name), "cuDeviceGetName"},
                     {offsetof(struct driver, total), "cuDeviceTotalMem_v2"},
                     {offsetof(struct driver, attribute), "cuDeviceGetAttribute"},
                     {offsetof(struct driver, version), "cuDriverGetVersion"}};
    void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = handle ? dlsym(handle, functions[i].name) : NULL;
        if (!function)
            return false;
        memcpy((char *)driver + functions[i].member, &function, sizeof function);
    }
    return true; /* the handle is never closed, because the driver is never unloaded */
}

static void write_device_record(const struct driver *driver, int number)
{
    struct tp_spool_gpu_device device = {.total_memory_bytes = -1, .id = number};
    char name[256] = "";
    size_t total;
    if (driver->name(name, sizeof name - 1, number) != 0)
        snprintf(name, sizeof name, "GPU %d", number);
    if (driver->total(&total, number) == 0)
        device.total_memory_bytes = (int64_t)total;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        int value, known = driver->attribute(&value, attributes[i].attribute, number) == 0 ? value : -1;
        int32_t kept = known;
        memcpy((char *)&device + attributes[i].member, &kept, sizeof kept);
    }
    tp_record_write(tracepress_intern(name), TP_SPOOL_GPU_DEVICE, &device, sizeof device);
}

int tp_cupti_write_devices(void)
{
    struct driver driver;
    int count = 0;
    if (!find_driver(&driver) || driver.count(&count) != 0)
        return 0;
    count = count < MAX_DEVICES ? count : MAX_DEVICES;
    for (int i = 0; i < count; i++)
        write_device_record(&driver, i);
    return count;
}

static void add_fact(const char *key, unsigned value)
{
    char text[16];
    snprintf(text, sizeof text, "%u", value);
    tracepress_metadata_json(key, text);
}

void tp_cupti_write_versions(unsigned version)
{
    struct driver driver;
    int number;
    add_fact("cupti_version", version);
    if (find_driver(&driver) && driver.version(&number) == 0)
        add_fact("cuda_driver_version", (unsigned)number);
}
