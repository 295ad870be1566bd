/* tests/support/plain_losses.c: barrier and Newton in the space of features. */
#include "support/plain_losses.h"

#include "support/plain_linear.h"

#include <math.h>
#include <string.h>

/* Slopes carry the rounding of u divided by mu. A longer long double gives better lower bounds. */
typedef long double real;

enum { MAX_UNKNOWNS = (PLAIN_ROWS + 1) * PLAIN_COLUMNS, MAX_NEWTON = 80, BISECTIONS = 60 };

static bool is_lines(plain_loss_kind kind)
{
    return kind == PLAIN_QUANTILE || kind == PLAIN_EPSILON;
}

/* ---- values ----------------------------------------------------------------------------------- */

static double log_sum(int64_t m, const double *u)
{
    double most = u[0], sum = 0;
    for (int64_t k = 1; k < m; k++)
        most = fmax(most, u[k]);
    for (int64_t k = 0; k < m; k++)
        sum += exp(u[k] - most);
    return most + log(sum);
}

static double row_value(const plain_loss_problem *problem, const double *y, const double *u)
{
    double sum = 0;
    if (problem->kind == PLAIN_MULTINOMIAL) {
        for (int64_t k = 0; k < problem->columns; k++)
            sum -= y[k] * u[k];
        return sum + log_sum(problem->columns, u);
    }
    for (int64_t k = 0; k < problem->columns; k++) {
        double p = problem->p[k], r = y[k] - u[k], size = fabs(r);
        switch (problem->kind) {
        case PLAIN_HUBER:
            sum += size <= p ? r * r / 2 : p * size - p * p / 2;
            break;
        case PLAIN_QUANTILE:
            sum += r > 0 ? p * r : (p - 1) * r;
            break;
        case PLAIN_EPSILON:
            sum += size > p ? size - p : 0;
            break;
        case PLAIN_EXPECTILE:
            sum += (r > 0 ? p : 1 - p) * r * r;
            break;
        case PLAIN_LOGISTIC:
            sum += y[k] * u[k] > 0 ? log1p(exp(-y[k] * u[k])) : -y[k] * u[k] + log1p(exp(y[k] * u[k]));
            break;
        case PLAIN_POISSON:
            sum += exp(u[k]) - y[k] * u[k];
            break;
        default:
            sum += r * r / 2;
        }
    }
    return sum;
}

double plain_loss_objective(const plain_loss_problem *problem, const double *u, double norm)
{
    double sum = problem->alpha / 2 * norm;
    for (int64_t i = 0; i < problem->n; i++)
        if (problem->weights[i] > 0)
            sum += problem->weights[i] *
                   row_value(problem, problem->Y + i * problem->columns, u + i * problem->columns);
    return sum;
}

/* ---- one row of the smooth problem ------------------------------------------------------------ */

/* Slope and curvature of a row, its value, and the value at u of a linear function below it. */
typedef struct smooth_row {
    real value, below, g[PLAIN_COLUMNS], H[PLAIN_COLUMNS][PLAIN_COLUMNS];
    real way[PLAIN_COLUMNS]; /* allowed change of the slope of a column */
} smooth_row;

/* s max(0, t) with dt/du_k = sign on column k, and -sign on column l unless l < 0. Its slope is moved by
 * theta of the way that stays between 0 and s. */
static void add_hinge(real s, real t, int64_t k, int64_t l, real sign, real mu, real theta, smooth_row *row)
{
    real root = sqrtl(mu * mu + t * t * s * s / 4), d = t * s * s / 4 / (mu + root);
    real rest = 2 * mu * s * s / 4 / (mu + root) / (s / 2 + fabsl(d)); /* s/2 - |d| without cancellation */
    real low = t < 0 ? rest : s / 2 + d, high = t < 0 ? s / 2 - d : rest;
    real curvature = low * low * high * high / (mu * (low * low + high * high));
    real way = low * high / s;
    row->value += s * fmaxl(t, 0);
    row->way[k] += l < 0 ? way : 0;
    low -= sign * theta * way;
    row->below += low * t;
    row->g[k] += sign * low;
    row->H[k][k] += curvature;
    if (l < 0)
        return;
    row->g[l] -= sign * low;
    row->H[l][l] += curvature;
    row->H[k][l] -= curvature;
    row->H[l][k] -= curvature;
}

static void add_lines(const plain_loss_problem *problem, double w, const double *y, const real *u,
                      double penalty, double mu, const real *theta, smooth_row *row)
{
    for (int64_t k = 0; k < problem->columns; k++) {
        real p = problem->p[k], r = y[k] - u[k];
        if (problem->kind == PLAIN_EPSILON) {
            add_hinge(w, r - p, k, -1, -1, mu, theta[k], row);
            add_hinge(w, -r - p, k, -1, 1, mu, theta[k], row);
            continue;
        }
        row->value += w * (p - 1) * r; /* max(p r, (p - 1) r) = (p - 1) r + max(0, r) */
        row->below += w * (p - 1) * r;
        row->g[k] -= w * (p - 1);
        add_hinge(w, r, k, -1, -1, mu, theta[k], row);
        if (problem->ordered && k > 0)
            add_hinge(penalty, u[k - 1] - u[k], k - 1, k, 1, mu, 0, row);
    }
}

