/* Matches the rows of both sides. See matching.h.
 *
 * Rows without an equal row on the other side are grouped, and paired inside their group. Each pass groups rows by
 * their identity without one property (shape, line or name). Only the MAX_GROUP costliest rows of a group and side are
 * compared, so that a hostile file cannot make the search slow. */
#include "webreport/compare/two/matching.h"

#include <math.h>

#include "webreport/compare/two/left_out.h"
#include "webreport/trace/frame_pairs.h"
#include "webreport/trace/input_facts.h"
#include "writer/base/sort.h"

enum { MAX_GROUP = 256, MAX_NAME = 512 };
static const double LEAST_LIKENESS = 0.45; /* smallest similarity of two kernel names that are matched */

const char *tp_match_name(enum tp_match_kind kind)
{
    static const char *const names[TP_MATCH_COUNT] = {"same",    "new",   "removed", "reshaped", "moved",
                                                      "renamed", "fused", "split",   "replaced"};
    return names[kind];
}

/* ---- similarity of names ---- */

static unsigned lower_case_letter(struct tp_str text, size_t i)
{
    unsigned char c = (unsigned char)text.ptr[i];
    return c >= 'A' && c <= 'Z' ? c + 32u : c;
}

double tp_name_similarity(struct tp_str a, struct tp_str b)
{
    enum { PAIRS = 1 << 12 };
    uint16_t seen[PAIRS] = {0}; /* number of occurrences of each pair of letters in `a`, by the hash of the pair */
    size_t common = 0;
    if (a.len > MAX_NAME)
        a.len = MAX_NAME;
    if (b.len > MAX_NAME)
        b.len = MAX_NAME;
    if (a.len < 2 || b.len < 2)
        return tp_str_equal(a, b);
    for (size_t i = 0; i + 1 < a.len; i++)
        seen[(lower_case_letter(a, i) * 61 + lower_case_letter(a, i + 1)) % PAIRS]++;
    for (size_t i = 0; i + 1 < b.len; i++) {
        uint16_t *left = &seen[(lower_case_letter(b, i) * 61 + lower_case_letter(b, i + 1)) % PAIRS];
        common += *left > 0;
        *left = (uint16_t)(*left - (*left > 0));
    }
    return 2.0 * (double)common / (double)(a.len + b.len - 2);
}

/* ---- groups of rows without an equal row ---- */

/* A row without a partner on the other side. */
struct unmatched {
    uint32_t identity, group;
    int side;
    double ns;
    int32_t line; /* source line of a synchronisation */
};

struct matcher {
    const struct tp_sides *sides;
    const struct tp_replaced *replaced;
    struct tp_arena *arena;
    struct tp_vec matches; /* elements: struct tp_match */
    uint32_t kernel_count; /* number of sums of replaced kernels so far */
    struct unmatched *unmatched;
    size_t unmatched_count;
    struct tp_strings texts; /* places in the source code, without their line numbers */
    uint32_t unknown;        /* TP_UNKNOWN_SHAPES and TP_UNKNOWN_DTYPES if only one side shows them */
    bool has_no_owners;      /* true: only one side shows which operator launched a kernel */
};

static double row_time(const struct tp_sides *sides, int side, uint32_t identity)
{
    return tp_sides_row(sides, side, identity)->ns;
}

static uint32_t *single_item_list(struct tp_arena *arena, uint32_t identity)
{
    uint32_t *list = tp_arena_alloc(arena, sizeof *list);
    *list = identity;
    return list;
}

static struct tp_match *add_match(struct matcher *m, enum tp_match_kind kind, uint32_t base, uint32_t new_identity)
{
    const uint32_t members[TP_SIDES] = {base, new_identity};
    struct tp_match *match = tp_vec_push(&m->matches);
    *match = (struct tp_match){.kind = kind};
    for (int s = 0; s < TP_SIDES; s++)
        if (members[s] != TP_NO_ID) {
            match->members[s] = single_item_list(m->arena, members[s]);
            match->member_count[s] = 1;
        }
    return match;
}

/* Passes in the order in which they run. Each pass groups rows by other properties of their identity. */
enum pass { PASS_UNKNOWN_SHAPE, PASS_REPLACED, PASS_SHAPE, PASS_NAME_IN_SHAPE, PASS_NAME };

