/* src/kernel/kernel_entry.h: the internal representation of kernels.
 *
 * A kernel is one file with one volt_kernel_entry, and one line in VOLT_KERNEL_LIST below. The entry lists
 * the parameters; expression.c handles text, defaults and ranges for all kernels. Once the inputs are
 * known, the entry resolves the parameters to a volt_resolved: numbers and functions that one of the engines
 * runs over the grid of local values, <x_i, y_j> or |x_i - y_j|^2:
 *
 *     scan        down the diagonals, with a small state each (scan_engine.c); for kernels without state also
 *                 after a sum over the last `window` local values (window_sum.c)
 *     programme   a dynamic programme over the block of local values of two paths (programme.h); the paths
 *                 are windows of the sequences, rows, or whole series
 *     reservoir   explicit states from a recursion in time over each sequence (reservoir.h)
 *
 * An expression is a sum of products of such kernels, its factors. Each factor uses its own filtered version
 * of the inputs: one slice of the columns that the filters compute from a row (filter.h). */
#ifndef KERNEL_KERNEL_ENTRY_H
#define KERNEL_KERNEL_ENTRY_H

#include "base/kernel_form.h"
#include "kernel/filter.h"
#include "kernel/jet.h"
#include "kernel/past.h"
#include "kernel/path.h"
#include "kernel/products.h"
#include "kernel/programme.h"
#include "kernel/records.h"
#include "kernel/reservoir.h"
#include "volterra/base.h"
#include "volterra/kernel.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- norms and largest values of inputs, which a kernel is resolved on ------------------------------- */

typedef struct volt_extent {
    double radius;  /* M, the largest Euclidean norm of a row */
    double largest; /* the largest value, not the largest modulus: path=rows divides by it */
} volt_extent;

/* Of the rows of X, which must not be empty. VOLT_ERR_NOT_FINITE reports the first entry that is not finite;
 * `name` is used in the message. */
volt_status volt_extent_of(volt_view X, const char *name, volt_extent *extent);

/* The norm of a row of d numbers; not finite if one of them is not, or on overflow. */
double volt_row_norm(const double *row, int64_t d);

/* Relative rounding tolerance of norms of d numbers, and so of the radius. Inner products have twice that. */
double volt_norm_tolerance(int64_t d);

/* VOLT_ERR_NOT_FINITE if products of inputs of this norm would overflow or lose digits to underflow; such
 * inputs must be scaled. Inputs that are all 0 are accepted. */
volt_status volt_check_products(double radius);

/* Returns whether a norm of d numbers is at most `radius`, up to rounding. All checks use this function. */
bool volt_is_within(double norm, double radius, int64_t d);

enum {
    VOLT_MAX_PARAMETERS = 16,
    VOLT_MAX_FACTORS = 16,             /* of an expression */
    VOLT_EXPRESSION_LENGTH = 2048,     /* of its text, including the terminating zero */
    VOLT_MAX_STATE = 3,                /* size of the state of one diagonal */
    VOLT_SCAN_ROWS = VOLT_PRODUCT_ROWS /* maximum number of rows per call of a step */
};

/* ---- diagonal scans --------------------------------------------------------------------------- */

typedef struct volt_scan volt_scan;

/* The step as C text, for models exported as source code (export/). The texts are bodies of functions with
 * `double` numbers and functions of <math.h>; the exporter translates them for single precision. */
typedef struct volt_scan_code {
    /* names of the numbers of scan.form or of `numbers`, terminated by NULL; "int NAME" is an integer */
    const char *constants[5];
    /* from the local value s, and the state a[state_size], which is updated, to the entry, which is returned. With
     * scan.own also `own`, the product of the numbers of row and column. */
    const char *step;
    const char *rest; /* (optional) sets a[] to the state after a constant local value s; NULL: by iteration */
    const char
        *own; /* with scan.own: from |z|^2 = square and *kept, which is updated, to the number of the row */
    const char *functions;                                   /* (optional) functions that these call */
    void (*numbers)(const volt_scan *scan, double *numbers); /* (optional) values of the constants */
} volt_scan_code;

