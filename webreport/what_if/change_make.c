/* Makes and reads changes: see change_make.h. */
#include "webreport/what_if/change_make.h"

#include "webreport/model/numbers.h"
#include "webreport/what_if/wait_place.h"
#include "writer/base/buf.h"
#include "writer/base/id_map.h"

#define BIT(x) (1u << (x))
#define HOST_KINDS                                                                                                     \
    (BIT(TP_PATH_OPERATOR) | BIT(TP_PATH_PYTHON) | BIT(TP_PATH_CALL) | BIT(TP_PATH_LAUNCH) | BIT(TP_PATH_WAIT))
#define DEVICE_KINDS (BIT(TP_PATH_COMPUTE) | BIT(TP_PATH_COMMUNICATION) | BIT(TP_PATH_COPY))

enum value { VALUE_FACTOR, VALUE_ZERO, VALUE_NONE, VALUE_DEVICE };

/* A form of a change: "word" or "word:NAME", with or without "=value". */
static const struct form {
    const char *word;
    bool has_name;
    enum value value;
    unsigned kinds;               /* bits of enum tp_path_kind: parts that get the factor */
    unsigned dropped, prompt;     /* as in struct tp_what_if_change */
    const char *before, *between; /* text of the change: before, name, between, value */
} forms[] = {
    {"kernel", true, VALUE_FACTOR, DEVICE_KINDS, 0, 0, "kernel ", " at "},
    {"operator", true, VALUE_FACTOR, BIT(TP_PATH_OPERATOR), 0, 0, "host time of ", " at "},
    {"line", true, VALUE_FACTOR, BIT(TP_PATH_PYTHON), 0, 0, "without ", NULL},
    {"kind", true, VALUE_FACTOR, 0, 0, 0, "", " at "},
    {"host", false, VALUE_FACTOR, HOST_KINDS, 0, 0, "host at ", ""},
    {"launches", false, VALUE_ZERO, BIT(TP_PATH_LAUNCH), 0, BIT(TP_EDGE_LAUNCH), "launch calls free", NULL},
    {"graph", false, VALUE_ZERO, HOST_KINDS, 0, BIT(TP_EDGE_LAUNCH),
     "all host work but loading free (as if replayed as one graph)", NULL},
    {"copies", false, VALUE_FACTOR, BIT(TP_PATH_COPY), 0, 0, "copies free", NULL},
    {"communication", false, VALUE_FACTOR, BIT(TP_PATH_COMMUNICATION), 0, 0, "communication free", NULL},
    {"overlap", false, VALUE_NONE, BIT(TP_PATH_COMMUNICATION), 0, 0, "communication wholly hidden", NULL},
    {"input", false, VALUE_FACTOR, BIT(TP_PATH_INPUT), BIT(TP_EDGE_ARRIVAL), 0, "data loading free", NULL},
    {"waits", false, VALUE_ZERO, BIT(TP_PATH_WAIT), BIT(TP_EDGE_WAIT), 0, "no call waits for the device", NULL},
    {"wait", true, VALUE_NONE, 0, 0, 0, "no wait in ", NULL},
    {"gpu", true, VALUE_DEVICE, BIT(TP_PATH_COMPUTE), 0, 0, NULL, NULL},
};

/* A change text, divided at its first colon and its last equal sign. ptr NULL: the part is absent. */
struct spelled {
    struct tp_str whole, word, name, value;
};

void tp_change_init(struct tp_what_if_change *change)
{
    *change = (struct tp_what_if_change){
        .name = TP_STR("none"), .text = TP_STR("nothing changed"), .operator_name = TP_NO_ID};
}

static struct spelled divide(struct tp_str text)
{
    struct spelled s = {.whole = text, .word = text};
    for (size_t i = text.len; i-- > 0 && !s.value.ptr;)
        if (text.ptr[i] == '=') {
            s.value = (struct tp_str){text.ptr + i + 1, text.len - i - 1};
            s.word.len = i;
        }
    const char *colon = s.word.len ? memchr(s.word.ptr, ':', s.word.len) : NULL;
    if (colon) {
        s.name = (struct tp_str){colon + 1, s.word.len - (size_t)(colon - s.word.ptr) - 1};
        s.word.len = (size_t)(colon - s.word.ptr);
    }
    return s;
}

/* Reads digits, at most nine. Returns false if there is another letter or no digit. */
static bool read_digits(struct tp_str text, int64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        *number = *number * 10 + (text.ptr[i] - '0');
    }
    return text.len > 0 && text.len <= 9;
}

/* Reads "a/b" or a decimal number. */
static bool read_factor(struct tp_str text, struct tp_fraction *factor)
{
    char digits[20];
    const char *slash = text.len ? memchr(text.ptr, '/', text.len) : NULL;
    if (slash) {
        size_t n = (size_t)(slash - text.ptr);
        return read_digits((struct tp_str){text.ptr, n}, &factor->num) &&
               read_digits((struct tp_str){slash + 1, text.len - n - 1}, &factor->den) && factor->den > 0;
    }
    const char *dot = text.len ? memchr(text.ptr, '.', text.len) : NULL;
    size_t whole = dot ? (size_t)(dot - text.ptr) : text.len, after = dot ? text.len - whole - 1 : 0;
    if (!text.len || whole + after > 9 || (dot && whole + after == 0))
        return false;
    memcpy(digits, text.ptr, whole);
    memcpy(digits + whole, dot ? dot + 1 : "", after);
    factor->den = 1;
    for (size_t i = 0; i < after; i++)
        factor->den *= 10;
    return read_digits((struct tp_str){digits, whole + after}, &factor->num);
}