static bool has_owner_of_kind(enum tp_summary_kind kind)
{
    return kind == TP_SUMMARY_KERNEL || kind == TP_SUMMARY_COPY || kind == TP_SUMMARY_SYNC;
}

/* Returns true if the row's operator has another name, or none, on the other side. */
static bool has_unknown_owner(const struct matcher *m, const uint32_t *identity)
{
    struct tp_str owner = tp_strings_get(&m->sides->texts, identity[2]);
    return has_owner_of_kind((enum tp_summary_kind)identity[0]) &&
           (m->has_no_owners || tp_left_out_has_name(m->sides, owner));
}

/* Returns true if the row has a shape, a type, an operator or a place that the other side cannot show. */
static bool has_unknown_shape(const struct matcher *m, const uint32_t *identity)
{
    enum tp_summary_kind kind = (enum tp_summary_kind)identity[0];
    bool has_place = kind == TP_SUMMARY_SYNC && (m->sides->left_out & TP_UNKNOWN_STACKS);
    return has_unknown_owner(m, identity) || has_place ||
           (m->unknown &&
            (kind == TP_SUMMARY_OPERATOR_HOST || kind == TP_SUMMARY_OPERATOR_DEVICE || kind == TP_SUMMARY_KERNEL));
}

/* Fills the key of the row's group. Returns false if the pass does not match rows of this kind. */
static bool make_group_key(struct matcher *m, enum pass pass, struct unmatched *row, uint32_t key[4])
{
    const uint32_t *identity = tp_keys_get(&m->sides->keys, row->identity);
    enum tp_summary_kind kind = (enum tp_summary_kind)identity[0];
    key[0] = kind;
    if (pass == PASS_UNKNOWN_SHAPE) {
        key[1] = identity[1];
        bool has_place = kind == TP_SUMMARY_SYNC && !(m->sides->left_out & TP_UNKNOWN_STACKS);
        bool has_shape = kind != TP_SUMMARY_SYNC && !(m->unknown & TP_UNKNOWN_SHAPES);
        key[2] = has_unknown_owner(m, identity) ? TP_NO_ID : identity[2];
        key[3] = has_place || (has_shape && !m->has_no_owners) ? identity[3] : TP_NO_ID;
        return has_unknown_shape(m, identity);
    }
    if (pass == PASS_REPLACED) { /* copies and waits are matched only with copies and waits of the same name */
        bool has_name = kind == TP_SUMMARY_COPY || kind == TP_SUMMARY_SYNC;
        key[1] = m->replaced->group_of[row->side][row->identity];
        key[2] = has_name ? identity[1] : TP_NO_ID;
        key[3] = TP_NO_ID;
        return key[1] > 0;
    }
    key[2] = identity[2]; /* index 2 of an identity is the owner */
    if (pass == PASS_SHAPE) {
        struct tp_str shape = tp_strings_get(&m->sides->texts, identity[3]);
        key[1] = identity[1];
        key[3] =
            kind == TP_SUMMARY_SYNC ? tp_strings_add(&m->texts, tp_frame_location_key(m->arena, shape, &row->line)) : 0;
        return true;
    }
    key[1] = TP_NO_ID;
    key[3] = pass == PASS_NAME_IN_SHAPE ? identity[3] : TP_NO_ID;
    return kind == TP_SUMMARY_KERNEL || kind == TP_SUMMARY_COPY ||
           (kind == TP_SUMMARY_SYNC && pass == PASS_NAME_IN_SHAPE);
}

/* Orders rows by group, then side, then line (ascending), then time (descending). */
static int compare_by_group(const void *x, const void *y, const void *context)
{
    const struct unmatched *a = x, *b = y;
    (void)context;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return a->identity < b->identity ? -1 : a->identity > b->identity;
}

static double ratio_of_smaller_to_larger(double a, double b)
{
    double less = fmin(a, b), more = fmax(a, b);
    return more > 0 ? less / more : 1;
}