/* Walk `rows` (1 to VOLT_SCAN_ROWS) steps down each of `count` adjacent diagonals. Step r of diagonal k
 * reads local[r * ld_local + k], which it may overwrite, and writes the kernel to out[r * ld_out + k].
 * Number s of the diagonal's state is state[s * stride + k], read before and written after. */
#define VOLT_STEP_ARGUMENTS                                                                       \
    const volt_scan *scan, int64_t rows, double *local, int64_t ld_local, double *restrict state, \
        int64_t stride, double *out, int64_t ld_out, int64_t count
typedef void (*volt_scan_step)(VOLT_STEP_ARGUMENTS);

struct volt_scan {
    volt_scan_step step;
    int state_size;
    double start[VOLT_MAX_STATE]; /* the state after zero inputs on both sides */
    /* (optional) The state after a constant local value; NULL: by iteration of the step (volt_scan_rest). */
    void (*rest)(const volt_scan *scan, double local, double *state);
    bool has_no_rest; /* the state after constant inputs depends on earlier ones: initial inputs are rejected */
    bool distance;    /* local values are |x - y|^2; otherwise <x, y> */
    /* (optional) A number of every row that follows from the norms of its sequence, such as the norm of its state:
     * advances *kept by a row with |z|^2 = square and returns the number. *kept is own_start after zero inputs. */
    double (*own)(const volt_scan *scan, double square, double *kept);
    double own_start;
    /* For a call of the step, set by the engines where `own` is not NULL: the numbers of its rows, and of its columns;
     * step r of diagonal k is in row r and column r + k. */
    const double *own_rows, *own_columns;
    volt_kernel_constants constants; /* private constants of the kernel */
    volt_scan_form form;             /* (optional) the same step for a back end that cannot call it */
    const volt_scan_code *code;      /* (optional) the same step as text; NULL: models cannot be exported */
};

/* (optional) The same step in the arithmetic of power series (jet.h), for the analysis of fitted models: one
 * row down a diagonal, for as many columns as a series has lanes. For kernels with a window `local` is the
 * sum over it. `out` is NULL if only the state is needed; `local` and `out` are not scratch series. */
typedef struct volt_scan_series {
    /* The stationary state for a constant local value `local`; NULL: no state. */
    void (*rest)(const volt_scan *scan, const volt_jet_workspace *workspace, const volt_jet *local,
                 volt_jet *state);
    void (*step)(const volt_scan *scan, const volt_jet_workspace *workspace, const volt_jet *local,
                 volt_jet *state, volt_jet *out);
} volt_scan_series;

/* ---- resolved kernels ------------------------------------------------------------------------- */

typedef struct volt_resolved volt_resolved;
struct volt_resolved {
    volt_kernel_facts facts;
    int64_t d; /* numbers in an input */
    /* Contraction rate: an upper bound of the factor by which a step reduces the state, if one input has
     * norm `norm` and the other is in the ball. An input outside the ball is allowed while this is below 1.
     * NULL: any input is allowed. */
    double (*gain)(const volt_resolved *resolved, double norm);
    double common;  /* K - common is still positive semidefinite; 0 if unknown */
    int64_t window; /* maximum number of rows that an entry uses, if that is a parameter; else 1 */
    /* the Gram matrix is centred on its columns (gram/gram.c); engines fill it without centring */
    bool centred;
    volt_scan scan;            /* step is NULL if the kernel runs on ... */
    volt_programme programme;  /* ... a programme between paths ... */
    volt_path_shape shape;     /* ... of this shape, or on ... */
    volt_reservoir *reservoir; /* ... the states of this reservoir, which it owns; NULL for all other kernels */
    /* an expression: its factors; of the fields above only facts, d and common are used */
    struct volt_sum *sum;
    /* The inputs before a sequence, as passed to the kernel; owned. Of an expression, each factor has its own. */
    volt_past past;
    struct volt_resolved_records *records; /* the columns are several sequences; NULL: one */
};

