/* src/solve/solver_table.h: the table of solvers: requirements, accepted tasks and optional results.
 *
 * Fits, plans and searches query the table for a capability; they never test for a particular solver. To add
 * a solver, write one file and add one line to VOLT_SOLVER_LIST (docs/adding_parts.md). */
#ifndef SOLVE_SOLVER_TABLE_H
#define SOLVE_SOLVER_TABLE_H

#include "solve/choice/choice.h"
#include "solve/exact/factor.h"
#include "solve/exact/operator.h"
#include "volterra/solve.h"

/* Leave-one-out errors, from the leverages (state_sums.h). */
typedef struct volt_loo_errors {
    double *loo;  /* q: mean square over the last rows, at most VOLT_MAX_HELD_OUT; NaN: unknown */
    double *gcv;  /* q: generalised cross-validation over all rows, n sum e^2 / (n - sum h)^2 */
    int64_t rows; /* number of rows in loo */
} volt_loo_errors;

/* Options and results of an iterative solver. */
struct volt_pcg_state;
typedef struct volt_iteration {
    volt_operator *landmarks; /* (optional) operator of the same rows as K, for a preconditioner */
    double tolerance;         /* on |r| / |y - mean| in every column */
    int64_t max_steps;
    /* (optional) Overwrites the state with a saved one and sets *found. The sizes do not change. */
    volt_status (*load)(void *context, struct volt_pcg_state *state, bool *found);
    /* (optional) Called after every step, to save the state when it is due; `last`: save in any case. */
    volt_status (*save)(void *context, const struct volt_pcg_state *state, bool last);
    void *context;

    int64_t steps;   /* result: number of steps */
    double residual; /* result: the largest residual of a column, from a final multiplication */
    bool converged;  /* result: the residual is small enough, or predictions no longer changed */
} volt_iteration;

/* Fits on the first landmarks of a nested set, from the sums of all of them: leading blocks of the sums and of the factor of
 * the landmarks belong to the first ones. */
enum { VOLT_LANDMARK_LEVELS = 8 };
typedef struct volt_landmark_levels {
    bool conditions;                 /* the condition numbers are needed */
    int64_t count;                   /* of levels, the last with all landmarks; 0: none */
    int64_t m[VOLT_LANDMARK_LEVELS]; /* landmarks, increasing */
    /* results: mean squared error of the held-out rows, summed over the outputs; NaN: no rows are held out */
    double mse[VOLT_LANDMARK_LEVELS];
    /* ... and the condition number of K + alpha I preconditioned with these landmarks, with K approximated by all
     * landmarks; 1 at the last level */
    double condition[VOLT_LANDMARK_LEVELS];
} volt_landmark_levels;

/* The problem: (K + alpha I) A = Y - 1 c on the rows after the washout. */
typedef struct volt_solver_task {
    volt_operator *kernel; /* K of all rows, the washout included */
    int64_t washout;
    double alpha;        /* 0: chosen with `choice` */
    const bool *without; /* (optional) per kept row: it has no target (Y holds 0) and is not fitted */
    bool intercept;
    double common; /* K - common 11' has the same readout and a better condition; 0 without an intercept */
    bool centred;  /* the intercept excludes the mean of the targets (factor.h) */
    volt_choice *choice; /* NULL if alpha is given */
    /* (optional) with alpha given: errors of held-out rows, in the units of the targets */
    volt_held_out *held_out;
    volt_stored_factors *stored_factors; /* (optional) receives the factors needed for variances */
    volt_row_errors *errors;             /* (optional) VOLT_ROW_ERRORS lists, in the units of the targets */
    const double *target_scale;          /* q: units of the targets, for the likelihood; NULL: not computed */
    const volt_backend *backend; /* memory of K, for solvers that store it; NULL: the current back end */
    volt_progress progress;
    volt_loo_errors
        *loo_errors;           /* (optional) receives leave-one-out errors, from solvers that offer leverages */
    volt_iteration *iteration; /* for iterative solvers */
    /* (optional) the solver "nystrom" computes these and no readout, with operators of nested landmarks */
    volt_landmark_levels *levels;
    /* (optional) a loss other than squares, or weights (solve/loss/loss_solve.h). With alpha 0, alpha is
     * chosen by this loss on held-out rows; choice and held_out are not used */
    const struct volt_loss_task *loss;
} volt_solver_task;

/* The result. The caller allocates it. */
typedef struct volt_readout {
    volt_matrix A;      /* rows kept x q: the targets on entry, the coefficients on return */
    double *intercepts; /* q: constant added to K A in predictions */
    double *unlearned;  /* q: the mean of the targets if it is excluded, else 0 */
    /* states x q: the readout of states, for solvers that work on the states of the operator */
    volt_matrix states;
    volt_matrix washout_fitted; /* washout x q: receives K A of the washout rows; no data: not computed */
    double rcond;               /* estimated reciprocal condition number of K + alpha I */
    volt_matrix fitted; /* losses only, rows kept x q: receives u with the intercept; no data: not computed */
    double alpha, objective, gap; /* losses only: receive alpha, the minimum and the duality gap */
    double log_likelihood;        /* in units of the targets (factor.h); NaN if undefined */
    /* (optional) q each, NaN on entry: effective dimension (volt_factor_dimension) and its standard error; 0 for
     * outputs without the kernel. Not changed by a solver that has none */
    double *dimension, *dimension_error;
} volt_readout;

