/* src/data/system_table.h: an entry of the table of systems (systems.c), and the functions that run them. */
#ifndef DATA_SYSTEM_TABLE_H
#define DATA_SYSTEM_TABLE_H

#include "volterra/data.h"

/* Writes the time derivative of x to dx, `half` half steps (0, 1 or 2) after the start of the step. */
typedef void (*volt_derivative)(const double *x, int half, const void *parameters, double *dx);

typedef struct volt_system_entry volt_system_entry;
struct volt_system_entry {
    volt_system_info info;
    const char *title; /* subject of messages: "the Lorenz system" */
    double step;       /* defaults of the options */
    int64_t every, discard;
    double start[3];

    /* Where the parameters are in the options: offsets, or NULL for options->parameters. */
    const size_t *offsets;

    /* Fills `out`. The options are complete and inside their ranges, and `out` has the right shape. */
    volt_status (*run)(const volt_system_entry *entry, const volt_simulate_options *options, volt_matrix out);

    /* volt_flow_run: the equation and its number of states (0: the number of columns). */
    volt_derivative field;
    int64_t n_states;
};

volt_status volt_lorenz_run(const volt_system_entry *entry, const volt_simulate_options *options,
                            volt_matrix out);
volt_status volt_mackey_glass_run(const volt_system_entry *entry, const volt_simulate_options *options,
                                  volt_matrix out);
volt_status volt_narma10_run(const volt_system_entry *entry, const volt_simulate_options *options,
                             volt_matrix out);
volt_status volt_henon_run(const volt_system_entry *entry, const volt_simulate_options *options,
                           volt_matrix out);
volt_status volt_wiener_run(const volt_system_entry *entry, const volt_simulate_options *options,
                            volt_matrix out);
volt_status volt_relay_run(const volt_system_entry *entry, const volt_simulate_options *options,
                           volt_matrix out);
volt_status volt_kuramoto_run(const volt_system_entry *entry, const volt_simulate_options *options,
                              volt_matrix out);

/* Runge-Kutta steps of entry->field, with an input if the system has one: rows are the states, or the input and
 * the first state. The initial states after `start` are 0. */
volt_status volt_flow_run(const volt_system_entry *entry, const volt_simulate_options *options,
                          volt_matrix out);

/* Equations of volt_flow_run (flow.c); `flow` is a volt_flow. */
void volt_lorenz96_field(const double *x, int half, const void *flow, double *dx);
void volt_duffing_field(const double *x, int half, const void *flow, double *dx);
void volt_van_der_pol_field(const double *x, int half, const void *flow, double *dx);
void volt_wiener_hammerstein_field(const double *x, int half, const void *flow, double *dx);
void volt_bouc_wen_field(const double *x, int half, const void *flow, double *dx);

/* What a field reads. */
typedef struct volt_flow {
    const double *parameters; /* options->parameters */
    double input[3];          /* u at the start, the middle and the end of the step */
    int64_t n_states;
} volt_flow;

/* Positions in options->parameters that code reads by name: the same order as the table. */
enum { LORENZ96_FORCING, LORENZ96_DIMENSION };
enum { KURAMOTO_DOMAIN, KURAMOTO_MODES };
enum { HENON_A, HENON_B };
enum { FILTER_POLE, FILTER_OFFSET };
enum { RELAY_RATE };
enum { INPUT_AMPLITUDE, INPUT_BANDWIDTH, INPUT_PERIOD, N_INPUT_PARAMETERS }; /* first in systems with input */
enum { DUFFING_DAMPING = N_INPUT_PARAMETERS, DUFFING_LINEAR, DUFFING_CUBIC };
enum { VAN_DER_POL_MU = N_INPUT_PARAMETERS };
enum {
    WIENER_FREQUENCY1 = N_INPUT_PARAMETERS,
    WIENER_DAMPING1,
    WIENER_FREQUENCY2,
    WIENER_DAMPING2,
    WIENER_GAIN
};
enum {
    BOUC_MASS = N_INPUT_PARAMETERS,
    BOUC_DAMPING,
    BOUC_STIFFNESS,
    BOUC_ALPHA,
    BOUC_BETA,
    BOUC_GAMMA,
    BOUC_DELTA,
    BOUC_NU
};

/* Sets a parameter by name. VOLT_ERR_ARGUMENT as volt_system_parse. */
volt_status volt_simulate_set(volt_system system, volt_simulate_options *options, const char *name,
                              double value);

#endif
