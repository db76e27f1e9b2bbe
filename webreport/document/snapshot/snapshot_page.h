/* Declares the parts of the page of a memory snapshot. snapshot_document.c calls them in the order of the page. */
#ifndef TP_WEBREPORT_DOCUMENT_SNAPSHOT_SNAPSHOT_PAGE_H
#define TP_WEBREPORT_DOCUMENT_SNAPSHOT_SNAPSHOT_PAGE_H

#include "webreport/document/block.h"
#include "webreport/document/looks.h"
#include "webreport/document/name_text.h"
#include "webreport/measure/snapshot/trace_join.h"

/* The page of one device. */
struct tp_snapshot_page {
    struct tp_document *document;
    struct tp_arena *arena;
    const struct tp_snapshot_result *result; /* NULL: a memory timeline, which has only allocated bytes */
    const struct tp_snapshot_device *device;
    struct tp_naming naming;
    /* on the first page of several snapshots: name of the rank in the headline, such as "rank 3", and a sentence about
     * all ranks below the headline; NULL on other pages */
    const char *rank, *about_ranks;
    const struct tp_trace_join *join; /* join with a trace on the same page; NULL without one */
};

/* Returns the last out-of-memory event, at which the page shows the live blocks; NULL if none exists. */
static inline const struct tp_snapshot_oom *tp_snapshot_page_oom(const struct tp_snapshot_page *page)
{
    return page->device->oom_count ? &page->device->ooms[page->device->oom_count - 1] : NULL;
}

/* Returns the live blocks that the page shows: those at the last out-of-memory event, or those at the peak. */
static inline const struct tp_live_by *tp_snapshot_page_live(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_oom *oom = tp_snapshot_page_oom(page);
    return oom ? &oom->live_by : &page->device->peak.live_by;
}

/* What the headline is about. */
enum tp_snapshot_topic {
    TP_TOPIC_CATEGORY,   /* the largest category of live blocks */
    TP_TOPIC_FREE_PARTS, /* free memory in the cache, which is in parts that are too small */
    TP_TOPIC_FREE_GPU,   /* free memory of the GPU, which the process may not use */
    TP_TOPIC_GROWTH      /* the line whose memory grows most */
};
enum tp_snapshot_topic tp_snapshot_page_topic(const struct tp_snapshot_page *page);

/* Color of memory that a problem wastes. */
#define TP_LOOK_WASTED TP_LOOK_HOST

/* Returns the color of a category of memory. */
enum tp_look tp_snapshot_category_look(struct tp_str category);

/* Returns bytes as text, such as "1.03 GiB". */
const char *tp_snapshot_page_bytes(const struct tp_snapshot_page *page, uint64_t bytes);

/* Returns a line "file(line): function" as "function (file:line)"; a site without a line as it is. */
const char *tp_snapshot_page_place(const struct tp_snapshot_page *page, struct tp_str line);

/* Several snapshots: most pages of devices in one document. */
enum { TP_SNAPSHOT_PAGES = 16 };

/* Returns the name of a row, such as "Rank 3", "Rank 3, GPU 1" or the name of its file. */
const char *tp_snapshot_rank_name(const struct tp_snapshot_page *page, const struct tp_snapshot_rank *row);

/* Returns the rows: those with out-of-memory events first, then the largest peaks. */
const struct tp_snapshot_rank **tp_snapshot_ranks_by_gravity(const struct tp_snapshot_rank *rows, size_t count,
                                                             struct tp_arena *arena);

/* The rows of several snapshots, and those that have their own page. */
struct tp_snapshot_ranks {
    const struct tp_snapshot_rank *rows;
    size_t count;
    const struct tp_snapshot_rank **by_gravity; /* tp_snapshot_ranks_by_gravity */
    const bool *has_page;                       /* for each row */
    const struct tp_vec *failed; /* snapshots that could not be used; elements: struct tp_snapshot_failure */
};

/* Adds the first page of several snapshots. Sets the device of `page` to that of the gravest rank. */
void tp_snapshot_page_put_ranks(struct tp_snapshot_page *page, const struct tp_snapshot_ranks *ranks);

/* Adds the headline, the sentences below it, and the figures. */
void tp_snapshot_page_put_answer(const struct tp_snapshot_page *page);
/* Adds the bar of the reserved memory by category. */
void tp_snapshot_page_put_bar(const struct tp_snapshot_page *page);
/* Adds the curve by category. */
void tp_snapshot_page_put_curve(const struct tp_snapshot_page *page);
/* Adds the findings as actions. */
void tp_snapshot_page_put_actions(const struct tp_snapshot_page *page);
/* Adds the sections below the first screen. */
void tp_snapshot_page_put_live(const struct tp_snapshot_page *page);
void tp_snapshot_page_put_free_memory(const struct tp_snapshot_page *page);
void tp_snapshot_page_put_growth(const struct tp_snapshot_page *page);
void tp_snapshot_page_put_churn(const struct tp_snapshot_page *page);
void tp_snapshot_page_put_details(const struct tp_snapshot_page *page);
/* Adds the section about the trace, with the proof that both files are of one run. page->join must be set. */
void tp_snapshot_page_put_join(const struct tp_snapshot_page *page);
/* Returns words about the trace for the title of the page, such as ", in step 6 of the trace". */
const char *tp_snapshot_join_summary(const struct tp_snapshot_page *page);

/* Returns the boxes of the live blocks by stack, for the template "icicle"; kind NONE without stacks. */
struct tp_data tp_snapshot_icicle(const struct tp_snapshot_page *page);
/* Returns the segments with their blocks, for the template "address_map"; kind NONE without segments. */
struct tp_data tp_snapshot_address_map(const struct tp_snapshot_page *page);

#endif
