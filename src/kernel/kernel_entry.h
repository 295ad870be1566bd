/* src/kernel/kernel_entry.h: what a kernel is inside the library.
 *
 * A kernel is one file with one volt_kernel_entry, and one line in VOLT_KERNEL_LIST below. The entry says which
 * parameters there are (text, defaults and ranges are handled by kernel_text.c for all kernels), and turns
 * their values, once the inputs are known, into a volt_resolved: numbers and functions that one of the
 * engines runs over the grid of local values, <x_i, y_j> or |x_i - y_j|^2:
 *
 *     scan        down the diagonals, a few numbers of state each (scan.c); for kernels without state also
 *                 after a sum over the last `window` local values (window_sum.c)
 *     programme   a dynamic programme over the block of local values of two paths (programme.h), the paths
 *                 being windows of the sequences, rows, or whole series
 *     reservoir   explicit states that a recursion in time makes of each sequence (reservoir.h)
 *
 * An expression is a sum of products of such kernels, its factors, each of which sees its own filtered version of the
 * inputs: one slice of the columns that the filters make of a row (filter.h). */
#ifndef KERNEL_KERNEL_ENTRY_H
#define KERNEL_KERNEL_ENTRY_H

#include "base/kernel_form.h"
#include "kernel/extent.h"
#include "kernel/filter.h"
#include "kernel/jet.h"
#include "kernel/path.h"
#include "kernel/products.h"
#include "kernel/programme.h"
#include "kernel/records.h"
#include "kernel/reservoir.h"
#include "volterra/kernel.h"

#include <stdbool.h>

enum {
    VOLT_MOST_PARAMETERS = 16,
    VOLT_MOST_FACTORS = 16,            /* of an expression */
    VOLT_EXPRESSION_LENGTH = 2048,     /* of its text, with the zero behind it */
    VOLT_MOST_STATE = 3,               /* numbers that one diagonal carries */
    VOLT_SCAN_ROWS = VOLT_PRODUCT_ROWS /* rows that one call of a step covers at most */
};

/* ---- diagonal scans --------------------------------------------------------------------------- */

typedef struct volt_scan volt_scan;

/* Walk `rows` (1 to VOLT_SCAN_ROWS) steps down each of `count` neighbouring diagonals.
 * Step r of diagonal k reads local[r * ld_local + k], which it may overwrite, and writes the kernel to
 * out[r * ld_out + k]; number s of the diagonal's state is state[s * stride + k], read before and written
 * after. */
#define VOLT_STEP_ARGUMENTS                                                                       \
    const volt_scan *scan, int64_t rows, double *local, int64_t ld_local, double *restrict state, \
        int64_t stride, double *out, int64_t ld_out, int64_t count
typedef void (*volt_scan_step)(VOLT_STEP_ARGUMENTS);

struct volt_scan {
    volt_scan_step step;
    int state_size;
    double start[VOLT_MOST_STATE]; /* the state of a zero past against a zero past */
    bool distance;                 /* local values are |x - y|^2; otherwise <x, y> */
    volt_own own;                  /* the kernel's own numbers */
    volt_scan_form form;           /* (optional) the same step for a back end that cannot call it */
};

/* (optional) The same step in the arithmetic of power series (jet.h), for what a fitted model has learned: one row
 * further down a diagonal, for as many columns as a series has lanes. For kernels of a window `local` is the sum over it.
 * `out` is NULL where only the state is wanted; `local` and `out` are none of the spare series. */
typedef struct volt_scan_series {
    /* The state of an endless past in which the local value was `local` at all times; NULL: there is no state. */
    void (*rest)(const volt_scan *scan, const volt_jet_room *room, const volt_jet *local, volt_jet *state);
    void (*step)(const volt_scan *scan, const volt_jet_room *room, const volt_jet *local, volt_jet *state,
                 volt_jet *out);
} volt_scan_series;

/* ---- a kernel on its inputs ------------------------------------------------------------------- */

