/* json_fields: prints docs/report-json.md, which lists the members of the report's JSON, from the tables of fields that
 * write it. Exits with 1 if a member has no definition. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/result/profile.h"

enum { MAX_RECORDS = 100 };

/* Records in the order in which they were found. */
static const struct tp_fields *records[MAX_RECORDS];
static unsigned record_count;

static void find(const struct tp_fields *fields)
{
    if (!fields)
        return;
    for (unsigned i = 0; i < record_count; i++)
        if (records[i] == fields)
            return;
    if (record_count == MAX_RECORDS)
        return;
    records[record_count++] = fields;
    for (unsigned i = 0; i < fields->count; i++)
        find(fields->items[i].fields);
}

static const char *type_text(enum tp_json_type type)
{
    static const char *const texts[] = {
        [TP_AS_INT] = "integer",
        [TP_AS_US] = "microseconds",
        [TP_AS_REAL] = "number",
        [TP_AS_BOOL] = "boolean",
        [TP_AS_TEXT] = "text",
        [TP_AS_WORD] = "word",
        [TP_AS_TABLE] = "table",
        [TP_AS_CELLS] = "rows of cells",
        [TP_AS_COLUMNS] = "list of names",
        [TP_AS_ROW] = "columns of a row",
        [TP_AS_RECORD] = "object",
        [TP_AS_RECORDS] = "list of objects",
        [TP_AS_EACH_ROW] = "list of objects",
        [TP_AS_ARRAY] = "list",
        [TP_AS_LIST] = "list",
        [TP_AS_MAP] = "object by key",
        [TP_AS_JSON] = "any",
        [TP_AS_ABSENT] = NULL,
    };
    return texts[type] ? texts[type] : "any";
}

/* Prints a link to the section of a record. The anchor is that which GitHub makes of its title. */
static void print_link(const struct tp_fields *fields)
{
    printf(": [%s](#", fields->name);
    for (const char *c = fields->name; *c; c++)
        if (isalnum((unsigned char)*c) || *c == ' ' || *c == '-')
            putchar(*c == ' ' ? '-' : tolower((unsigned char)*c));
    printf(")");
}

/* Prints a member of a record. Returns whether it lacks a definition. */
static bool print_field(const struct tp_json_field *field)
{
    if (!field->name && field->type == TP_AS_RECORD)
        printf("| | all members");
    else if (!field->name)
        printf("| | cells of a row of its table");
    else
        printf("| `%s` | %s", field->name, type_text(field->type));
    if (field->fields)
        print_link(field->fields);
    printf(" | %s", field->definition ? field->definition : "");
    if (field->flag)
        printf("%s", field->is_null_without_flag ? "; can be null" : "; can be absent");
    printf(" |\n");
    return field->name && !field->definition;
}

int main(void)
{
    unsigned without_definition = 0;
    printf("# The report's JSON\n\n"
           "Members of one profile in the file that `tracepress report --json FILE` writes, and of the ranks of a run\n"
           "(`distributed`). The program writes the file from the same tables as this page. The unit is the last word "
           "of a\n"
           "name; a *table* is a list of rows whose columns [definitions](definitions.md) explains.\n"
           "After a change of a table: `make BUILD/json_fields && BUILD/json_fields >docs/report-json.md`.\n");
    find(&tp_profile_fields);
    find(&tp_distributed_fields);
    for (unsigned i = 0; i < record_count; i++) {
        printf("\n## %s\n\n| member | type | meaning |\n|---|---|---|\n", records[i]->name);
        for (unsigned k = 0; k < records[i]->count; k++)
            without_definition += print_field(&records[i]->items[k]);
    }
    return fflush(stdout) != 0 || without_definition;
}