static void add_smooth(const plain_loss_problem *problem, double w, const double *y, const double *u,
                       smooth_row *row)
{
    int64_t m = problem->columns;
    double all = problem->kind == PLAIN_MULTINOMIAL ? log_sum(m, u) : 0;
    row->value = row->below = w * row_value(problem, y, u);
    for (int64_t k = 0; k < m; k++) {
        double p = problem->p[k], r = y[k] - u[k], weight = r > 0 ? p : 1 - p, g = -r, h = 1, share;
        switch (problem->kind) {
        case PLAIN_HUBER:
            g = fabs(r) <= p ? -r : copysign(p, -r);
            h = fabs(r) <= p;
            break;
        case PLAIN_EXPECTILE:
            g = -2 * weight * r;
            h = 2 * weight;
            break;
        case PLAIN_LOGISTIC:
            share = 1 / (1 + exp(y[k] * u[k]));
            g = -y[k] * share;
            h = share * (1 - share);
            break;
        case PLAIN_POISSON:
            g = exp(u[k]) - y[k];
            h = exp(u[k]);
            break;
        case PLAIN_MULTINOMIAL:
            share = exp(u[k] - all);
            g = share - y[k];
            h = share;
            for (int64_t l = 0; l < m; l++)
                row->H[k][l] -= w * share * exp(u[l] - all);
            break;
        default:
            break;
        }
        row->g[k] += w * g;
        row->H[k][k] += w * h;
    }
}

/* ---- the whole -------------------------------------------------------------------------------- */

typedef struct plain_state {
    const plain_loss_problem *problem;
    double penalty, mu;
    int64_t unknowns;
    real x[MAX_UNKNOWNS]; /* column by column: b, then the intercept */
    real r[MAX_UNKNOWNS], high, low, way[PLAIN_COLUMNS];
    double H[MAX_UNKNOWNS * MAX_UNKNOWNS];
} plain_state;

static double feature(const plain_loss_problem *problem, int64_t i, int64_t f)
{
    return f < problem->rank ? problem->F[i * problem->rank + f] : problem->intercept ? 1 : 0;
}

/* Value, lower bound and gradient at x, and with `curved` the Hessian; slopes of column k are moved by
 * theta[k]. */
static void evaluate_moved(plain_state *s, const real *x, bool curved, const real *theta)
{
    const plain_loss_problem *problem = s->problem;
    int64_t m = problem->columns, size = problem->rank + 1;
    real along_b = 0, along_c = 0;
    s->high = s->low = 0;
    memset(s->r, 0, sizeof s->r);
    memset(s->way, 0, sizeof s->way);
    if (curved)
        memset(s->H, 0, (size_t)(s->unknowns * s->unknowns) * sizeof *s->H);
    for (int64_t i = 0; i < problem->n; i++) {
        real u[PLAIN_COLUMNS] = {0};
        double near[PLAIN_COLUMNS], w = problem->weights[i];
        const double *y = problem->Y + i * m;
        smooth_row row = {0};
        if (w == 0)
            continue;
        for (int64_t k = 0; k < m; k++)
            for (int64_t f = 0; f < size; f++)
                near[k] = (double)(u[k] += feature(problem, i, f) * x[k * size + f]);
        if (is_lines(problem->kind))
            add_lines(problem, w, y, u, s->penalty, s->mu, theta, &row);
        else
            add_smooth(problem, w, y, near, &row);
        s->high += row.value;
        s->low += row.below;
        for (int64_t k = 0; k < m; k++)
            s->way[k] += row.way[k];
        for (int64_t k = 0; k < m; k++)
            for (int64_t f = 0; f < size; f++) {
                s->r[k * size + f] += row.g[k] * feature(problem, i, f);
                for (int64_t l = 0; curved && l < m; l++)
                    for (int64_t e = 0; e < size; e++)
                        s->H[(k * size + f) * s->unknowns + l * size + e] +=
                            (double)row.H[k][l] * feature(problem, i, f) * feature(problem, i, e);
            }
    }
    for (int64_t k = 0; k < m; k++)
        for (int64_t f = 0; f < problem->rank; f++) {
            int64_t at = k * size + f;
            s->high += problem->alpha / 2 * x[at] * x[at];
            s->low += problem->alpha / 2 * x[at] * x[at];
            s->r[at] += problem->alpha * x[at];
            s->H[at * s->unknowns + at] += curved ? problem->alpha : 0;
            along_b += s->r[at] * s->r[at];
        }
    for (int64_t k = 0; k < m; k++)
        along_c += fabsl(s->r[k * size + problem->rank]);
    s->low -= along_b / (2 * problem->alpha) + PLAIN_REACH * along_c;
}

