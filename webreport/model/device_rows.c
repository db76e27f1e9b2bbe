/* Determines the device on which each device operation ran: see device_rows.h. */
#include "webreport/model/device_rows.h"

#include "webreport/model/order.h"
#include "writer/base/rule_sort.h"

/* A number of this size or more is a device number only if deviceProperties has an entry with this id. */
enum { DEVICE_NUMBERS = 1024 };

/* Maximum length, bytes, of a process name that is used as the name of a device. */
enum { LONGEST_NAME = 64 };

/* Highest process id that the operating system assigns. Profilers assign higher numbers to devices, so that viewers
 * show devices last. */
static const int64_t HIGHEST_PID = 1 << 22;

/* Texts in labels, names and categories, and the device types that these texts mean. Texts are compared in lower
 * case. */
static const struct word {
    const char *text, *word;
} words[] = {
    {"npu", "NPU"},   {"mlu", "MLU"},
    {"xpu", "XPU"},   {"hpu", "HPU"},
    {"gcu", "GCU"},   {"musa", "MUSA"},
    {"mtia", "MTIA"}, {"tpu", "TPU"},
    {"dcu", "DCU"},   {"ascend hardware", "NPU"},
    {"gpu", "GPU"},   {"cuda", "GPU"},
    {"hip", "GPU"},   {"privateuse1", "Device"},
};

/* Texts in the names of calls that only one runtime has. Used if neither labels nor categories show the type of
 * device. */
static const struct word calls[] = {
    {"aclrt", "NPU"}, {"cnrt", "MLU"}, {"musa", "MUSA"}, {"zeCommand", "XPU"}, {"urEnqueue", "XPU"}};

