/* volterra/kernel.h: kernels between sequences, given as text, and their Gram matrices.
 *
 *     volt_kernel *kernel = NULL;
 *     volt_status status = volt_kernel_parse("volterra:tau=0.4,lambda=0.7", &kernel);
 *     if (!status)
 *         status = volt_gram(kernel, X, volt_view_of(NULL, 0, 0), NULL, K);
 *     volt_kernel_free(kernel);
 *
 * A kernel is NAME or NAME:PARAMETER=VALUE,... Omitted parameters have defaults. */
#ifndef VOLTERRA_KERNEL_H
#define VOLTERRA_KERNEL_H

#include "volterra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct volt_kernel volt_kernel;

/* ---- text ------------------------------------------------------------------------------------- */

/* Parses a kernel. VOLT_ERR_KERNEL: an unknown kernel or parameter (the message suggests the closest name), or a value that is
 * malformed or out of range for any data. */
VOLT_API volt_status volt_kernel_parse(const char *text, volt_kernel **kernel);
VOLT_API void volt_kernel_free(volt_kernel *kernel);

/* ---- table of kernels ------------------------------------------------------------------------- */

typedef enum volt_parameter_kind {
    VOLT_PARAMETER_REAL,
    VOLT_PARAMETER_INTEGER,
    VOLT_PARAMETER_CHOICE,
    VOLT_PARAMETER_TEXT /* a text without blanks or commas, such as the name of a file */
} volt_parameter_kind;

/* Distribution of an open parameter in a search. */
typedef enum volt_search_law {
    VOLT_SEARCH_NONE,    /* not searched: the default */
    VOLT_SEARCH_LOG,     /* log-uniform */
    VOLT_SEARCH_LINEAR,  /* uniform */
    VOLT_SEARCH_INTEGER, /* uniform integers */
    VOLT_SEARCH_LOG_INTEGER
} volt_search_law;

/* Unit of the range of a search, derived from the data. */
typedef enum volt_unit {
    VOLT_UNIT_ONE,
    VOLT_UNIT_DISTANCE,      /* median distance of two rows times sqrt(window) */
    VOLT_UNIT_SQUARE,        /* its square */
    VOLT_UNIT_INVERSE_SQUARE /* inverse of its square */
} volt_unit;

typedef struct volt_parameter_info {
    const char *name;
    const char *meaning;
    const char *fallback; /* default as text; NULL: none, see meaning */
    const char *range;    /* allowed values, e.g. "(0, 1)" or "geometric, even, ..." */
    volt_parameter_kind kind;
    int closed;       /* REAL: 1: low is allowed, 2: high is allowed, 3: both [count 0 to 3] */
    double low, high; /* REAL, INTEGER: the range. INTEGER includes both ends, REAL those in `closed` */
    /* CHOICE: NULL-terminated; a word that ends in ':' is followed by a number [other] */
    const char *const *words;
    volt_search_law search;
    volt_unit unit;
    double search_low, search_high; /* in that unit */
} volt_parameter_info;

typedef struct volt_kernel_info {
    size_t struct_size; /* set by the caller */
    const char *name;
    const char *formula;
    /* cost of one Gram entry on a sequence; then, after semicolons, variants of the options */
    const char *cost;
    const char *notes;                     /* lines about its choices, ready to print; NULL: none */
    const volt_parameter_info *parameters; /* [array n_parameters] */
    int64_t n_parameters;
    /* for one kernel, valid as long as it exists; NULL and 0 in the table */
    const char *text; /* with every parameter; parses to the same kernel, bit for bit */
    /* n_names that volt_kernel_get accepts, in the order of the text [array n_names] */
    const char *const *names;
    int64_t n_names;
} volt_kernel_info;

/* Returns entry `index`, from 0, of the table of kernels; NULL after the last. */
VOLT_API const volt_kernel_info *volt_kernel_at(int64_t index);
/* Gets the table entry of a kernel (of an expression, that of its first factor) with its text and the names of its
 * parameters. */
VOLT_API volt_status volt_kernel_get_info(const volt_kernel *kernel, volt_kernel_info *info);

/* ---- parameters of one kernel ----------------------------------------------------------------- */

enum { VOLT_VALUE_LENGTH = 256 };

typedef struct volt_kernel_value {
    size_t struct_size;              /* set by the caller */
    const volt_parameter_info *info; /* [struct] */
    int given;                       /* 1: set in the text that was parsed */
    int present;   /* 1: has a value, given or default; 0: not used, or derived from the data */
    double number; /* REAL, INTEGER: the value; CHOICE: the number after a word that ends in ':'; otherwise 0 */
    char text[VOLT_VALUE_LENGTH]; /* the value as text: 0.25, even, poly:3; "" if not present */
} volt_kernel_value;

/* Gets a parameter by name. Use this instead of parsing the text. VOLT_ERR_KERNEL: unknown parameter; the message suggests
 * the closest name. */
