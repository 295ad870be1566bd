/* src/solve/solver_table.h: the solvers, as what each needs, accepts and offers.
 *
 * Fits, plans and searches ask the table for a capability and never test which solver they have. A new solver is one file and
 * one line of VOLT_SOLVER_LIST (docs/adding_a_solver.md). */
#ifndef SOLVE_SOLVER_TABLE_H
#define SOLVE_SOLVER_TABLE_H

#include "solve/choice/choice.h"
#include "solve/exact/operator.h"
#include "volterra/solve.h"

/* Errors of rows that were left out of a fit, one after the other, from the leverages (state_sums.h). */
typedef struct volt_left_out {
    double *loo;  /* q: mean square over the last rows, at most VOLT_MOST_HELD; NaN: not known ... */
    double *gcv;  /* ... q: and its generalised form over all rows, n sum e^2 / (n - sum h)^2 */
    int64_t rows; /* in loo */
} volt_left_out;

/* How a solver iterates, and how that went. */
struct volt_pcg_moment;
typedef struct volt_iteration {
    volt_operator *landmarks; /* (optional) of the same rows as K, for a preconditioner */
    double tolerance;         /* of |r| / |y - mean| in every column */
    int64_t most_steps;
    /* (optional) A state that was saved: *found, and it is overwritten; its sizes stay. */
    volt_status (*load)(void *context, struct volt_pcg_moment *moment, bool *found);
    /* (optional) Called after every step, to save the state when it is time; `last`: in any case, nothing follows. */
    volt_status (*save)(void *context, const struct volt_pcg_moment *moment, bool last);
    void *context;

    int64_t steps;   /* receives how many were taken, ... */
    double residual; /* ... the largest residual of a column, as a last multiplication found it, ... */
    bool converged;  /* ... and whether that is enough, or forecasts no longer moved */
} volt_iteration;

/* What is to be solved: (K + alpha I) A = Y - 1 c on the rows after the washout. */
typedef struct volt_solver_task {
    volt_operator *kernel; /* K of all rows, the washout included */
    int64_t washout;
    double alpha;        /* 0: `choice` says among what to choose */
    const bool *without; /* (optional) per row kept: it has no target (0 stands for it), and is not fitted */
    bool intercept;
    double common; /* K - common 11' has the same readout, and a better condition; 0 without an intercept */
    bool centred;  /* the intercept leaves out the mean of the targets (factor.h) */
    volt_choice *choice; /* NULL when alpha is given */
    /* (optional) with alpha given: errors of held-out rows, in the units of the targets */
    volt_held_out *held_out;
    volt_kept_list *kept;        /* (optional) receives what later variances need */
    volt_row_errors *errors;     /* (optional) VOLT_ROW_ERRORS lists, in the units of the targets */
    const double *target_scale;  /* q: units of the targets, for the likelihood; NULL: not wanted */
    const volt_backend *backend; /* where K lies, for solvers that store it; NULL: the current one */
    volt_progress progress;
    volt_left_out *left_out;   /* (optional) of solvers that offer leverages: receives these */
    volt_iteration *iteration; /* of solvers that iterate */
    const double *parameters;  /* of the solver, in the order of its entry */
    /* (optional) another loss than squares, or weights (solve/loss/loss_solve.h); 0 for alpha: chosen by
     * this loss on held-out rows. choice and held_out stay unused */
    const struct volt_loss_task *loss;
} volt_solver_task;

/* What comes of it. The caller makes room. */
typedef struct volt_readout {
    volt_matrix A;      /* rows kept x q: the targets; receives the coefficients */
    double *intercepts; /* q: what a forecast adds to K A */
    double *unlearned;  /* q: the mean of the targets where that is left out, else 0 */
    /* of states x q: where the operator has states, for a solver that works on them: their readout */
    volt_matrix states;
    volt_matrix washed; /* washout x q: receives K A of the rows of the washout; no data: not wanted */
    double rcond;       /* estimated reciprocal condition number of K + alpha I */
    volt_matrix fitted; /* of losses, rows kept x q: receives u, the intercept included; no data: not wanted */
    double alpha, objective, gap; /* of losses: receive what was minimised with which alpha */
    double log_likelihood;        /* in units of the targets (factor.h); NaN where it has no meaning */
} volt_readout;

/* How near a readout comes to that of the equations. */
typedef enum volt_accuracy {
    VOLT_ACCURACY_ROUNDING,  /* exact: taken without being asked for */
    VOLT_ACCURACY_TOLERANCE, /* taken only when asked for */
    VOLT_ACCURACY_APPROXIMATE /* the first of these is taken without being asked for where an exact fit is too much */
} volt_accuracy;

