/* volterra/kernel.h: kernels between sequences, in one textual form, and their Gram matrices.
 *
 *     volt_kernel *kernel = NULL;
 *     volt_status status = volt_kernel_parse("volterra:tau=0.4,lambda=0.7", &kernel);
 *     if (!status)
 *         status = volt_gram(kernel, X, volt_view_of(NULL, 0, 0), NULL, K);
 *     volt_kernel_free(kernel);
 *
 * A kernel is NAME or NAME:PARAMETER=VALUE,... Parameters that are not given have defaults. */
#ifndef VOLTERRA_KERNEL_H
#define VOLTERRA_KERNEL_H

#include "volterra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct volt_kernel volt_kernel;

/* ---- text ------------------------------------------------------------------------------------- */

/* VOLT_ERR_KERNEL: an unknown kernel or parameter (the sentence names the nearest right one), a value
 * that does not read or lies outside its range whatever the data. */
VOLT_API volt_status volt_kernel_parse(const char *text, volt_kernel **kernel);
/* The same for a search, in which a value of ? (or a weight) asks for one: these are left out. */
VOLT_API volt_status volt_kernel_parse_asking(const char *text, volt_kernel **kernel);
VOLT_API void volt_kernel_free(volt_kernel *kernel);

/* The kernel's text with every parameter, in the order of the table; valid as long as the kernel. It
 * parses back to the same kernel, bit by bit. */
VOLT_API const char *volt_kernel_text(const volt_kernel *kernel);

/* ---- the table of kernels --------------------------------------------------------------------- */

typedef enum volt_parameter_kind {
    VOLT_PARAMETER_REAL,
    VOLT_PARAMETER_INTEGER,
    VOLT_PARAMETER_CHOICE,
    VOLT_PARAMETER_TEXT /* a text without blanks or commas, such as the name of a file */
} volt_parameter_kind;

/* How a search draws a parameter that is not given, and in which unit of the data. */
typedef enum volt_search_law {
    VOLT_SEARCH_NONE,    /* it keeps its default */
    VOLT_SEARCH_LOG,     /* log-uniform */
    VOLT_SEARCH_LINEAR,  /* uniform */
    VOLT_SEARCH_INTEGER, /* whole numbers, uniform */
    VOLT_SEARCH_LOG_INTEGER
} volt_search_law;

typedef enum volt_unit {
    VOLT_UNIT_ONE,
    VOLT_UNIT_DISTANCE,      /* the median distance of two rows times sqrt(window) */
    VOLT_UNIT_SQUARE,        /* its square */
    VOLT_UNIT_INVERSE_SQUARE /* one over that */
} volt_unit;

typedef struct volt_parameter_info {
    const char *name;
    const char *meaning;
    const char *fallback; /* the default as text; NULL: none, see meaning */
    const char *range;    /* what is allowed, e.g. "(0, 1)" or "geometric, even, ..." */
    volt_parameter_kind kind;
    int closed; /* REAL: 1: low itself is allowed, 2: high itself, 3: both */
    /* REAL, INTEGER: the range; its ends belong to it for INTEGER, and where closed says so */
    double low, high;
    const char *const *words; /* CHOICE: NULL-terminated; after a word that ends in ':' stands a number */
    volt_search_law search;
    volt_unit unit;
    double search_low, search_high; /* in that unit */
} volt_parameter_info;

typedef struct volt_kernel_info {
    const char *name;
    const char *formula;
    const char *cost;  /* of one Gram entry: on a sequence; then, behind semicolons, where options change it */
    const char *notes; /* lines about its choices, ready to print; NULL: none */
    const volt_parameter_info *parameters;
    int64_t n_parameters;
} volt_kernel_info;

/* Entry `index`, from 0, of the table of kernels. Returns NULL after the last. */
VOLT_API const volt_kernel_info *volt_kernel_at(int64_t index);
/* The entry of the table that a kernel belongs to. */
VOLT_API const volt_kernel_info *volt_kernel_info_of(const volt_kernel *kernel);

/* ---- parameters of one kernel ----------------------------------------------------------------- */

enum { VOLT_VALUE_LENGTH = 256 };