/* Records of the columns, and the kernel on each of them. */
typedef struct volt_resolved_records {
    volt_records rows;
    volt_resolved each; /* borrows the data of the whole */
} volt_resolved_records;

/* The resolved factors of an expression. Row z has n_slices slices of d numbers. */
typedef struct volt_sum {
    int64_t n_factors, n_terms, n_slices;
    int64_t d;                       /* numbers in a slice */
    volt_resolved *factor;           /* n_factors */
    int64_t slice[VOLT_MAX_FACTORS]; /* slice of factor f */
    int64_t term[VOLT_MAX_FACTORS];  /* term of factor f, in ascending order */
    double weight[VOLT_MAX_FACTORS]; /* of term t */
} volt_sum;

typedef struct volt_reservoir_kind volt_reservoir_kind;

typedef struct volt_kernel_entry {
    volt_kernel_info info;
    /* Checks conflicts between parameters and sets dependent defaults: fills value[] and present[]. */
    volt_status (*set_defaults)(volt_kernel *kernel);
    /* Resolves on |z| <= radius in d dimensions; VOLT_ERR_ARGUMENT if a bound is violated. */
    volt_status (*resolve)(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved);
    /* (optional) As resolve, without expensive steps and data-dependent parts: sufficient for engines to
     * decide whether they support the kernel and to estimate memory. */
    volt_status (*outline)(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved);
    /* (optional) True if the kernel depends on the origin, so that inputs are scaled but not shifted. */
    bool (*keeps_origin)(const volt_kernel *kernel);
    /* (optional) The share of a row that is added to the next one before the kernel (filter.h); 0: none. */
    double (*echo)(const volt_kernel *kernel);
    /* (optional) True if the kernel's Gram matrices are centred. */
    bool (*centred)(const volt_kernel *kernel);
    /* (optional) Kernels between paths: the programme and the shape of paths, for collections of series. */
    void (*paths)(const volt_kernel *kernel, volt_programme *programme, volt_path_shape *shape);
    const volt_scan_series *series; /* (optional) */
    bool may_be_indefinite;         /* its Gram matrices may be indefinite */
    /* (optional) It runs on a reservoir of this kind, whose weights are saved with a model
     * (kind_parts.h). */
    const volt_reservoir_kind *reservoir;
    bool shares_ball; /* its weights are shares of a bound on the ball: the kernel depends on the ball */
} volt_kernel_entry;

struct volt_kernel {
    const volt_kernel_entry *entry;
    double value[VOLT_MAX_PARAMETERS];    /* CHOICE: index of the word */
    double argument[VOLT_MAX_PARAMETERS]; /* CHOICE: the number after a word that ends in ':' */
    char *word[VOLT_MAX_PARAMETERS];      /* TEXT: the value */
    const volt_reservoir_matrix *stored;  /* weights of a saved model while it is loaded; NULL: from the text */
    bool given[VOLT_MAX_PARAMETERS];      /* in the text */
    bool present[VOLT_MAX_PARAMETERS];    /* given, or set by settle */
    volt_past past;                       /* the inputs before a sequence, before filtering; owned */
    volt_filter filter;                   /* before the kernel, if it is a factor */
    bool filter_given[VOLT_FILTER_PARAMETERS];
    char *text;

    /* An expression (expression.c); n_factors is 0 for a plain kernel without filter. */
    int64_t n_factors, n_terms, n_slices;
    volt_kernel *factors[VOLT_MAX_FACTORS];
    int64_t term[VOLT_MAX_FACTORS], slice[VOLT_MAX_FACTORS]; /* of factor f */
    double weight[VOLT_MAX_FACTORS];                         /* of term t ... */
    bool weight_given[VOLT_MAX_FACTORS];                     /* ... and whether it is given in the text */
    volt_filter filters[VOLT_MAX_FACTORS];                   /* of slice s */
    const char **names;                                      /* of its parameters: n_names, one block */
    int64_t n_names;
};

/* All kernels, in the order of the help; volt_kernel_NAME is the entry. To add one, write a file in kinds/
 * and add a line here. */
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
    X(sas)                  \
    X(recurrent)

