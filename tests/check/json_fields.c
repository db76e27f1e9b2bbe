/* json_fields [python]: prints docs/report-json.md, which lists the members of the report's JSON, from the tables of
 * fields that write it. With "python", prints python/torch_tracepress/_fields.py, which has a class for findings and a
 * class for their events. Exits with 1 if a member has no definition. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/result/profile.h"

enum { MAX_RECORDS = 100 };

/* Descriptions of the JSON records, in the order in which they were found. */
static const struct tp_fields *records[MAX_RECORDS];
static unsigned record_count;

static void add_record_and_inner_records(const struct tp_fields *fields)
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
        add_record_and_inner_records(fields->items[i].fields);
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

/* Prints a link to the section of a record. The anchor has the form that GitHub derives from the title. */
static void print_link_to_record(const struct tp_fields *fields)
{
    printf(": [%s](#", fields->name);
    for (const char *c = fields->name; *c; c++)
        if (isalnum((unsigned char)*c) || *c == ' ' || *c == '-')
            putchar(*c == ' ' ? '-' : tolower((unsigned char)*c));
    printf(")");
}

/* Prints a member of a record. Returns true if the member has no definition. */
static bool print_field(const struct tp_json_field *field)
{
    if (!field->name && field->type == TP_AS_RECORD)
        printf("| | all members of this section");
    else if (!field->name)
        printf("| | one member for each column of the table row (see [definitions](definitions.md))");
    else
        printf("| `%s` | %s", field->name, type_text(field->type));
    if (field->fields)
        print_link_to_record(field->fields);
    printf(" | %s", field->definition ? field->definition : "");
    if (field->flag)
        printf("%s", field->is_null_without_flag ? "; can be null" : "; can be absent");
    printf(" |\n");
    return field->name && !field->definition;
}

static unsigned print_page(void)
{
    unsigned without_definition = 0;
    printf(
        "# The report's JSON\n\n"
        "This page lists the members of a profile in the file that `tracepress report --json FILE` writes. The page\n"
        "also lists the members of `distributed`, which describes the ranks of a run. The last word of a member's\n"
        "name gives the unit of the value, such as `us` in `window_us`. A member of the type *table* is a list of\n"
        "rows, whose columns [definitions](definitions.md) explains. `tests/check/json_fields.c` prints this page\n"
        "from the C tables that also define the file. To update this page after a change of these C tables, run\n"
        "`make BUILD/json_fields && BUILD/json_fields >docs/report-json.md`.\n");
    add_record_and_inner_records(&tp_profile_fields);
    add_record_and_inner_records(&tp_distributed_fields);
    for (unsigned i = 0; i < record_count; i++) {
        printf("\n## %s\n\n| member | type | meaning |\n|---|---|---|\n", records[i]->name);
        for (unsigned k = 0; k < records[i]->count; k++)
            without_definition += print_field(&records[i]->items[k]);
    }
    return without_definition;
}

/* ---- Python ---- */

/* How Python reads a member. */
struct python_type {
    const char *type;
    /* Python text after the expression that reads the member; it supplies the value of an absent member */
    const char *otherwise;
};

static struct python_type find_python_type(const struct tp_json_field *field)
{
    switch (field->type) {
    case TP_AS_INT:
        return (struct python_type){"int", " or 0"};
    case TP_AS_BOOL:
        return (struct python_type){"bool", " or False"};
    case TP_AS_US:
    case TP_AS_REAL:
        return (struct python_type){"Optional[float]", ""};
    default:
        return field->is_optional ? (struct python_type){"Optional[str]", ""} : (struct python_type){"str", " or \"\""};
    }
}

/* Returns the name of the Python class for a record in a finding. */
static const char *python_class(const struct tp_fields *fields)
{
    return strcmp(fields->name, "An event that a finding is about") == 0 ? "Evidence" : "Replay";
}

static void print_python_attribute(const struct tp_json_field *field)
{
    if (field->type == TP_AS_RECORDS)
        printf("    %s: Tuple[%s, ...]\n", field->name, python_class(field->fields));
    else if (field->type == TP_AS_RECORD)
        printf("    %s: Optional[%s]\n", field->name, python_class(field->fields));
    else if (field->type == TP_AS_ARRAY)
        printf("    %s: Tuple[str, ...]\n", field->name);
    else
        printf("    %s: %s\n", field->name, find_python_type(field).type);
}

static void print_python_member_reader(const struct tp_json_field *field)
{
    const char *class = field->fields ? python_class(field->fields) : "";
    printf("            \"%s\": ", field->name);
    if (field->type == TP_AS_RECORDS)
        printf("tuple(%s(**%s._members(item)) for item in row.get(\"%s\") or ()),\n", class, class, field->name);
    else if (field->type == TP_AS_RECORD)
        printf("%s(**%s._members(row[\"%s\"])) if row.get(\"%s\") else None,\n", class, class, field->name,
               field->name);
    else if (field->type == TP_AS_ARRAY)
        printf("tuple(row.get(\"%s\") or ()),\n", field->name);
    else
        printf("row.get(\"%s\")%s,\n", field->name, find_python_type(field).otherwise);
}

/* Prints a class with one attribute for each member. */
static void print_class(const char *name, const struct tp_fields *fields)
{
    printf("\n\n@dataclass(frozen=True)\nclass %s:\n    \"\"\"%s.\n\n", name, fields->name);
    for (unsigned i = 0; i < fields->count; i++)
        printf("    %s: %s\n", fields->items[i].name, fields->items[i].definition);
    printf("    \"\"\"\n\n");
    for (unsigned i = 0; i < fields->count; i++)
        print_python_attribute(&fields->items[i]);
    printf("\n    @staticmethod\n    def _members(row: Mapping[str, Any]) -> Dict[str, Any]:\n        return {\n");
    for (unsigned i = 0; i < fields->count; i++)
        print_python_member_reader(&fields->items[i]);
    printf("        }\n");
}

static unsigned print_python(void)
{
    unsigned without_definition = 0;
    add_record_and_inner_records(&tp_finding_fields);
    for (unsigned i = 0; i < record_count; i++)
        for (unsigned k = 0; k < records[i]->count; k++)
            without_definition += !records[i]->items[k].definition;
    if (without_definition || record_count != 3)
        return 1;
    printf("\"\"\"Findings in the report's JSON and their events, with one attribute for each member.\n\n"
           "Generated from the tables that write the JSON. After a change of a table:\n"
           "`make BUILD/json_fields && BUILD/json_fields python >python/torch_tracepress/_fields.py`. A member has\n"
           "the value None if it is null or absent in the JSON.\n\"\"\"\n\n"
           "from __future__ import annotations\n\n"
           "from dataclasses import dataclass\n"
           "from typing import Any, Dict, Mapping, Optional, Tuple\n");
    for (unsigned i = 1; i < record_count; i++)
        print_class(python_class(records[i]), records[i]);
    print_class("FindingFields", records[0]);
    return 0;
}

int main(int argc, char **argv)
{
    bool is_python = argc == 2 && strcmp(argv[1], "python") == 0;
    unsigned without_definition = is_python ? print_python() : print_page();
    return fflush(stdout) != 0 || without_definition;
}