static void make_text(struct tp_what_if_change *change, const struct form *form, const struct spelled *s,
                      struct tp_arena *arena)
{
    struct tp_buf buf;
    tp_buf_init(&buf, 0);
    if (form->value == VALUE_DEVICE) {
        tp_buf_printf(&buf, "on a %.*s instead of a %.*s", (int)s->value.len, s->value.ptr, (int)s->name.len,
                      s->name.ptr);
    } else {
        tp_buf_puts(&buf, form->before);
        tp_buf_add(&buf, s->name.ptr, s->name.len);
        if (form->between) {
            tp_buf_puts(&buf, form->between);
            tp_buf_add(&buf, s->value.ptr, s->value.len);
        }
    }
    size_t size = buf.size;
    change->text = (struct tp_str){tp_buf_move(&buf, arena), size};
    change->name = (struct tp_str){tp_arena_copy(arena, s->whole.ptr, s->whole.len), s->whole.len};
}

static struct tp_fraction *factors_of_labels(const struct tp_replay_graph *graph, struct tp_arena *arena)
{
    struct tp_fraction *factors = tp_arena_array(arena, graph->label_count, sizeof *factors);
    for (uint32_t i = 0; i < graph->label_count; i++)
        factors[i] = (struct tp_fraction){1, 1};
    return factors;
}

/* Sets the factor of all labels of the kinds, or only of those with the name. Returns the number of labels. */
static uint32_t set_factors(struct tp_what_if_change *change, const struct tp_replay_graph *graph, unsigned kinds,
                            const struct tp_str *name, struct tp_fraction factor)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < graph->label_count; i++)
        if (kinds & BIT(graph->labels[i].kind) && (!name || tp_str_equal(graph->labels[i].name, *name))) {
            change->of_label[i] = factor;
            found++;
        }
    return found;
}

void tp_change_without_waits(struct tp_what_if_change *change, const struct tp_replay_graph *graph,
                             const uint32_t *events, uint32_t count, struct tp_arena *arena)
{
    struct tp_id_map calls;
    tp_id_map_init(&calls, arena);
    for (uint32_t i = 0; i < count; i++)
        *tp_id_map_find_or_add(&calls, events[i]) = 1;
    change->without_wait = tp_arena_array(arena, graph->node_count, sizeof *change->without_wait);
    for (uint32_t i = 0; i < graph->wake_count; i++) {
        uint32_t wake = graph->wakes[i];
        if (tp_id_map_find(&calls, graph->nodes[wake].event))
            change->without_wait[wake] = change->without_wait[wake - 1] = true;
    }
    tp_id_map_release(&calls);
}

/* Makes "wait:CALL" or "wait:CALL LINE". Returns false if no such call waits. */
static bool parse_wait(struct tp_what_if_change *change, const struct tp_replay_graph *graph, struct tp_str name,
                       struct tp_arena *arena)
{
    const struct tp_model *model = graph->model;
    struct tp_vec events = TP_VEC(arena, uint32_t);
    for (uint32_t i = 0; i < graph->waiting_count; i++) {
        uint32_t event = graph->waiting_events[i];
        struct tp_str call = tp_trace_event_name(model->trace, &model->trace->events[event]);
        if (name.len < call.len || memcmp(name.ptr, call.ptr, call.len) != 0)
            continue;
        struct tp_str rest = {name.ptr + call.len, name.len - call.len};
        struct tp_str line = tp_change_place_of_wait(graph, event);
        if (!rest.len || (rest.ptr[0] == ' ' && tp_str_equal((struct tp_str){rest.ptr + 1, rest.len - 1}, line)))
            *(uint32_t *)tp_vec_push(&events) = event;
    }
    tp_change_without_waits(change, graph, events.data, (uint32_t)events.count, arena);
    return events.count > 0;
}

/* Kernels of at most this length, ns, depend on the latency of the device, not on its peaks. */
enum { SHORT_NS = 5000 };

/* Sets the factor of each kernel to change->tensor or change->memory. */
static void set_device_factors(struct tp_what_if_change *change, const struct tp_replay_graph *graph,
                               struct tp_arena *arena)
{
    const struct tp_model *model = graph->model;
    change->of_node = tp_arena_array(arena, graph->node_count, sizeof *change->of_node);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        uint32_t node = graph->first_device + k;
        if (graph->nodes[node].kind == TP_NODE_COMPUTE && e->dur_ns >= SHORT_NS)
            change->of_node[node] = model->marks[e->name] & TP_MARK_TC_YES ? change->tensor : change->memory;
    }
}