#define VOLT_DECLARE_KERNEL(name) extern const volt_kernel_entry volt_kernel_##name;
VOLT_KERNEL_LIST(VOLT_DECLARE_KERNEL)

/* Their table (kernel_table.c). */
extern const volt_kernel_entry *const volt_kernel_table[];

/* Resolves a plain kernel or a factor on inputs of d numbers with this extent, with the horizon left at 0.
 * VOLT_ERR_DATA if paths are divided by the largest value and that is not possible. */
volt_status volt_kernel_resolve(const volt_kernel *kernel, volt_extent extent, int64_t d,
                                volt_resolved *resolved);
/* The same with the entry's outline, if present: for queries of engines, not to be run. */
volt_status volt_kernel_outline(const volt_kernel *kernel, volt_extent extent, int64_t d,
                                volt_resolved *resolved);

/* Sets the inputs before a sequence, of which a copy is made. Every later volt_kernel_resolve_slices uses them.
 * VOLT_ERR_MEMORY. */
volt_status volt_kernel_use_past(volt_kernel *kernel, const volt_past *past);

/* Number of slices of a row as passed to the kernel: the number of different filters; 1 for a plain kernel. */
int64_t volt_kernel_slices(const volt_kernel *kernel);

/* Returns whether the kernel uses filtered inputs. Rows are then filtered by kernel->filters (filter.h) before an engine
 * uses them. */
bool volt_kernel_filters(const volt_kernel *kernel);

/* The same for any kernel: `extents` has one entry per slice, and d counts the numbers of one slice. Release
 * it with volt_resolved_release, which accepts a zeroed struct. VOLT_ERR_ARGUMENT if the input before a sequence
 * is outside the ball and the kernel does not converge there. */
volt_status volt_kernel_resolve_slices(const volt_kernel *kernel, const volt_extent *extents, int64_t d,
                                       volt_resolved *resolved);
volt_status volt_kernel_outline_slices(const volt_kernel *kernel, const volt_extent *extents, int64_t d,
                                       volt_resolved *resolved);
void volt_resolved_release(volt_resolved *resolved);

/* Sets the records of the columns: those of the rows from `first` on. Existing columns and states become
 * invalid. VOLT_ERR_MEMORY. */
volt_status volt_resolved_split(volt_resolved *resolved, const volt_records *records, int64_t first);

/* The ball of slice s, and the contraction rate if that slice of an input has norm `norm`; below 0: all
 * kernels of the slice accept any input. */
double volt_slice_radius(const volt_resolved *resolved, int64_t s);
double volt_slice_gain(const volt_resolved *resolved, int64_t s, double norm);

/* Extents of the slices of filtered rows (n_slices x d numbers each). */
volt_status volt_extents_of(volt_view rows, int64_t slices, const char *name, volt_extent *extents);

/* ---- for expression.c and expression.c ------------------------------------------------------- */

volt_status volt_factor_get(const volt_kernel *factor, const char *name, volt_kernel_value *value);

bool volt_kernel_keeps_origin(const volt_kernel *kernel);
bool volt_kernel_is_centred(const volt_kernel *kernel);

/* Log a warning if the kernel's Gram matrices may be indefinite, or if its reservoir has no fading memory on
 * the rows Z, filtered as required. VOLT_ERR_MEMORY. */
volt_status volt_kernel_warn(const volt_kernel *kernel, const volt_resolved *resolved, volt_view Z);

/* The value of parameter p, which is present, as written in the kernel's text. Returns `text`. */
char *volt_kernel_value_text(const volt_kernel *kernel, int p, char text[VOLT_VALUE_LENGTH]);

/* The kernel's text with every parameter; valid as long as the kernel. */
const char *volt_kernel_text(const volt_kernel *kernel);
/* The table entry of a kernel. */
const volt_kernel_info *volt_kernel_info_of(const volt_kernel *kernel);
/* Name `index` that volt_kernel_get accepts, in the order of the text; NULL outside. Valid as long as the
 * kernel. */
const char *volt_kernel_parameter_name(const volt_kernel *kernel, int64_t index);

