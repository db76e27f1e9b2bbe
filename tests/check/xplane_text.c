/* xplane_text FILE [EVENTS]: prints an XSpace as text, using the generated reader. Prints planes, lines, and the first
 * EVENTS events of each line (default 0) with their stats. Also prints for each line the number of events and their
 * total duration. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "writer/proto/xplane.pb-c.h"

static void print_bytes(ProtobufCBinaryData bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        if (bytes.data[i] == '\n')
            fputs("\\n", stdout);
        else
            putchar(bytes.data[i]);
}

static void print_text(const Tp__XPlane *plane, uint64_t id)
{
    for (size_t i = 0; i < plane->n_stat_metadata; i++)
        if ((uint64_t)plane->stat_metadata[i]->key == id) {
            print_bytes(plane->stat_metadata[i]->value->name);
            return;
        }
    fputs("NO SUCH TEXT", stdout);
}

static void print_stat(const Tp__XPlane *plane, const Tp__XStat *stat)
{
    putchar(' ');
    print_text(plane, (uint64_t)stat->metadata_id);
    putchar('=');
    if (stat->value_case == TP__XSTAT__VALUE_INT64_VALUE)
        printf("%" PRId64, stat->int64_value);
    else if (stat->value_case == TP__XSTAT__VALUE_UINT64_VALUE)
        printf("%" PRIu64 "u", stat->uint64_value);
    else if (stat->value_case == TP__XSTAT__VALUE_DOUBLE_VALUE)
        printf("%g", stat->double_value);
    else
        print_text(plane, stat->ref_value);
}

static void print_event(const Tp__XPlane *plane, const Tp__XEvent *event)
{
    printf("    %" PRId64 " +%" PRId64 " ps ", event->offset_ps, event->duration_ps);
    for (size_t i = 0; i < plane->n_event_metadata; i++) {
        const Tp__XEventMetadata *value = plane->event_metadata[i]->value;
        if (plane->event_metadata[i]->key != event->metadata_id)
            continue;
        print_bytes(value->name);
        if (value->display_name.len) {
            fputs(" [", stdout);
            print_bytes(value->display_name);
            putchar(']');
        }
    }
    for (size_t i = 0; i < event->n_stats; i++)
        print_stat(plane, event->stats[i]);
    putchar('\n');
}

/* Returns whether events are sorted by start. */
static int is_in_order(const Tp__XLine *line)
{
    for (size_t i = 1; i < line->n_events; i++)
        if (line->events[i]->offset_ps < line->events[i - 1]->offset_ps)
            return 0;
    return 1;
}

static void print_line(const Tp__XPlane *plane, const Tp__XLine *line, size_t most)
{
    int64_t total = 0;
    for (size_t i = 0; i < line->n_events; i++)
        total += line->events[i]->duration_ps;
    printf("  line %" PRId64 " ", line->id);
    print_bytes(line->name);
    printf(": %zu events, %" PRId64 " ps%s\n", line->n_events, total, is_in_order(line) ? "" : ", NOT IN ORDER");
    for (size_t i = 0; i < line->n_events && i < most; i++)
        print_event(plane, line->events[i]);
}

static void print_plane(const Tp__XPlane *plane, size_t most)
{
    printf("plane %" PRId64 " ", plane->id);
    print_bytes(plane->name);
    for (size_t i = 0; i < plane->n_stats; i++)
        print_stat(plane, plane->stats[i]);
    putchar('\n');
    for (size_t i = 0; i < plane->n_lines; i++)
        print_line(plane, plane->lines[i], most);
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    size_t capacity = 0;
    *size = 0;
    while (file && !feof(file) && !ferror(file)) {
        if (*size == capacity) {
            uint8_t *larger = realloc(bytes, capacity = capacity * 2 + 65536);
            if (!larger)
                break;
            bytes = larger;
        }
        *size += fread(bytes + *size, 1, capacity - *size, file);
    }
    if (file)
        fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    size_t size = 0, most = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 0;
    uint8_t *bytes = argc > 1 ? read_file(argv[1], &size) : NULL;
    Tp__XSpace *space = bytes ? tp__xspace__unpack(NULL, size, bytes) : NULL;
    if (!space) {
        fprintf(stderr, "xplane_text: cannot read it\n");
        free(bytes);
        return 1;
    }
    for (size_t i = 0; i < space->n_hostnames; i++) {
        fputs("host ", stdout);
        print_bytes(space->hostnames[i]);
        putchar('\n');
    }
    for (size_t i = 0; i < space->n_warnings; i++) {
        fputs("warning ", stdout);
        print_bytes(space->warnings[i]);
        putchar('\n');
    }
    for (size_t i = 0; i < space->n_planes; i++)
        print_plane(space->planes[i], most);
    tp__xspace__free_unpacked(space, NULL);
    free(bytes);
    return 0;
}