static double similarity_of_rows(const struct tp_sides *sides, uint32_t base, uint32_t new_identity)
{
    const struct tp_side_row *a = tp_sides_row(sides, TP_BASE, base), *b = tp_sides_row(sides, TP_NEW, new_identity);
    struct tp_identity x = tp_sides_identity(sides, base), y = tp_sides_identity(sides, new_identity);
    if (ratio_of_smaller_to_larger(a->ns, b->ns) <
        0.1) /* rows whose times differ by a factor of ten do different work */
        return 0;
    return 0.5 * tp_name_similarity(x.name, y.name) + 0.3 * ratio_of_smaller_to_larger(a->calls, b->calls) +
           0.2 * ratio_of_smaller_to_larger(a->ns, b->ns);
}

static void mark_row_matched(struct unmatched *row)
{
    row->identity = TP_NO_ID;
}

/* Pairs the rows of both sides in their order: first with first, second with second. The rows of a pair differ only
 * in shape or line. */
static void pair_in_order(struct matcher *m, struct unmatched *rows, const size_t counts[TP_SIDES])
{
    for (size_t i = 0; i < counts[TP_BASE] && i < counts[TP_NEW]; i++) {
        struct unmatched *base = &rows[i], *new_row = &rows[counts[TP_BASE] + i];
        bool is_sync = tp_sides_identity(m->sides, base->identity).kind == TP_SUMMARY_SYNC;
        add_match(m, is_sync ? TP_MATCH_MOVED : TP_MATCH_RESHAPED, base->identity, new_row->identity);
        mark_row_matched(base);
        mark_row_matched(new_row);
    }
}

static void add_row_to_match(struct matcher *m, struct tp_match *match, struct unmatched *row)
{
    size_t size = match->member_count[row->side] * sizeof(uint32_t);
    uint32_t **members = &match->members[row->side];
    *members = tp_arena_resize(m->arena, *members, size, size + sizeof(uint32_t));
    (*members)[match->member_count[row->side]++] = row->identity;
    mark_row_matched(row);
}

/* Makes one match of all rows without a partner. rows: rows of BASE, followed by rows of NEW, costliest first on
 * each side. */
static struct tp_match *match_all_rows(struct matcher *m, struct unmatched *rows, size_t count)
{
    struct tp_match *match = tp_vec_push(&m->matches);
    *match = (struct tp_match){.kind = TP_MATCH_REPLACED};
    for (size_t i = 0; i < count; i++)
        if (rows[i].identity != TP_NO_ID)
            add_row_to_match(m, match, &rows[i]);
    if (match->member_count[TP_NEW] == 1)
        match->kind = match->member_count[TP_BASE] == 1 ? TP_MATCH_RENAMED : TP_MATCH_FUSED;
    else if (match->member_count[TP_BASE] == 1)
        match->kind = TP_MATCH_SPLIT;
    return match;
}

static size_t count_unmatched(const struct unmatched *rows, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        left += rows[i].identity != TP_NO_ID;
    return left;
}

/* Adds the remaining rows of one side to a match if their number of calls is similar. */
static void join_rows_to_match(struct matcher *m, struct tp_match *match, struct unmatched *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int side = rows[i].side;
        if (rows[i].identity == TP_NO_ID)
            continue;
        double calls = tp_sides_row(m->sides, side, rows[i].identity)->calls;
        if (ratio_of_smaller_to_larger(calls, tp_sides_row(m->sides, side, match->members[side][0])->calls) < 0.5)
            continue;
        match->kind = side == TP_BASE ? TP_MATCH_FUSED : TP_MATCH_SPLIT;
        add_row_to_match(m, match, &rows[i]);
    }
}

/* Numbers the sums of replaced kernels. All matches of an operator are one sum; a match without an operator is a
 * separate sum. */
static void number_kernels_of_operator(struct matcher *m, size_t first, bool is_of_operator)
{
    for (size_t i = first; i < m->matches.count; i++)
        TP_AT(&m->matches, struct tp_match, i)->kernel =
            i == first || !is_of_operator ? ++m->kernel_count : m->kernel_count;
}

/* Pairs the most similar kernels until one side has none left. If kernels of both sides remain and one operator
 * launches them, they form one match. If kernels of only one side remain, they join the first pair. */