static void evaluate(plain_state *s, const real *x, bool curved)
{
    static const real none[PLAIN_COLUMNS] = {0};
    evaluate_moved(s, x, curved, none);
}

/* Both bounds at x, with slopes whose sums are 0 up to rounding: those of the smooth problem have the
 * roundings of u over mu. */
static void bracket(plain_state *s)
{
    int64_t size = s->problem->rank + 1;
    real theta[PLAIN_COLUMNS] = {0};
    for (int round = 0; round < 3; round++) {
        evaluate_moved(s, s->x, false, theta);
        for (int64_t k = 0; k < s->problem->columns; k++) {
            real more = s->way[k] > 0 ? s->r[k * size + s->problem->rank] / s->way[k] : 0;
            theta[k] = fminl(fmaxl(theta[k] + more, -1), 1);
        }
    }
}

static real derivative(plain_state *s, const double *step, double tau)
{
    real x[MAX_UNKNOWNS] = {0}, sum = 0;
    for (int64_t i = 0; i < s->unknowns; i++)
        x[i] = s->x[i] + tau * step[i];
    evaluate(s, x, false);
    for (int64_t i = 0; i < s->unknowns; i++)
        sum += s->r[i] * step[i];
    return sum;
}

/* A Newton step with a search for the root of the derivative; false: none leads down any more. */
static bool newton_step(plain_state *s)
{
    double step[MAX_UNKNOWNS], most = 0, low = 0, high = 1;
    int64_t n = s->unknowns;
    evaluate(s, s->x, true);
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, s->H[i * n + i]);
    for (int64_t i = 0; i < n; i++) {
        s->H[i * n + i] += 1e-14 * most + 1e-290; /* directions without curvature */
        step[i] = (double)-s->r[i];
    }
    plain_solve(volt_view_of(s->H, n, n), volt_matrix_of(step, n, 1));
    if (!(derivative(s, step, 0) < 0))
        return false;
    if (!(derivative(s, step, 1) <= 0))
        for (int i = 0; i < BISECTIONS; i++) {
            double middle = low > 0 ? (low + high) / 2 : high / 8;
            if (derivative(s, step, middle) <= 0)
                low = middle;
            else
                high = middle;
            if (low > 0 && high - low < 1e-3 * low)
                break;
        }
    else
        low = 1;
    for (int64_t i = 0; i < n; i++)
        s->x[i] += low * step[i];
    return low > 0;
}

/* Follows mu to 0 from x on. */
static void follow(plain_state *s, double start, double *low, double *high)
{
    const plain_loss_problem *problem = s->problem;
    double hinges = 4 * (double)(problem->n * problem->columns);
    bool lines = is_lines(problem->kind);
    s->mu = start / (double)problem->n;
    for (int round = 0; round < (lines ? 45 : 1); round++, s->mu /= 4)
        for (int i = 0; i < MAX_NEWTON; i++) {
            bool moved = newton_step(s);
            bracket(s);
            bool better = s->low > *low;
            *low = fmax(*low, (double)s->low);
            *high = fmin(*high, (double)s->high);
            if (*high - *low <= 1e-10 * fabs(start))
                return;
            if (!moved || (lines ? s->high - s->low <= 2 * s->mu * hinges : i > 60 && !better))
                break;
        }
}

static double largest_crossing(const plain_state *s)
{
    const plain_loss_problem *problem = s->problem;
    int64_t size = problem->rank + 1;
    real most = 0;
    for (int64_t i = 0; problem->ordered && i < problem->n; i++)
        for (int64_t k = 1; problem->weights[i] > 0 && k < problem->columns; k++) {
            real over = 0;
            for (int64_t f = 0; f < size; f++)
                over += feature(problem, i, f) * (s->x[(k - 1) * size + f] - s->x[k * size + f]);
            most = fmaxl(most, over);
        }
    return (double)most;
}

void plain_loss_minimum(const plain_loss_problem *problem, double *low, double *high)
{
    plain_state s = {.problem = problem, .unknowns = (problem->rank + 1) * problem->columns, .mu = 1};
    double total = 0, start;
    for (int64_t i = 0; i < problem->n; i++)
        total += problem->weights[i];
    s.penalty = (double)problem->columns * total + 1;
    evaluate(&s, s.x, false);
    start = (double)s.high;
    *low = start == 0 ? 0 : -INFINITY; /* no loss is below 0 but that of counts, which is positive here */
    for (int round = 0; round < 6; round++, s.penalty *= 20) {
        *high = start == 0 ? 0 : INFINITY;
        if (start != 0)
            follow(&s, start, low, high);
        if (largest_crossing(&s) <= 1e-8)
            return;
    }
    *high = INFINITY;
}