/* A process of the trace and the device of its operations. */
struct tp_device_row {
    uint32_t first_thread; /* any one thread of the process */
    uint32_t
        first_without_number; /* first operation that does not contain a device number; TP_NO_ID: no such operation */
    int64_t number;           /* device number; TP_NULL_INT until it is known */
    const struct tp_process *process; /* metadata of the process; NULL if the trace has no metadata of the process */
    bool has_host_events;
    bool is_foreign;  /* true if the process got the next unused device number */
    const char *word; /* name of the device type, such as "NPU"; NULL if unknown */
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns the position of `word` in the text, as a whole word: without a letter directly before or after it. Returns -1
 * if the text does not contain the word. */
static int find_whole_word(struct tp_str text, const char *word)
{
    size_t length = strlen(word);
    for (size_t from = 0; from + length <= text.len;) {
        int at = tp_str_find_ignore_case((struct tp_str){text.ptr + from, text.len - from}, word);
        if (at < 0)
            return -1;
        size_t begin = from + (size_t)at, end = begin + length;
        if ((!begin || !is_letter(text.ptr[begin - 1])) && (end == text.len || !is_letter(text.ptr[end])))
            return (int)begin;
        from = begin + 1;
    }
    return -1;
}

/* Returns the device type that a text names; NULL if the text names none. Sets *number to the device number after the
 * name, or to TP_NULL_INT. */
static const char *read_device_word_and_number(struct tp_str text, int64_t *number)
{
    *number = TP_NULL_INT;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        int found = find_whole_word(text, words[i].text);
        if (found < 0)
            continue;
        size_t at = (size_t)found + strlen(words[i].text), digits = 0;
        int64_t value = 0;
        while (at < text.len && strchr(" :_#-", text.ptr[at]))
            at++;
        for (; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9' && digits < 5; digits++)
            value = value * 10 + text.ptr[at++] - '0';
        if (digits && value < DEVICE_NUMBERS)
            *number = value;
        return words[i].word;
    }
    return NULL;
}

/* ---- rows of processes ---- */

static inline __attribute__((always_inline)) bool comes_before_by_thread(const void *context, uint32_t i, uint32_t j)
{
    const struct tp_thread *threads = context;
    int order = tp_row_id_compare(&threads[i].pid, &threads[j].pid);
    return order ? order < 0 : i < j;
}

static inline __attribute__((always_inline)) bool comes_before_by_process(const void *context, uint32_t i, uint32_t j)
{
    const struct tp_process *processes = context;
    int order = tp_row_id_compare(&processes[i].pid, &processes[j].pid);
    return order ? order < 0 : i < j;
}

static uint32_t *sorted_indexes(struct tp_arena *arena, uint32_t count)
{
    uint32_t *indexes = tp_arena_array(arena, (size_t)count + 1, sizeof *indexes);
    for (uint32_t i = 0; i < count; i++)
        indexes[i] = i;
    return indexes;
}

/* Makes a row for each process with its metadata, and assigns to each thread the row of its process. */
static void group_threads(struct tp_model *model)
{
    const struct tp_trace *trace = model->trace;
    struct tp_device_rows *rows = &model->device_rows;
    uint32_t *threads = sorted_indexes(model->arena, trace->thread_count), at = 0;
    uint32_t *processes = sorted_indexes(model->arena, trace->process_count);
    struct tp_vec all = TP_VEC(model->arena, struct tp_device_row);
    tp_sort_by_rule(threads, trace->thread_count, model->arena, trace->threads, comes_before_by_thread);
    tp_sort_by_rule(processes, trace->process_count, model->arena, trace->processes, comes_before_by_process);
    rows->of_thread = tp_arena_array(model->arena, (size_t)trace->thread_count + 1, sizeof *rows->of_thread);
    for (uint32_t i = 0; i < trace->thread_count; i++) {
        uint32_t t = threads[i];
        const struct tp_row_id *pid = &trace->threads[t].pid;
        if (!i || tp_row_id_compare(pid, &trace->threads[threads[i - 1]].pid)) {
            while (at < trace->process_count && tp_row_id_compare(&trace->processes[processes[at]].pid, pid) < 0)
                at++;
            bool is_named = at < trace->process_count && !tp_row_id_compare(&trace->processes[processes[at]].pid, pid);
            *(struct tp_device_row *)tp_vec_push(&all) =
                (struct tp_device_row){.first_thread = t,
                                       .first_without_number = TP_NO_ID,
                                       .number = TP_NULL_INT,
                                       .process = is_named ? &trace->processes[processes[at]] : NULL};
        }
        rows->of_thread[t] = (uint32_t)all.count - 1;
        TP_AT(&all, struct tp_device_row, all.count - 1)->has_host_events |=
            model->order->thread_first[t] != model->order->thread_first[t + 1];
    }
    rows->rows = all.data;
    rows->count = (uint32_t)all.count;
}

/* ---- numbers of devices ---- */

const struct tp_gpu_property *tp_model_gpu_property(const struct tp_trace *trace, int64_t id)
{
    enum { MOST = 1024 }; /* more devices than any machine has; limits the search in a malicious file */
    uint32_t count = trace->gpu_count < MOST ? trace->gpu_count : MOST;
    bool has_ids = false;
    for (uint32_t i = 0; i < count; i++) {
        has_ids |= trace->gpus[i].has_id;
        if (trace->gpus[i].has_id && trace->gpus[i].id == id && id != TP_NULL_INT)
            return &trace->gpus[i];
    }
    return !has_ids && id >= 0 && id < count ? &trace->gpus[id] : NULL;
}

/* Returns the device number in the arguments of an operation; TP_NULL_INT if it is absent or not plausible. */
static int64_t device_number_of_operation(const struct tp_model *model, const struct tp_event *e)
{
    if (!tp_kind_is_device(e->kind))
        return TP_NULL_INT;
    int64_t number = tp_device_setup(model->trace, e->detail)->device;
    if (number == TP_NULL_INT || (number >= 0 && number < DEVICE_NUMBERS))
        return number;
    const struct tp_gpu_property *property = tp_model_gpu_property(model->trace, number);
    return property && property->has_id ? number : TP_NULL_INT;
}

/* Returns the device number of a row according to its metadata or pid; TP_NULL_INT if unknown. Also sets row->word. */
static int64_t read_row_number(const struct tp_model *model, struct tp_device_row *row)
{
    const struct tp_row_id *pid = &model->trace->threads[row->first_thread].pid;
    struct tp_str texts[] = {row->process ? row->process->labels : TP_STR(""),
                             row->process && !row->has_host_events ? row->process->name : TP_STR(""),
                             pid->is_text ? pid->text : TP_STR("")};
    int64_t number = TP_NULL_INT;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && number == TP_NULL_INT; i++) {
        const char *word = read_device_word_and_number(texts[i], &number);
        row->word = row->word ? row->word : word;
    }
    bool is_called_device = row->word || (row->process && row->process->sort_index > HIGHEST_PID);
    bool is_small = !pid->is_text && pid->number >= 0 && pid->number < DEVICE_NUMBERS;
    return number == TP_NULL_INT && is_called_device && is_small ? pid->number : number;
}

/* Sets the number of each row to the first device number in its operations. Also stores the first operation of each row
 * without a number, and marks all these device numbers as used. */
static void set_row_numbers_from_operations(struct tp_model *model, uint8_t *used)
{
    struct tp_device_rows *rows = &model->device_rows;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        struct tp_device_row *row = &rows->rows[rows->of_thread[e->thread]];
        int64_t number = device_number_of_operation(model, e);
        if (number != TP_NULL_INT && row->number == TP_NULL_INT)
            row->number = number;
        if (number != TP_NULL_INT && number < DEVICE_NUMBERS)
            used[number] = 1;
        if (number == TP_NULL_INT && row->first_without_number == TP_NO_ID)
            row->first_without_number = k;
    }
}

static inline __attribute__((always_inline)) bool comes_before_by_row(const void *context, uint32_t i, uint32_t j)
{
    const struct tp_device_row *rows = context;
    return rows[i].first_without_number < rows[j].first_without_number;
}

/* Assigns unused device numbers to the rows that have operations but no number, in the order of their first
 * operations. */