VOLT_API volt_status volt_kernel_get(const volt_kernel *kernel, const char *name, volt_kernel_value *value);

/* ---- properties of a kernel on inputs of norm at most M ---------------------------------------- */

typedef struct volt_kernel_facts {
    size_t struct_size; /* set by the caller */
    double radius;      /* M, the largest |z| */
    double tau;         /* computed from tau_coef if given; 0: the kernel has none */
    double lambda;
    double lambda_bound; /* strict upper bound of lambda */
    double sup_kappa;    /* largest local value on the ball */
    double contraction;  /* contraction rate, lambda^2 sup_kappa */
    double largest;      /* bound on |K| */
    double horizon;      /* memory length: steps until the influence of an input is below eps */
} volt_kernel_facts;

/* Computes the properties of the kernel for |z| <= radius in d dimensions; eps in (0, 1) applies to the horizon.
 * VOLT_ERR_ARGUMENT if a parameter exceeds its bound there; the message names the value and the bound. */
VOLT_API volt_status volt_kernel_query(const volt_kernel *kernel, double radius, int64_t d, double eps,
                                       volt_kernel_facts *facts);

/* ---- Gram matrices ---------------------------------------------------------------------------- */

typedef struct volt_gram_options {
    size_t struct_size;
    double radius; /* M, at least the largest norm among the rows of X and Y; 0 (default): that norm */
    int mirror;    /* Y empty: copy the lower triangle to the upper one (default: 1) [flag] */
    int normalise; /* 1: K[i][j] / sqrt(k(x_i, x_i) k(y_j, y_j)), so that K(x, x) = 1 (default: 0) */
    volt_progress progress;
    /* 1: distances of the states, sqrt(k(x_i, x_i) + k(y_j, y_j) - 2 K[i][j]), in place of K; with normalise, of the
     * normalised states (default: 0). A square below 16 eps times the sum of the first two terms is rounding error, and the
     * distance is 0. The smallest distance other than 0 is about 6e-8 of the norms of the states */
    int distance;
} volt_gram_options;
VOLT_API volt_gram_options volt_gram_options_default(void);

/* Computes the largest norm of a row of X. The parameters tau_coef and lambda_coef are relative to bounds that depend on the
 * radius, so that a different radius means a different kernel. All matrices of one problem (training rows; test rows against
 * training rows) require one radius in volt_gram_options that covers all rows. A warning is logged for a matrix without a
 * given radius whose rows have larger norms than its columns. VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE. */
VOLT_API volt_status volt_radius(volt_view X, double *radius);

/* Computes K[i][j], the kernel of X up to row i and Y up to row j, both with zero initial state. Y empty (data NULL): Y = X and
 * K is symmetric, n x n; without mirror the strict upper triangle is not written. Otherwise K is X.rows x Y.rows, and
 * normalising also computes the kernels of X and of Y with themselves. options may be NULL. VOLT_ERR_DATA: normalising a row
 * with k(x, x) <= 0. */
VOLT_API volt_status volt_gram(const volt_kernel *kernel, volt_view X, volt_view Y,
                               const volt_gram_options *options, volt_matrix K);

/* Computes the largest eigenvalues of the Gram matrix K of X (n x d) with itself, in decreasing order: row i of `out` (count x
 * 2, 1 <= count <= n) receives eigenvalue i and the effective dimension tr K (K + alpha I)^-1 at alpha equal to it. All n
 * eigenvalues, or more than a sixth of them, come from a full decomposition (n^3 operations). Fewer come from a Lanczos
 * iteration (n^2 each) to a residual of 1e-10 times the largest; eigenvalues of a multiplicity above 1 are then counted once.
 * Eigenvalues below n eps times the largest are rounding errors, and negative ones become 0. For such alphas the dimension is
 * computed at n eps times the largest. With count < n the dimension is a lower bound: the remaining eigenvalues, whose sum is
 * known, are taken as equal to the last one that was computed. Stores K, n^2 numbers. options as above (mirror is ignored),
 * may be NULL. VOLT_ERR_ARGUMENT for distance, and as volt_gram. */
VOLT_API volt_status volt_gram_spectrum(const volt_kernel *kernel, volt_view X,
                                        const volt_gram_options *options, volt_matrix out);

/* The same for collections: K[i][j] is the kernel of series X[i] and series Y[j], each rows x d; lengths may differ.
 * volterra, fading, memory, fir and recurrent compare the states at the ends of two series, with zero initial state; esn and
 * sas the last states; gak, sig and sigpde the two paths; expressions combine their factors. Y NULL: the collection with
 * itself, symmetric. Options as above. */
VOLT_API volt_status volt_gram_collection(const volt_kernel *kernel, const volt_view *X, int64_t n_x,
                                          const volt_view *Y, int64_t n_y, const volt_gram_options *options,
                                          volt_matrix K);

#ifdef __cplusplus
}
#endif
#endif
