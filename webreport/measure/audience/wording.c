/* Implements wording.h: names producers and devices. */
#include "webreport/measure/audience/wording.h"

#include <string.h>

#include "writer/base/limits.h"
#include "writer/text/format.h"

const char *tp_producer_text(enum tp_producer producer)
{
    static const char *const texts[TP_PRODUCER_COUNT] = {"torch", "tracepress", "mpi", "other"};
    return texts[producer];
}

/* ---- devices ---- */

bool tp_is_device_of_program(const struct tp_model *model, int64_t id)
{
    for (uint32_t g = 0; g < model->gpu_count; g++)
        if (model->gpus[g].id == id)
            return model->gpus[g].is_own;
    return false;
}

struct tp_str tp_device_title(const struct tp_model *model, int64_t id, struct tp_arena *arena)
{
    for (uint32_t g = 0; g < model->gpu_count; g++)
        if (model->gpus[g].id == id)
            return model->gpus[g].name.len
                       ? model->gpus[g].name
                       : tp_str_of(tp_text_printf(arena, "%s %lld", model->gpus[g].word, (long long)id));
    return tp_str_of(tp_text_printf(arena, "%s %lld", tp_devices_word(model), (long long)id));
}

struct tp_str tp_stream_title(const struct tp_model *model, int64_t device, int64_t stream, struct tp_arena *arena)
{
    struct tp_str title = tp_device_title(model, device, arena);
    if (stream < 0)
        return title;
    int size = title.len < TP_MAX_SHOWN_NAME_BYTES ? (int)title.len : 0;
    return tp_str_of(tp_text_printf(arena, "%.*s \xc2\xb7 stream %lld", size, title.ptr, (long long)stream));
}

bool tp_has_only_devices_of_program(const struct tp_model *model)
{
    for (uint32_t g = 0; g < model->gpu_count; g++)
        if (!model->gpus[g].is_own)
            return false;
    return model->gpu_count > 0;
}

const char *tp_devices_word(const struct tp_model *model)
{
    const char *word = tp_has_only_devices_of_program(model) ? "Device"
                       : model->gpu_count                    ? model->gpus[0].word
                                                             : "GPU";
    for (uint32_t g = 1; g < model->gpu_count; g++)
        word = strcmp(word, model->gpus[g].word) == 0 ? word : "Device";
    return word;
}