static void pair_most_similar(struct matcher *m, struct unmatched *rows, const size_t counts[TP_SIDES],
                              bool is_of_operator)
{
    struct unmatched *base = rows, *new_rows = rows + counts[TP_BASE];
    size_t limit[TP_SIDES], pairs = 0, first = m->matches.count;
    for (int s = 0; s < TP_SIDES; s++)
        limit[s] = counts[s] < MAX_GROUP ? counts[s] : MAX_GROUP;
    for (;;) {
        size_t best_base = 0, best_new = 0;
        double best = LEAST_LIKENESS;
        for (size_t i = 0; i < limit[TP_BASE]; i++)
            for (size_t k = 0; k < limit[TP_NEW] && base[i].identity != TP_NO_ID; k++) {
                double like = new_rows[k].identity == TP_NO_ID
                                  ? 0
                                  : similarity_of_rows(m->sides, base[i].identity, new_rows[k].identity);
                if (like > best) {
                    best = like;
                    best_base = i;
                    best_new = k;
                }
            }
        if (best <= LEAST_LIKENESS)
            break;
        add_match(m, TP_MATCH_RENAMED, base[best_base].identity, new_rows[best_new].identity);
        mark_row_matched(&base[best_base]);
        mark_row_matched(&new_rows[best_new]);
        if (++pairs >= 16) /* with more changed kernels, the programs have too little in common */
            break;
    }
    size_t left[TP_SIDES] = {count_unmatched(base, counts[TP_BASE]), count_unmatched(new_rows, counts[TP_NEW])};
    if (is_of_operator && left[TP_BASE] && left[TP_NEW])
        match_all_rows(m, rows, counts[TP_BASE] + counts[TP_NEW]);
    else if (pairs && left[TP_BASE])
        join_rows_to_match(m, TP_AT(&m->matches, struct tp_match, first), base, limit[TP_BASE]);
    else if (pairs && left[TP_NEW])
        join_rows_to_match(m, TP_AT(&m->matches, struct tp_match, first), new_rows, limit[TP_NEW]);
    number_kernels_of_operator(m, first, is_of_operator);
}

static void match_in_pass(struct matcher *m, enum pass pass)
{
    struct tp_keys keys;
    size_t kept = 0;
    tp_keys_init(&keys, m->arena, 4);
    for (size_t i = 0; i < m->unmatched_count; i++) {
        uint32_t key[4];
        m->unmatched[i].line = 0;
        m->unmatched[i].group = make_group_key(m, pass, &m->unmatched[i], key) ? tp_keys_add(&keys, key) : TP_NO_ID;
    }
    tp_merge_sort(m->arena, m->unmatched, m->unmatched_count, sizeof *m->unmatched, compare_by_group, NULL);
    for (size_t start = 0, end; start < m->unmatched_count; start = end) {
        size_t counts[TP_SIDES] = {0, 0};
        for (end = start; end < m->unmatched_count && m->unmatched[end].group == m->unmatched[start].group; end++)
            counts[m->unmatched[end].side]++;
        if (m->unmatched[start].group == TP_NO_ID || !counts[TP_BASE] || !counts[TP_NEW])
            continue;
        const uint32_t *identity = tp_keys_get(&m->sides->keys, m->unmatched[start].identity);
        bool is_kernel = identity[0] == TP_SUMMARY_KERNEL;
        bool is_of_operator = is_kernel && tp_strings_get(&m->sides->texts, identity[2]).len > 0;
        if (pass == PASS_UNKNOWN_SHAPE) {
            struct tp_match *match = match_all_rows(m, m->unmatched + start, end - start);
            match->kind = TP_MATCH_SAME;
            match->has_no_shape = true;
        } else if (pass == PASS_REPLACED) {
            uint32_t group = m->replaced->group_of[m->unmatched[start].side][m->unmatched[start].identity];
            match_all_rows(m, m->unmatched + start, end - start)->group = group;
        } else if (pass == PASS_SHAPE) {
            pair_in_order(m, m->unmatched + start, counts);
        } else {
            pair_most_similar(m, m->unmatched + start, counts, is_of_operator && pass == PASS_NAME_IN_SHAPE);
        }
    }
    for (size_t i = 0; i < m->unmatched_count; i++)
        if (m->unmatched[i].identity != TP_NO_ID)
            m->unmatched[kept++] = m->unmatched[i];
    m->unmatched_count = kept;
}

/* ---- all ---- */