typedef struct volt_resolved volt_resolved;
struct volt_resolved {
    volt_kernel_facts facts;
    int64_t d; /* numbers in an input */
    /* What one step keeps of the past, at most, when one input has norm `norm` and the other lies in the
     * ball: an input beyond the ball can be allowed while this is below 1. NULL: any input will do. */
    double (*gain)(const volt_resolved *resolved, double norm);
    double common;  /* K - common is still positive semidefinite; 0 where none is known */
    int64_t window; /* rows of a sequence that an entry sees at most, where that is a parameter; else 1 */
    bool centred; /* the Gram matrix is centred on its columns (gram/gram_steps.c); engines fill it as it is */
    volt_scan scan;            /* step is NULL when the kernel runs on ... */
    volt_programme programme;  /* ... a programme between paths ... */
    volt_path_shape shape;     /* ... of this shape, or on ... */
    volt_reservoir *reservoir; /* ... the states of this one, which it owns; NULL for all other kernels */
    struct volt_sum *sum; /* an expression: its factors, and nothing of the above but facts, d and common */
    struct volt_resolved_records *records; /* the columns are several sequences; NULL: one */
};

/* Records of the columns, and the kernel on each of them. */
typedef struct volt_resolved_records {
    volt_records rows;
    volt_resolved each; /* shares what the whole owns */
} volt_resolved_records;

/* The factors of an expression, resolved. Row z has n_slices slices of d numbers. */
typedef struct volt_sum {
    int64_t n_factors, n_terms, n_slices;
    int64_t d;                        /* numbers in a slice */
    volt_resolved *factor;            /* n_factors */
    int64_t slice[VOLT_MOST_FACTORS]; /* that factor f sees */
    int64_t term[VOLT_MOST_FACTORS];  /* that factor f belongs to: they do not fall */
    double weight[VOLT_MOST_FACTORS]; /* of term t */
} volt_sum;

typedef struct volt_reservoir_kind volt_reservoir_kind;

typedef struct volt_kernel_entry {
    volt_kernel_info info;
    /* Conflicts between parameters, and defaults that depend on others: fills value[] and present[]. */
    volt_status (*settle)(volt_kernel *kernel);
    /* On |z| <= radius in d dimensions; VOLT_ERR_ARGUMENT where a bound is broken there. */
    volt_status (*resolve)(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved);
    /* (optional) As resolve, without what takes long and as far as it needs no inputs: enough for engines to say whether they
     * take the kernel and what memory it costs. */
    volt_status (*outline)(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved);
    /* (optional) True when the kernel relies on where zero is, so that inputs are scaled but not shifted. */
    bool (*keeps_origin)(const volt_kernel *kernel);
    /* (optional) What is left of a row in the next one before the kernel sees it (filter.h), 0: nothing. */
    double (*echo)(const volt_kernel *kernel);
    /* (optional) True when the kernel's Gram matrices are centred. */
    bool (*centred)(const volt_kernel *kernel);
    /* (optional) Kernels between paths: the programme and the shape of paths, for collections of series. */
    void (*paths)(const volt_kernel *kernel, volt_programme *programme, volt_path_shape *shape);
    const volt_scan_series *series; /* (optional) */
    /* (optional) Scans: the derivative of the kernel, resolved, by its parameter p as a scan of the same local values, with
     * a state of its own; its out is dK / dp. False: not known for this one (tangent.h). */
    bool (*tangent)(const volt_kernel *kernel, const volt_resolved *resolved, int p, volt_scan *tangent);
    unsigned jumps; /* bit p: the kernel jumps where its parameter p moves, and has no derivative by it */
    bool may_be_indefinite; /* its Gram matrices need not be positive semidefinite */
    /* (optional) It runs on a reservoir of this kind, whose weights are saved with a model (kinds/reservoir_kernel.h). */
    const volt_reservoir_kind *reservoir;
    bool shares_ball; /* its weights are shares of a bound on the ball: on another ball it is another kernel */
} volt_kernel_entry;