/* Accuracy of the readout. */
typedef enum volt_accuracy {
    VOLT_ACCURACY_ROUNDING,   /* exact: selected automatically */
    VOLT_ACCURACY_TOLERANCE,  /* selected only on request */
    VOLT_ACCURACY_APPROXIMATE /* the first of these is selected automatically when an exact fit is too large */
} volt_accuracy;

/* Functions and fields are REQUIRED unless marked (optional). */
typedef struct volt_solver {
    volt_solver_info info; /* name and description */
    volt_accuracy accuracy;
    const char *reason; /* (optional) the reason that plans report, for exact solvers */
    struct {
        bool matrix;    /* stores K: 8 n^2 bytes, at the back end of the task if it accepts devices */
        bool rows;      /* all rows, to recompute K block by block; the model keeps them */
        bool states;    /* a kernel with explicit states */
        bool landmarks; /* landmarks: for the readout itself, or in task->iteration if the solver needs rows */
    } needs;
    struct {
        bool losses;  /* only tasks with a loss or weights; another entry with the same name takes the others */
        bool device;  /* may run at any back end */
        bool centred; /* centred kernels without an intercept */
    } accepts;
    struct {
        bool factor;      /* task->stored_factors: the factor of the Gram matrix */
        bool leverages;   /* task->loo_errors */
        bool checkpoints; /* load and save of task->iteration */
    } offers;
    int64_t iterations; /* (optional) iterative solvers: default maximum number of steps and tolerance ... */
    double tolerance;
    double products; /* ... and the number of products with K assumed by plans */
    /* (optional) default number of landmarks for `rows` rows; required if it needs landmarks */
    int64_t (*landmarks)(int64_t rows);
    /* (optional) Expected RMSE relative to the exact fit, as a relative increase (volt_solver_plan). */
    void (*errors)(int64_t n, int64_t landmarks, double *usual, double *noise_free);
    /* Returns whether it accepts n rows and q outputs of a kernel with `states` states or landmarks (0: none) and
     * `available` bytes of memory (0: unknown). */
    bool (*takes)(int64_t n, int64_t q, int64_t states, double available);
    /* Peak memory in bytes, without inputs, targets and the model. Increases with n. */
    double (*bytes)(double n, double q, double states);
    /* Approximate seconds for n rows, without the entries of K or the states, from a trial on this machine. */
    volt_status (*seconds)(double n, double states, double *seconds);

    volt_status (*solve)(const volt_solver_task *task, volt_readout *readout);
} volt_solver;

/* The solvers in the order of volt_solver_at. The last exact solver that accepts a task is preferred. */
#define VOLT_SOLVER_LIST(X) \
    X(exact)                \
    X(nystrom)              \
    X(features)             \
    X(pcg)                  \
    X(loss)

#define VOLT_DECLARE_SOLVER(name) extern const volt_solver volt_solver_##name;
VOLT_SOLVER_LIST(VOLT_DECLARE_SOLVER)
#undef VOLT_DECLARE_SOLVER

/* The same list, terminated by NULL. */
extern const volt_solver *const volt_solver_table[];

/* For solvers that store K: fills it, which is `share` of the progress, and computes K A for the rows of the washout. */
volt_status volt_solver_fill(volt_factor *factor, const volt_solver_task *task, double share);
void volt_solver_fill_washout(const volt_factor *factor, const volt_solver_task *task, volt_readout *readout);

/* ---- which one -------------------------------------------------------------------------------- */

/* Requirements of a fit. */
typedef struct volt_solver_request {
    bool loss;                              /* a loss or weights */
    bool factor;                            /* keep the factor */
    bool centred;                           /* a centred kernel without an intercept */
    bool landmarks, iterations, checkpoint; /* these options are set */
    double tolerance;
} volt_solver_request;

/* The solver with this name; NULL: "auto". VOLT_ERR_ARGUMENT for an unknown solver, or one that does not support the
 * request. */
volt_status volt_solver_parse(const char *text, const volt_solver_request *request, const volt_solver **solver);
/* Returns whether the solver supports the request. NULL: any solver. */
volt_status volt_solver_check(const volt_solver *solver, const volt_solver_request *request);

/* Bytes available to a solver of n rows at this back end, not counting memory in use by the solver. 0:
 * unknown. */
double volt_solver_available(const volt_backend *backend, int64_t n);

/* The exact solver for the task, with or without a loss. If none accepts it, returns the first of the table,
 * whose figures show what is missing. */
const volt_solver *volt_solver_choose(int64_t n, int64_t q, int64_t states, bool loss, double available);

/* The solver used when an exact fit is too large. */
const volt_solver *volt_solver_approximate(void);

/* Returns whether the readout uses landmarks, with rows processed block by block and not stored. */
bool volt_solver_keeps_landmarks(const volt_solver *solver);

/* Returns whether it recomputes K, or K against landmarks, and stores neither K nor states of the kernel. */
bool volt_solver_recomputes(const volt_solver *solver);

/* The number of landmarks for `rows` rows; `wanted` 0: the default. Returns 0 if the solver needs none. */
int64_t volt_solver_landmarks(const volt_solver *solver, int64_t wanted, int64_t rows);

/* For solvers that recompute K: peak memory in bytes of a whole fit with n rows of d columns passed to the
 * kernel and q outputs. */
double volt_solver_fit_bytes(const volt_solver *solver, double n, double d, double q, double landmarks);

#endif