typedef struct volt_kernel_value {
    size_t struct_size; /* set by the caller */
    const volt_parameter_info *info;
    int given; /* 1: it stands in the text that was parsed */
    int present; /* 1: it has a value, given or by default; 0: the kernel does without, or takes it from the data */
    /* REAL, INTEGER: the value; CHOICE: the number behind a word that ends in ':'; otherwise 0 */
    double number;
    /* the value as a kernel's text has it: 0.25, even, poly:3; "" when not present */
    char text[VOLT_VALUE_LENGTH];
} volt_kernel_value;

/* The parameter of that name. This, and not a look into the text, is how to learn what a kernel was given.
 * VOLT_ERR_KERNEL: the kernel has no such parameter; the sentence names the nearest one. */
VOLT_API volt_status volt_kernel_get(const volt_kernel *kernel, const char *name, volt_kernel_value *value);

/* Every name that volt_kernel_get takes for this kernel, in the order of its text; NULL when index is outside. Valid as
 * long as the kernel. */
VOLT_API const char *volt_kernel_parameter_name(const volt_kernel *kernel, int64_t index);

/* ---- what a kernel is on inputs of norm at most M --------------------------------------------- */

typedef struct volt_kernel_facts {
    size_t struct_size; /* set by the caller */
    double radius;      /* M, the largest |z| the kernel is used on */
    double tau;         /* resolved from tau_coef where that was given; 0: the kernel has none */
    double lambda;
    double lambda_bound; /* lambda must stay below this */
    double sup_kappa;    /* largest local value on the ball */
    double contraction;  /* lambda^2 sup_kappa: how much of the past one step keeps, at most */
    double largest;      /* bound on |K| */
    double horizon;      /* steps until the past counts for less than eps */
} volt_kernel_facts;

/* Resolve the kernel for |z| <= radius in d dimensions and fill `facts`; eps in (0, 1) is for the horizon.
 * VOLT_ERR_ARGUMENT when a parameter breaks its bound there; the sentence has the value and the bound. */
VOLT_API volt_status volt_kernel_query(const volt_kernel *kernel, double radius, int64_t d, double eps,
                                       volt_kernel_facts *facts);

/* ---- Gram matrices ---------------------------------------------------------------------------- */

typedef struct volt_gram_options {
    size_t struct_size;
    double radius; /* M; 0 (default): the largest norm among all rows of X and Y, below which it must not lie */
    int mirror;    /* Y empty: copy the lower triangle to the upper one, 1 */
    int normalise; /* 1: K[i][j] / sqrt(k(x_i, x_i) k(y_j, y_j)), so that everything has 1 with itself; 0 */
    volt_progress progress;
} volt_gram_options;
VOLT_API volt_gram_options volt_gram_options_default(void);

/* The largest norm of a row of X. Kernels whose parameters are shares of their bounds (tau_coef, lambda_coef) are other
 * kernels on other radii: matrices of one problem (of the training rows, and of test against training rows) need one
 * radius that covers them all in volt_gram_options. A matrix whose rows reach beyond its columns, on a radius of its
 * own, says so in the log. VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE. */
VOLT_API volt_status volt_radius(volt_view X, double *radius);

/* K[i][j] = kernel of X up to row i and Y up to row j, both after a zero past. Y empty (data NULL): Y = X
 * and K is symmetric, n x n; without mirror the strict upper triangle is not touched. Otherwise K is
 * X.rows x Y.rows, and normalising costs the kernel of X and of Y with themselves besides. options may be NULL.
 * VOLT_ERR_DATA: normalising a row that has 0, or less, with itself. */
VOLT_API volt_status volt_gram(const volt_kernel *kernel, volt_view X, volt_view Y,
                               const volt_gram_options *options, volt_matrix K);

/* The same for collections: K[i][j] = kernel of series X[i] and series Y[j], each rows x d with lengths of their
 * own. volterra, fading, memory and fir compare the final states of two series, aligned at their ends after a zero
 * past; esn and sas the last states of two series; gak, sig and sigpde the two paths; expressions join what their factors give. Y NULL: the collection with itself, symmetric. Options as above. */
VOLT_API volt_status volt_gram_collection(const volt_kernel *kernel, const volt_view *X, int64_t n_x,
                                          const volt_view *Y, int64_t n_y, const volt_gram_options *options,
                                          volt_matrix K);

#ifdef __cplusplus
}
#endif
#endif