static double match_time(const struct tp_sides *sides, const struct tp_match *match)
{
    double most = 0;
    for (int s = 0; s < TP_SIDES; s++) {
        double ns = 0;
        for (uint32_t i = 0; i < match->member_count[s]; i++)
            ns += row_time(sides, s, match->members[s][i]);
        most = fmax(most, ns);
    }
    return most;
}

static int compare_by_weight(const void *x, const void *y, const void *context)
{
    const struct tp_match *a = x, *b = y;
    const struct tp_sides *sides = context;
    uint32_t i = tp_match_identity(a), k = tp_match_identity(b);
    unsigned kind = tp_keys_get(&sides->keys, i)[0], other = tp_keys_get(&sides->keys, k)[0];
    double p = match_time(sides, a), q = match_time(sides, b);
    if (kind != other)
        return kind < other ? -1 : 1;
    if (p != q)
        return p > q ? -1 : 1;
    return i < k ? -1 : i > k;
}

static void match_rows_of_equal_identity(struct matcher *m)
{
    const struct tp_sides *sides = m->sides;
    for (uint32_t i = 0; i < sides->identity_count; i++) {
        bool has_base = tp_sides_row(sides, TP_BASE, i)->exists, has_new = tp_sides_row(sides, TP_NEW, i)->exists;
        enum tp_summary_kind kind = (enum tp_summary_kind)tp_keys_get(&sides->keys, i)[0];
        if (tp_left_out_has_rows(sides, kind))
            continue;
        if (has_base && has_new && !has_unknown_shape(m, tp_keys_get(&sides->keys, i))) {
            add_match(m, TP_MATCH_SAME, i, i);
            continue;
        }
        for (int side = 0; side < TP_SIDES; side++)
            if (tp_sides_row(sides, side, i)->exists)
                m->unmatched[m->unmatched_count++] =
                    (struct unmatched){.identity = i, .side = side, .ns = row_time(sides, side, i)};
    }
}

/* Returns TP_UNKNOWN_SHAPES and TP_UNKNOWN_DTYPES if only one side shows shapes or types of operators. */
static uint32_t shapes_of_one_side(const struct tp_sides *sides)
{
    struct tp_damage_runs runs[TP_SIDES];
    for (int s = 0; s < TP_SIDES; s++)
        runs[s] = tp_left_out_runs(sides, s);
    return tp_damage_data_of_one_side(&runs[TP_BASE], &runs[TP_NEW]) & (TP_UNKNOWN_SHAPES | TP_UNKNOWN_DTYPES);
}

void tp_matches_build(struct tp_matches *matches, const struct tp_sides *sides, const struct tp_replaced *replaced)
{
    struct tp_arena *arena = sides->arena;
    struct matcher m = {
        .sides = sides, .replaced = replaced, .arena = arena, .matches = TP_VEC(arena, struct tp_match)};
    tp_strings_init(&m.texts, arena, 0);
    m.unmatched = tp_arena_array(arena, (size_t)sides->identity_count * TP_SIDES, sizeof *m.unmatched);
    m.unknown = shapes_of_one_side(sides);
    m.has_no_owners = sides->left_out & (TP_UNKNOWN_OPERATORS | TP_UNKNOWN_RUNTIME_CALLS);
    match_rows_of_equal_identity(&m);
    for (enum pass pass = PASS_UNKNOWN_SHAPE; pass <= PASS_NAME; pass++)
        match_in_pass(&m, pass);
    for (size_t i = 0; i < m.unmatched_count; i++) {
        bool is_new = m.unmatched[i].side == TP_NEW;
        struct tp_identity identity = tp_sides_identity(sides, m.unmatched[i].identity);
        if (identity.kind <= TP_SUMMARY_OPERATOR_DEVICE && tp_left_out_has_name(sides, identity.name))
            continue;
        add_match(&m, is_new ? TP_MATCH_NEW : TP_MATCH_REMOVED, is_new ? TP_NO_ID : m.unmatched[i].identity,
                  is_new ? m.unmatched[i].identity : TP_NO_ID);
    }
    tp_merge_sort(arena, m.matches.data, m.matches.count, sizeof(struct tp_match), compare_by_weight, sides);
    *matches = (struct tp_matches){m.matches.data, (uint32_t)m.matches.count, m.kernel_count};
}
