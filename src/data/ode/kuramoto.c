/* src/data/ode/kuramoto.c: the Kuramoto-Sivashinsky equation.
 *
 *     u_t = -u u_x - u_xx - u_xxxx,    periodic on [0, domain)
 *
 * In Fourier space v_t = L v + N(v) with wavenumbers q, L = q^2 - q^4 and N(v) = -i q/2 F(u^2). The linear part is
 * exact, the other fourth order (ETDRK4: Cox and Matthews, Journal of Computational Physics 176, 2002):
 *
 *     a = E2 v + Q N(v)    b = E2 v + Q N(a)    c = E2 a + Q (2 N(b) - N(v))
 *     v <- E v + f1 N(v) + 2 f2 (N(a) + N(b)) + f3 N(c),    E = e^{hL}, E2 = e^{hL/2}
 *
 * Q, f1, f2 and f3 are means over a circle around hL, which avoids their cancellation at 0 (Kassam and Trefethen,
 * "Fourth-order time-stepping for stiff PDEs", SIAM Journal on Scientific Computing 26, 2005). The mode of the
 * highest frequency has no derivative on the grid and is held at 0. */
#include "base/error.h"
#include "base/fft.h"
#include "base/memory.h"
#include "data/process.h"
#include "data/system_table.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { CIRCLE = 32 /* points of the upper half of the circle */, N_FACTORS = 6, N_SPECTRA = 9 };

typedef struct kuramoto {
    int64_t n;
    double *u;                             /* values at the points */
    double *q, *E, *E2, *Q, *f1, *f2, *f3; /* n each */
    double complex *v, *a, *b, *c;         /* spectra */
    double complex *Nv, *Na, *Nb, *Nc, *work;
} kuramoto;

/* Values at the points of a spectrum, the real part of the inverse transform: F^-1(w) = conj(F(conj(w))) / n. */
static void to_points(const double complex *w, int64_t n, double complex *work)
{
    for (int64_t j = 0; j < n; j++)
        work[j] = conj(w[j]);
    volt_fft(work, n);
    for (int64_t j = 0; j < n; j++)
        work[j] = creal(work[j]) / (double)n;
}

/* out = -i q/2 F(u^2) for the u of the spectrum w. */
static void nonlinear(const kuramoto *k, const double complex *w, double complex *out)
{
    to_points(w, k->n, out);
    for (int64_t j = 0; j < k->n; j++)
        out[j] *= out[j];
    volt_fft(out, k->n);
    for (int64_t j = 0; j < k->n; j++)
        out[j] *= -0.5 * k->q[j] * I;
}

/* Restores v_{n-j} = conj(v_j), the spectrum of real values. The imaginary part of the values that rounding leaves
 * does not enter the nonlinear term and would grow with the unstable modes. */
static void make_real(double complex *v, int64_t n)
{
    v[0] = creal(v[0]);
    v[n / 2] = 0;
    for (int64_t j = 1; j < n / 2; j++)
        v[n - j] = conj(v[j]);
}

static volt_status kuramoto_step(void *state, volt_stage *stage)
{
    kuramoto *k = state;
    const int64_t n = k->n;
    nonlinear(k, k->v, k->Nv);
    for (int64_t j = 0; j < n; j++)
        k->a[j] = k->E2[j] * k->v[j] + k->Q[j] * k->Nv[j];
    nonlinear(k, k->a, k->Na);
    for (int64_t j = 0; j < n; j++)
        k->b[j] = k->E2[j] * k->v[j] + k->Q[j] * k->Na[j];
    nonlinear(k, k->b, k->Nb);
    for (int64_t j = 0; j < n; j++)
        k->c[j] = k->E2[j] * k->a[j] + k->Q[j] * (2 * k->Nb[j] - k->Nv[j]);
    nonlinear(k, k->c, k->Nc);
    for (int64_t j = 0; j < n; j++)
        k->v[j] = k->E[j] * k->v[j] + k->f1[j] * k->Nv[j] + 2 * k->f2[j] * (k->Na[j] + k->Nb[j]) +
                  k->f3[j] * k->Nc[j];
    make_real(k->v, n);
    to_points(k->v, n, k->work);
    for (int64_t j = 0; j < n; j++)
        k->u[j] = creal(k->work[j]);
    volt_stage_poll(stage);
    return VOLT_OK;
}