static void assign_unused_device_numbers(struct tp_model *model, const uint8_t *used)
{
    struct tp_device_rows *rows = &model->device_rows;
    struct tp_vec foreign = TP_VEC(model->arena, uint32_t);
    int64_t next = 0;
    for (uint32_t i = 0; i < rows->count; i++)
        if (rows->rows[i].number == TP_NULL_INT && rows->rows[i].first_without_number != TP_NO_ID)
            *(uint32_t *)tp_vec_push(&foreign) = i;
    tp_sort_by_rule(foreign.data, (uint32_t)foreign.count, model->arena, rows->rows, comes_before_by_row);
    for (size_t i = 0; i < foreign.count; i++) {
        struct tp_device_row *row = &rows->rows[*TP_AT(&foreign, uint32_t, i)];
        while (next < DEVICE_NUMBERS && used[next])
            next++;
        row->number = next++;
        row->is_foreign = true;
    }
}

/* Returns the device type that the categories of calls show, or else the name of the first call that launches. Returns
 * "GPU" if neither shows a device type. */
static const char *device_word_of_calls(const struct tp_model *model)
{
    const struct tp_trace *trace = model->trace;
    enum { MOST = sizeof trace->foreign_call_cats / sizeof *trace->foreign_call_cats };
    for (size_t i = 1; i < MOST && trace->foreign_call_cats[i]; i++) {
        int64_t number;
        struct tp_str cat = tp_strings_get(&trace->cats, trace->foreign_call_cats[i] - 1);
        size_t length = 0;
        while (length < cat.len && cat.ptr[length] != '_')
            length++;
        const char *word = read_device_word_and_number((struct tp_str){cat.ptr, length}, &number);
        if (word)
            return word;
    }
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *launch = tp_launch_of_device(model, k);
        for (size_t i = 0; launch && i < sizeof calls / sizeof *calls; i++)
            if (tp_str_find(tp_trace_event_name(trace, launch), calls[i].text) >= 0)
                return calls[i].word;
        if (launch)
            break;
    }
    return "GPU";
}

void tp_device_rows_build(struct tp_model *model)
{
    struct tp_device_rows *rows = &model->device_rows;
    if (!model->devices.count)
        return;
    uint8_t *used = tp_arena_array(model->arena, DEVICE_NUMBERS, sizeof *used);
    group_threads(model);
    set_row_numbers_from_operations(model, used);
    for (uint32_t i = 0; i < rows->count; i++) {
        struct tp_device_row *row = &rows->rows[i];
        if (row->number == TP_NULL_INT && row->first_without_number == TP_NO_ID)
            continue;
        int64_t number = read_row_number(model, row);
        if (row->number == TP_NULL_INT && number != TP_NULL_INT) {
            row->number = number;
            used[number] = 1;
        }
    }
    assign_unused_device_numbers(model, used);
}

int64_t tp_device_id_of_event(const struct tp_model *model, const struct tp_event *e)
{
    int64_t own = device_number_of_operation(model, e);
    if (own != TP_NULL_INT || !model->device_rows.count)
        return own != TP_NULL_INT ? own : -1;
    int64_t number = model->device_rows.rows[model->device_rows.of_thread[e->thread]].number;
    return number != TP_NULL_INT ? number : -1;
}

/* ---- types and names of devices ---- */

/* Returns true if another device has a process with the same name, or if there are too many rows to compare. */
static bool is_name_shared(const struct tp_device_rows *rows, const struct tp_device_row *row)
{
    enum { MOST = 256 };
    for (uint32_t i = 0; i < rows->count && rows->count <= MOST; i++) {
        const struct tp_device_row *other = &rows->rows[i];
        if (other != row && other->number != TP_NULL_INT && other->process &&
            tp_str_equal(other->process->name, row->process->name))
            return true;
    }
    return rows->count > MOST;
}

struct tp_gpu *tp_model_gpu(const struct tp_model *model, int64_t number)
{
    uint32_t low = 0, high = model->gpu_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (model->gpus[middle].id < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < model->gpu_count && model->gpus[low].id == number ? &model->gpus[low] : NULL;
}

void tp_device_rows_name_gpus(struct tp_model *model)
{
    const struct tp_device_rows *rows = &model->device_rows;
    const char *of_calls = device_word_of_calls(model);
    for (uint32_t g = 0; g < model->gpu_count; g++)
        model->gpus[g].word = of_calls;
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct tp_device_row *row = &rows->rows[i];
        struct tp_gpu *gpu = row->number == TP_NULL_INT ? NULL : tp_model_gpu(model, row->number);
        /* excludes "GPU", because Kineto labels the devices of every maker "GPU 0" */
        if (gpu && row->word && strcmp(row->word, "GPU"))
            gpu->word = row->word;
        if (gpu && row->is_foreign && !row->word && !row->has_host_events && row->process &&
            row->process->name.len <= LONGEST_NAME && !is_name_shared(rows, row))
            gpu->name = row->process->name;
    }
}