struct volt_kernel {
    const volt_kernel_entry *entry;
    double value[VOLT_MOST_PARAMETERS];    /* CHOICE: index of the word */
    double argument[VOLT_MOST_PARAMETERS]; /* CHOICE: the number behind a word that ends in ':' */
    char *word[VOLT_MOST_PARAMETERS];      /* TEXT: the value */
    const volt_reservoir_matrix
        *stored;                      /* weights of a saved model while it is loaded; NULL: as the text says */
    bool given[VOLT_MOST_PARAMETERS]; /* in the text */
    bool present[VOLT_MOST_PARAMETERS]; /* the same, or set by settle */
    volt_filter filter;                 /* before the kernel, where it is a factor */
    bool filter_given[VOLT_FILTER_PARAMETERS];
    char *text;

    /* An expression (expression.c); n_factors is 0 for a kernel that stands alone and sees the inputs as they are. */
    int64_t n_factors, n_terms, n_slices;
    volt_kernel *factors[VOLT_MOST_FACTORS];
    int64_t term[VOLT_MOST_FACTORS], slice[VOLT_MOST_FACTORS]; /* of factor f */
    double weight[VOLT_MOST_FACTORS];                          /* of term t ... */
    bool weight_given[VOLT_MOST_FACTORS];                      /* ... which stands in the text */
    volt_filter filters[VOLT_MOST_FACTORS];                    /* of slice s */
    char **names;                                              /* of its parameters: n_names, one block */
    int64_t n_names;
};

/* Every kernel, in the order of the help: volt_kernel_NAME is its entry. Adding one is a file in kinds/ and a line
 * here. */
#define VOLT_KERNEL_LIST(X) \
    X(volterra)             \
    X(linear)               \
    X(rbf)                  \
    X(poly)                 \
    X(sigmoid)              \
    X(fading)               \
    X(memory)               \
    X(fir)                  \
    X(gak)                  \
    X(sig)                  \
    X(sigpde)               \
    X(cauchy)               \
    X(esn)                  \
    X(sas)

#define VOLT_DECLARE_KERNEL(name) extern const volt_kernel_entry volt_kernel_##name;
VOLT_KERNEL_LIST(VOLT_DECLARE_KERNEL)

/* Their table (kernel_table.c). */
extern const volt_kernel_entry *const volt_kernel_table[];

/* Resolve on inputs of d numbers that reach this far, with the horizon left at 0. VOLT_ERR_DATA where paths are
 * to be divided by a largest value that cannot be divided by. A kernel that stands alone, or a factor. */
volt_status volt_kernel_resolve(const volt_kernel *kernel, volt_extent extent, int64_t d,
                                volt_resolved *resolved);
/* The same with the entry's outline where it has one: for engines to be asked, not to be run. */
volt_status volt_kernel_outline(const volt_kernel *kernel, volt_extent extent, int64_t d,
                                volt_resolved *resolved);

/* Slices of a row as the kernel sees it: as many as it has different filters; 1 for a kernel that stands alone. */
int64_t volt_kernel_slices(const volt_kernel *kernel);

/* Does the kernel see filtered inputs? Then rows are filtered by kernel->filters (filter.h) before they meet an engine. */
bool volt_kernel_filters(const volt_kernel *kernel);

/* The same for any kernel: `extents` has one for each slice, and d counts the numbers of one slice. What it allocates is
 * released by volt_resolved_release, which takes what was never resolved if it is all zero. */
volt_status volt_kernel_resolve_slices(const volt_kernel *kernel, const volt_extent *extents, int64_t d,
                                       volt_resolved *resolved);
volt_status volt_kernel_outline_slices(const volt_kernel *kernel, const volt_extent *extents, int64_t d,
                                       volt_resolved *resolved);
void volt_resolved_release(volt_resolved *resolved);

/* From now on columns are the records of the rows from `first` on, in place of what they were. Columns and states that
 * were made before cannot be used any more. VOLT_ERR_MEMORY. */
volt_status volt_resolved_split(volt_resolved *resolved, const volt_records *records, int64_t first);

