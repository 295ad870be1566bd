/* src/data/ode/rk4.h: one step of the classical Runge-Kutta method, inlined into each system.
 *
 *     k1 = f(x)   k2 = f(x + h/2 k1)   k3 = f(x + h/2 k2)   k4 = f(x + h k3)
 *     x <- x + h/6 (k1 + 2 k2 + 2 k3 + k4) */
#ifndef DATA_RK4_H
#define DATA_RK4_H

enum { VOLT_RK4_MOST = 3 }; /* largest dimension */

/* Write the time derivative of x to dx. */
typedef void (*volt_field)(const double *x, const void *parameters, double *dx);

static inline void volt_rk4_step(volt_field field, const void *parameters, int dim, double h, double *x)
{
    double k1[VOLT_RK4_MOST], k2[VOLT_RK4_MOST], k3[VOLT_RK4_MOST], k4[VOLT_RK4_MOST];
    double at[VOLT_RK4_MOST];
    field(x, parameters, k1);
    for (int i = 0; i < dim; i++)
        at[i] = x[i] + h / 2 * k1[i];
    field(at, parameters, k2);
    for (int i = 0; i < dim; i++)
        at[i] = x[i] + h / 2 * k2[i];
    field(at, parameters, k3);
    for (int i = 0; i < dim; i++)
        at[i] = x[i] + h * k3[i];
    field(at, parameters, k4);
    for (int i = 0; i < dim; i++)
        x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}

#endif
