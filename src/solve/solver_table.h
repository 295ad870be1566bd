/* src/solve/solver_table.h: the ways from a kernel and targets to a readout.
 *
 * A fit asks the table, not an algorithm: which solver takes so many rows in the memory there is, what it needs and how
 * long it may take. A new solver is one file and one line of VOLT_SOLVER_LIST. */
#ifndef SOLVE_SOLVER_TABLE_H
#define SOLVE_SOLVER_TABLE_H

#include "solve/choice/choice.h"
#include "solve/exact/operator.h"

/* Errors of rows that were left out of a fit, one after the other, from the leverages (state_sums.h). */
typedef struct volt_left_out {
    double *loo;  /* q: mean square over the last rows, at most VOLT_MOST_HELD; NaN: not known ... */
    double *gcv;  /* ... q: and its generalised form over all rows, n sum e^2 / (n - sum h)^2 */
    int64_t rows; /* in loo */
} volt_left_out;

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
    volt_left_out *left_out; /* (optional) of solvers on features: receives these */
    struct volt_pcg *pcg;    /* of the solver that iterates: how, and how it went (pcg.h) */
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

/* Every entry is REQUIRED. */
typedef struct volt_solver {
    const char *name;
    const char *meaning; /* one line */
    bool any_loss;       /* solves tasks with a loss, and only those */
    bool stores_matrix;  /* K lies at the back end of the task: 8 n^2 of its bytes are there */
    /* it takes kernels with explicit states, and asks for those alone; else it asks for rows of K */
    bool on_states;
    /* it takes a task with `pcg`, whose landmarks the states are, and is taken where it is asked for alone */
    bool iterates;
    bool on_landmarks; /* the states are what landmarks make of the rows, as many as there are landmarks */
    /* Does it take n rows and q outputs of a kernel with so many states (0: it has none), with so many bytes to be had (0:
     * unknown)? */
    bool (*takes)(int64_t n, int64_t q, int64_t states, double available);
    /* Bytes at its peak, beside inputs, targets and the model. Grows with n. */
    double (*bytes)(double n, double q, double states);
    /* Roughly the seconds that n rows take, beside the entries of K or the states, from a trial on this machine. */
    volt_status (*seconds)(double n, double states, double *seconds);
    volt_status (*solve)(const volt_solver_task *task, volt_readout *readout);
} volt_solver;

/* The solvers, the one to be preferred first: a new one, volt_solver_NAME, is one line here. */
#define VOLT_SOLVER_LIST(X) \
    X(features)             \
    X(cholesky)             \
    X(nystrom)              \
    X(pcg)                  \
    X(loss)

#define VOLT_DECLARE_SOLVER(name) extern const volt_solver volt_solver_##name;
VOLT_SOLVER_LIST(VOLT_DECLARE_SOLVER)
#undef VOLT_DECLARE_SOLVER

/* The same as a table that NULL ends. */
extern const volt_solver *const volt_solver_table[];

/* Bytes to be had for a solver of n rows at this back end: what lies there is not taken from this process. 0: unknown. */
double volt_solver_available(const volt_backend *backend, int64_t n);

/* The first exact one that takes the task, with a loss or without; the last of all such where none does, whose figures then say
 * what is lacking. */
const volt_solver *volt_solver_choose(int64_t n, int64_t q, int64_t states, bool loss, double available);

#endif