static int parse_device(struct tp_what_if_change *change, const struct tp_replay_graph *graph, const struct spelled *s,
                        const struct tp_change_source *source, struct tp_error *err)
{
    struct tp_device_rates old = {0, 0}, new = {0, 0};
    bool has_old = source->rates && source->rates(s->name, &old),
         has_new = source->rates && source->rates(s->value, &new);
    if (!has_old || !has_new)
        return tp_error_set(err, TP_EUSAGE, 0,
                            "no peak rates are known for the device '%.*s'; write gpu:A100=H100, for example",
                            (int)(has_old ? s->value : s->name).len, (has_old ? s->value : s->name).ptr);
    change->tensor = (struct tp_fraction){old.tflops, new.tflops};
    change->memory = (struct tp_fraction){old.memory_gb_s, new.memory_gb_s};
    if (!change->tensor.num || !change->tensor.den || !change->memory.num || !change->memory.den)
        return tp_error_set(err, TP_EUSAGE, 0, "a peak rate of one of the devices is not published");
    change->is_unsure = true;
    set_device_factors(change, graph, source->arena);
    return 0;
}

static int refuse(struct tp_error *err, const struct spelled *s, const char *why)
{
    return tp_error_set(err, TP_EUSAGE, 0, "'%.*s': %s", (int)(s->whole.len < 120 ? s->whole.len : 120), s->whole.ptr,
                        why);
}

static const struct form *find_form(const struct spelled *s)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (tp_str_equal(s->word, tp_str_of(forms[i].word)) && forms[i].has_name == (s->name.ptr != NULL))
            return &forms[i];
    return NULL;
}

/* Sets what a form with a factor changes. */
static int apply_factor(struct tp_what_if_change *change, const struct tp_replay_graph *graph, const struct form *form,
                        const struct spelled *s, struct tp_error *err)
{
    struct tp_fraction factor = {0, 1};
    unsigned kinds = form->kinds;
    if (form->value == VALUE_FACTOR && !read_factor(s->value, &factor))
        return refuse(err, s, "write a factor after '=', such as 0, 0.8 or 1/2");
    if (form->value == VALUE_ZERO && !tp_str_equal(s->value, TP_STR("0")))
        return refuse(err, s, "write 0 after '=', because this change has no other value");
    bool is_kind = strcmp(form->word, "kind") == 0;
    for (unsigned kind = 0; is_kind && kind < TP_PATH_KINDS; kind++)
        if (tp_str_equal(s->name, tp_str_of(tp_path_kind_text((enum tp_path_kind)kind))))
            kinds = BIT(kind);
    if (!kinds)
        return refuse(err, s, "write a kind such as compute, communication, copy, operator or python");
    uint32_t found = set_factors(change, graph, kinds, form->has_name && !is_kind ? &s->name : NULL, factor);
    if (!found && form->has_name && !is_kind)
        return refuse(err, s,
                      "the trace has no such name; `tracepress table` lists the names of kernels and operators");
    return 0;
}

int tp_change_parse(struct tp_what_if_change *change, const struct tp_replay_graph *graph, struct tp_str text,
                    const struct tp_change_source *source, struct tp_error *err)
{
    struct tp_arena *arena = source->arena;
    struct spelled s = divide(text);
    const struct form *form = find_form(&s);
    tp_change_init(change);
    if (tp_str_equal(s.word, TP_STR("rank")) && s.name.ptr)
        return refuse(err, &s,
                      "this change compares ranks; `tracepress whatif FOLDER` joins the traces of several ranks");
    if (!form)
        return refuse(err, &s, "unknown change; `tracepress whatif --help` lists the changes");
    if ((form->value != VALUE_NONE) != (s.value.ptr != NULL) && strcmp(form->word, "wait") != 0)
        return refuse(err, &s, form->value == VALUE_NONE ? "write this change without '='" : "write a value after '='");
    make_text(change, form, &s, arena);
    change->of_label = factors_of_labels(graph, arena);
    change->dropped = form->dropped;
    change->prompt = form->prompt;
    change->hides_communication = strcmp(form->word, "overlap") == 0;
    change->frees_communication = change->hides_communication || tp_str_equal(text, TP_STR("communication=0"));
    if (form->value == VALUE_DEVICE)
        return parse_device(change, graph, &s, source, err);
    if (strcmp(form->word, "wait") == 0)
        return parse_wait(change, graph, s.name, arena) ? 0 : refuse(err, &s, "no such call waits for the device");
    int code = apply_factor(change, graph, form, &s, err);
    if (!code && strcmp(form->word, "operator") == 0) {
        change->operator_name = tp_strings_find(&graph->model->trace->names, s.name);
        read_factor(s.value, &change->more);
    }
    return code;
}

void tp_change_least(struct tp_what_if_change *out, const struct tp_what_if_change *change,
                     const struct tp_replay_graph *graph, struct tp_arena *arena)
{
    *out = *change;
    /* x.num / x.den > y.num / y.den */
    bool is_memory = change->memory.num * change->tensor.den > change->tensor.num * change->memory.den;
    out->tensor = out->memory = is_memory ? change->memory : change->tensor;
    set_device_factors(out, graph, arena);
}
