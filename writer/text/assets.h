/* Gives access to the files of templates/, which are built into the program. A file of the same name in the folder of
 * --templates replaces a built-in file. */
#ifndef TP_WRITER_TEXT_ASSETS_H
#define TP_WRITER_TEXT_ASSETS_H

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

struct tp_assets {
    struct tp_arena *arena; /* arena for texts that are read from the folder */
    const char *folder;     /* folder with replacements; NULL: only built-in texts are used */
};

/* Initializes *assets. folder: borrowed, may be NULL. */
void tp_assets_init(struct tp_assets *assets, struct tp_arena *arena, const char *folder);

/* Sets *text to the contents of the file `name` ("report.css", "help/report.txt"), from the folder if the file exists
 * there, otherwise built-in. *text is valid as long as the arena. Returns 0, TP_ENOTFOUND, TP_EIO if an existing file
 * cannot be read, or TP_ELIMIT above 1 MiB. */
int tp_assets_get(const struct tp_assets *assets, struct tp_str name, struct tp_str *text, struct tp_error *err);

/* Loads a part of a template, as a tp_template_load: {{> overview}} is the file "overview.html" without indentation.
 * assets: a const struct tp_assets *. */
int tp_assets_load(void *assets, struct tp_str name, struct tp_str *text, struct tp_error *err);

/* Returns the name of the built-in file with this index. Names are in byte order. After the last file, the result has
 * ptr NULL. */
struct tp_str tp_assets_name(size_t index);

#endif