/* Functions and fields are REQUIRED unless marked (optional). */
typedef struct volt_solver {
    volt_solver_info info; /* its name, what it does, its own parameters */
    volt_accuracy accuracy;
    const char *reason; /* (optional) why a plan takes it, of exact ones */
    struct {
        bool matrix;    /* K is stored: 8 n^2 bytes, at the back end of the task if it accepts devices */
        bool rows;      /* all rows, to make K again, block by block; the model keeps them */
        bool states;    /* a kernel with explicit states */
        bool landmarks; /* landmarks: of the readout itself unless it needs rows, else in task->iteration */
    } needs;
    struct {
        bool
            losses; /* tasks with a loss or weights, and only those; another entry of its name takes the others */
        bool device;  /* its work may run at any back end */
        bool centred; /* centred kernels without an intercept */
    } accepts;
    struct {
        bool factor;      /* task->kept: the factor of the Gram matrix */
        bool leverages;   /* task->left_out */
        bool checkpoints; /* load and save of task->iteration */
    } offers;
    int64_t
        iterations; /* (optional) of one that iterates: steps at most and tolerance where options say nothing ... */
    double tolerance;
    double products;                    /* ... and products with K that plans count on */
    int64_t (*landmarks)(int64_t rows); /* (optional) how many are usual for so many rows; it needs landmarks */
    /* (optional) How far above the exact fit's the RMSE is expected, as a share of it (volt_solver_plan). */
    void (*errors)(int64_t n, int64_t landmarks, double *usual, double *noise_free);
    /* Does it take n rows and q outputs of a kernel with so many states or landmarks (0: it has none), with so many bytes
     * available (0: unknown)? */
    bool (*takes)(int64_t n, int64_t q, int64_t states, double available);
    /* Peak memory in bytes, beside inputs, targets and the model. Grows with n. */
    double (*bytes)(double n, double q, double states);
    /* Roughly the seconds that n rows take, beside the entries of K or the states, from a trial on this machine. */
    volt_status (*seconds)(double n, double states, double *seconds);

    /* (optional) Allocates what solve works in; release frees it, also after a failure (NULL is fine). */
    volt_status (*prepare)(const volt_solver_task *task, const volt_readout *readout, void **workspace);
    volt_status (*solve)(const volt_solver_task *task, void *workspace, volt_readout *readout);
    void (*release)(void *workspace);
} volt_solver;

/* The solvers in the order of volt_solver_at. Of exact ones that take a task the last is preferred. */
#define VOLT_SOLVER_LIST(X) \
    X(exact)                \
    X(nystrom)              \
    X(features)             \
    X(pcg)                  \
    X(loss)

#define VOLT_DECLARE_SOLVER(name) extern const volt_solver volt_solver_##name;
VOLT_SOLVER_LIST(VOLT_DECLARE_SOLVER)
#undef VOLT_DECLARE_SOLVER

/* The same as a table that NULL ends. */
extern const volt_solver *const volt_solver_table[];

/* prepare, solve and release. */
volt_status volt_solver_run(const volt_solver *solver, const volt_solver_task *task, volt_readout *readout);

/* ---- which one -------------------------------------------------------------------------------- */

/* A solver by its text, NAME[:PARAMETER=VALUE,...]. */
typedef struct volt_solver_setting {
    const volt_solver *solver; /* NULL: "auto" */
    double parameters[VOLT_SOLVER_PARAMETERS];
} volt_solver_setting;

/* What a fit asks of its solver. */
typedef struct volt_solver_request {
    bool loss;                              /* or weights */
    bool factor;                            /* to be kept */
    bool centred;                           /* a centred kernel without an intercept */
    bool landmarks, iterations, checkpoint; /* are given */
    double tolerance;
} volt_solver_request;

/* NULL is "auto". VOLT_ERR_ARGUMENT for an unknown solver or parameter, a value outside its range, and a solver that cannot do
 * what is asked for, with those that can. */
volt_status volt_solver_parse(const char *text, const volt_solver_request *request,
                              volt_solver_setting *setting);
/* Can it? NULL: some solver is found. */
volt_status volt_solver_check(const volt_solver *solver, const volt_solver_request *request);

/* Bytes available to a solver of n rows at this back end, whose own memory is not counted. 0: unknown. */
double volt_solver_available(const volt_backend *backend, int64_t n);

/* The exact one for the task, with a loss or without; the first of the table where none takes it, whose figures then show
 * what is lacking. */
const volt_solver *volt_solver_choose(int64_t n, int64_t q, int64_t states, bool loss, double available);

/* The one that stands in where an exact fit is too much. */
const volt_solver *volt_solver_approximate(void);

/* Is the readout one of landmarks, the rows being walked past block by block and not kept? */
bool volt_solver_keeps_landmarks(const volt_solver *solver);

/* Does it make K again, or K against landmarks, and store neither K nor states of the kernel? */
bool volt_solver_walks(const volt_solver *solver);

/* The number of landmarks it has for so many rows; `wanted` 0: the usual one. 0: it needs none. */
int64_t volt_solver_landmarks(const volt_solver *solver, int64_t wanted, int64_t rows);

/* Of one that walks: peak memory in bytes of a whole fit, n rows of d columns as the kernel sees them, q outputs. */
double volt_solver_fit_bytes(const volt_solver *solver, double n, double d, double q, double landmarks);

#endif