/* The ball of slice s, and what one step keeps of the past at most when that slice of an input has norm `norm`; below 0:
 * every kernel that sees it takes any input. */
double volt_slice_radius(const volt_resolved *resolved, int64_t s);
double volt_slice_gain(const volt_resolved *resolved, int64_t s, double norm);

/* Extents of the slices of filtered rows (n_slices x d numbers each). */
volt_status volt_extents_of(volt_view rows, int64_t slices, const char *name, volt_extent *extents);

/* ---- for expression.c and kernel_text.c ------------------------------------------------------- */

/* One factor: from its text, and its parameters, those of the filter last. */
volt_status volt_factor_parse(const char *text, volt_kernel **kernel);
volt_status volt_factor_get(const volt_kernel *factor, const char *name, volt_kernel_value *value);
const char *volt_factor_parameter_name(const volt_kernel *factor, int64_t index);

bool volt_kernel_keeps_origin(const volt_kernel *kernel);
bool volt_kernel_is_centred(const volt_kernel *kernel);

/* Warn in the log when the kernel's Gram matrices need not be positive semidefinite, or when the past does not fade in its
 * reservoir on the rows Z, filtered as it wants them. VOLT_ERR_MEMORY. */
volt_status volt_kernel_warn(const volt_kernel *kernel, const volt_resolved *resolved, volt_view Z);

/* The value of parameter p, which is present, as it stands in the kernel's text. Returns `text`. */
char *volt_kernel_value_text(const volt_kernel *kernel, int p, char text[VOLT_VALUE_LENGTH]);

/* Take every "NAME=?", and every weight that is "?", out of a kernel's text, in which they ask a search for a value; their
 * names, numbered where there are several factors, into `names`. Returns how many there were, `most` at most. */
enum { VOLT_ASKED_LENGTH = 40 };
int64_t volt_kernel_text_ask(char *text, char names[][VOLT_ASKED_LENGTH], int64_t most);

/* Add NAME=VALUE to a kernel's text: to its end, or with "2.NAME" to that of factor 2, "2.weight" before it. False, and nothing is changed, where `capacity` is too small. Whether
 * the kernel takes it is for volt_kernel_parse to say. */
bool volt_kernel_text_add(char *text, size_t capacity, const char *name, const char *value);

/* For settle: VOLT_ERR_KERNEL when both parameters are there. */
volt_status volt_kernel_refuse_both(const volt_kernel *kernel, int a, int b);

/* For settle: give parameter p its fallback, unless it is present. */
void volt_kernel_use_fallback(volt_kernel *kernel, int p);

/* A settle for kernels whose parameters do not depend on one another: fallbacks where there are some. */
volt_status volt_kernel_use_fallbacks(volt_kernel *kernel);

/* VOLT_ERR_KERNEL when a kernel between paths was given a parameter that only sequences have. */
volt_status volt_path_refuse_on_series(const volt_kernel *kernel);

int64_t volt_kernel_count(void);

/* ---- a resolved kernel as numbers alone (base/kernel_form.h) ----------------------------------- */

/* False where the kernel, or one of its factors, is not one that runs down diagonals or over sums of windows. What it
 * points to is resolved's. */
bool volt_form_of(const volt_resolved *resolved, volt_kernel_form *form);

/* ---- rows as a kernel sees them: filtered, one slice for each of its filters ------------------- */

typedef struct volt_sliced_rows {
    volt_view rows;                         /* n x slices d; the rows as given where nothing is filtered */
    volt_extent extents[VOLT_MOST_FACTORS]; /* of each slice */
    double *filtered;                       /* what they lie in, or NULL */
} volt_sliced_rows;

/* Rows X (n x d) after a zero past, which begins again with every record (NULL: there is one); X begins with row `first`
 * of the records. `name` is for sentences. Release it in every case. */
volt_status volt_sliced_rows_make(const volt_kernel *kernel, volt_view X, const volt_records *records,
                                  int64_t first, const char *name, volt_sliced_rows *sliced);
void volt_sliced_rows_release(volt_sliced_rows *sliced);

#endif