/* ---- start ------------------------------------------------------------------------------------ */

/* Q, f1, f2 and f3 for h L = z. */
static void set_factors(kuramoto *k, int64_t j, double h, double z)
{
    double Q = 0, f1 = 0, f2 = 0, f3 = 0;
    for (int m = 0; m < CIRCLE; m++) {
        double complex r = z + cexp(I * pi * (m + 0.5) / CIRCLE), cube = r * r * r;
        Q += creal((cexp(r / 2) - 1) / r);
        f1 += creal((-4 - r + cexp(r) * (4 - 3 * r + r * r)) / cube);
        f2 += creal((2 + r + cexp(r) * (r - 2)) / cube);
        f3 += creal((-4 - 3 * r - r * r + cexp(r) * (4 - r)) / cube);
    }
    k->E[j] = exp(z);
    k->E2[j] = exp(z / 2);
    k->Q[j] = h * Q / CIRCLE;
    k->f1[j] = h * f1 / CIRCLE;
    k->f2[j] = h * f2 / CIRCLE;
    k->f3[j] = h * f3 / CIRCLE;
}

static void begin(kuramoto *k, const volt_simulate_options *options)
{
    const int64_t n = k->n;
    for (int64_t j = 0; j < n; j++) {
        double wave = j < n / 2 ? (double)j : j == n / 2 ? 0 : (double)(j - n);
        double q = 2 * pi / options->parameters[KURAMOTO_DOMAIN] * wave;
        k->q[j] = q;
        set_factors(k, j, options->step, options->step * (q * q - q * q * q * q));
        double p = 2 * pi * (double)j / (double)n;
        k->u[j] = options->start[0] * (sin(p) + cos(2 * p)); /* in no invariant subspace */
        k->v[j] = k->u[j];
    }
    volt_fft(k->v, n);
    make_real(k->v, n);
}

volt_status volt_kuramoto_run(const volt_system_entry *entry, const volt_simulate_options *options,
                              volt_matrix out)
{
    const int64_t n = out.cols;
    VOLT_REQUIRE((n & (n - 1)) == 0, VOLT_ERR_ARGUMENT, "%s: modes must be a power of two (got %g)",
                 entry->info.name, (double)n);
    double *numbers = volt_alloc_doubles(2 + N_FACTORS, n);
    double complex *spectra = volt_alloc(N_SPECTRA * n, sizeof *spectra);
    volt_status status = VOLT_ERR_MEMORY;
    if (numbers && spectra) {
        kuramoto k = {.n = n, .u = numbers};
        double **factors[] = {&k.q, &k.E, &k.E2, &k.Q, &k.f1, &k.f2, &k.f3};
        for (int i = 0; i < 1 + N_FACTORS; i++)
            *factors[i] = numbers + (i + 1) * n;
        double complex **parts[N_SPECTRA] = {&k.v, &k.a, &k.b, &k.c, &k.Nv, &k.Na, &k.Nb, &k.Nc, &k.work};
        for (int i = 0; i < N_SPECTRA; i++)
            *parts[i] = spectra + i * n;
        begin(&k, options);
        volt_process process = {
            .name = entry->title,
            .state = &k,
            .row = k.u,
            .cols = n,
            .every = options->every,
            .discard = options->discard,
            .step = kuramoto_step,
        };
        status = volt_process_run(&process, options->progress, out);
    }
    volt_free(spectra);
    volt_free(numbers);
    return status;
}