/* Parses a kernel for a search: parameters (and weights) with the value ? are left open. */
volt_status volt_kernel_parse_open(const char *text, volt_kernel **kernel);

/* Removes every "NAME=?" and every weight "?" from a kernel's text; these mark parameters to be searched.
 * Their names, numbered if there are several factors, are written to `names`. Returns their number, at most
 * `most`. */
enum { VOLT_OPEN_NAME_LENGTH = 40 };
int64_t volt_kernel_text_open_parameters(char *text, char names[][VOLT_OPEN_NAME_LENGTH], int64_t most);

/* Adds NAME=VALUE to a kernel's text: at its end, or with "2.NAME" to factor 2, or with "2.weight" before
 * it. False, with the text unchanged, if `capacity` is too small. The result is not validated. */
bool volt_kernel_text_add(char *text, size_t capacity, const char *name, const char *value);

/* For settle: VOLT_ERR_KERNEL if both parameters are present. */
volt_status volt_kernel_refuse_both(const volt_kernel *kernel, int a, int b);

/* For settle: sets parameter p to its default, unless it is present. */
void volt_kernel_use_fallback(volt_kernel *kernel, int p);

/* A settle for kernels with independent parameters: sets the defaults. */
volt_status volt_kernel_use_fallbacks(volt_kernel *kernel);

int64_t volt_kernel_count(void);

/* ---- a resolved kernel as plain numbers (base/kernel_form.h) ----------------------------------- */

/* False if the kernel, or one of its factors, is not a scan or a window sum. The form borrows data of
 * `resolved`. */
bool volt_form_of(const volt_resolved *resolved, volt_kernel_form *form);

/* ---- rows as passed to a kernel: filtered, with one slice per filter --------------------------- */

typedef struct volt_sliced_rows {
    volt_view rows;                        /* n x slices d; the given rows if there is no filter */
    volt_extent extents[VOLT_MAX_FACTORS]; /* of each slice */
    double *filtered;                      /* their memory, or NULL */
} volt_sliced_rows;

/* Filters rows X (n x d) from a zero initial state, which is restored at every record (NULL: one sequence);
 * X begins with row `first` of the records. `name` is used in messages. Release it in every case. */
volt_status volt_sliced_rows_make(const volt_kernel *kernel, volt_view X, const volt_records *records,
                                  int64_t first, const char *name, volt_sliced_rows *sliced);
void volt_sliced_rows_release(volt_sliced_rows *sliced);

/* ---- a resolved kernel in the arithmetic of power series --------------------------------------------- */

/* Each factor walks down a diagonal: the input is its local value at every row, as a series, the output its
 * kernel. */

typedef struct volt_jet_factor {
    const volt_scan *scan;
    const volt_scan_series *series;
    int64_t slice;  /* slice of the rows that it uses */
    int64_t window; /* rows over which its local value is summed; 1 if it has a state */
    int64_t state;  /* index of its first state among those of all factors */
    double weight;  /* weight of the term that it begins; 0: it continues a term */
} volt_jet_factor;

typedef struct volt_jet_kernel {
    int64_t n_factors, n_states;
    volt_jet_factor factor[VOLT_MAX_FACTORS];
} volt_jet_kernel;

/* Both must outlive it. VOLT_ERR_ARGUMENT if a factor has no power series; the message names it, and the
 * kernels that have one. */
volt_status volt_jet_kernel_make(const volt_kernel *kernel, const volt_resolved *resolved,
                                 volt_jet_kernel *made);

/* The local value of rows x and w (d numbers each; w NULL: zeros) of a factor when x moves to x + e
 * direction (NULL: fixed): s[0] + s[1] e + s[2] e^2. */
void volt_jet_local(const volt_jet_factor *factor, int64_t d, const double *x, const double *direction,
                    const double *w, double s[3]);

/* out <- the kernel, in all variables of the space, from the values `factors` of its factors, which are
 * overwritten. */
void volt_jet_join(const volt_jet_kernel *kernel, const volt_jet_workspace *workspace, volt_jet *factors,
                   volt_jet *out);

#endif
