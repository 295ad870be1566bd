/* tests/support/sum_problem.c: models on the same rows, to add. */
#include "support/sum_problem.h"

#include "support/check.h"

const double sum_weights[SUM_MEMBERS] = {0.5, -0.75, 1.25};

sum_problem sum_problem_make(void)
{
    sum_problem p = {.rows = fed_system_make(4711)};
    static const char *const kernels[] = {"fading:rho=0.5", "volterra + fir", "rbf:gamma=0.5,pole=0.5"};
    static const double feedback[] = {0.3, 0, 0.2};
    for (int i = 0; i < SUM_MEMBERS; i++) {
        volt_fit_options options = fed_options(feedback[i]);
        options.washout = 2 * i;
        options.initial = i == 1 ? VOLT_INITIAL_FIRST : VOLT_INITIAL_ZERO;
        p.members[i] = fed_fit(kernels[i], &p.rows, &options, volt_matrix_of(NULL, 0, 0));
    }
    return p;
}

void sum_problem_free(sum_problem *p)
{
    for (int i = 0; i < SUM_MEMBERS; i++)
        volt_model_free(p->members[i]);
    fed_system_free(&p->rows);
}

volt_model *sum_of(const sum_problem *p, int64_t count, volt_sum_kind kind)
{
    volt_model *sum = NULL;
    check_ok(volt_model_sum((const volt_model *const *)p->members, sum_weights, count, kind, &sum));
    return sum;
}

volt_view sum_inputs(const sum_problem *p)
{
    return fed_inputs(&p->rows, FED_N, FED_H);
}

volt_model_info sum_info(const volt_model *model)
{
    volt_model_info info = {.struct_size = sizeof info};
    check_ok(volt_model_get_info(model, &info));
    return info;
}

int64_t sum_predict(const volt_model *model, const sum_problem *p, const volt_predict_options *options,
                    const double *known, double *out)
{
    volt_predict_options own = *options;
    volt_predict_report report = {.struct_size = sizeof report};
    int64_t beyond = 0;
    own.report = &report;
    own.known = volt_view_of(known, FED_H, FED_Q);
    own.warm_up = known ? options->warm_up : 0;
    check_ok(volt_model_predict(model, sum_inputs(p), &own, volt_matrix_of(out, FED_H, FED_Q), &beyond));
    return beyond;
}

volt_live *sum_live(const volt_model *model, volt_start start)
{
    volt_live_options options = volt_live_options_default();
    volt_live *live = NULL;
    options.start = start;
    check_ok(volt_live_create(model, &options, &live));
    return live;
}

void sum_feed(volt_live *live, const sum_problem *p, int first, int end, int warm, double *out)
{
    for (int t = first; t < end; t++) {
        check_ok(volt_live_feed(live, sum_inputs(p).data + t * FED_D, out + t * FED_Q));
        if (t < warm)
            check_ok(volt_live_learn(live, 0, fed_targets(&p->rows, FED_N + t, 1).data));
    }
}
