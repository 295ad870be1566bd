/* tests/support/school.c: rows, targets and a model of the first of them, for learners. */
#include "support/school.h"
#include "support/live_options.h"

#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"

volt_model *fit_rows(const school *s, int64_t rows, int64_t washout)
{
    volt_kernel *kernel = plain_parse(s->text);
    volt_fit_options options = s->fit;
    volt_model *model = NULL;
    options.washout = washout;
    check_ok(volt_model_fit(kernel, volt_view_of(s->X, rows, SCHOOL_D), volt_view_of(s->Y, rows, SCHOOL_Q),
                            &options, (volt_matrix){0}, &model));
    volt_kernel_free(kernel);
    return model;
}

void open_school(const char *text, uint64_t seed, school *s)
{
    volt_rng rng = test_rng(seed);
    s->text = text;
    s->X = random_rows(&rng, SCHOOL_ROWS, SCHOOL_D, 0.8);
    s->X[0] = 0.95;
    s->X[1] = 0.1;
    s->Y = normal_rows(&rng, SCHOOL_ROWS, SCHOOL_Q);
    s->fit = volt_fit_options_default();
    s->fit.alpha = 0.7;
    s->fit.scale = 0;
    s->model = fit_rows(s, SCHOOL_TRAIN, 0);
}

void close_school(school *s)
{
    volt_model_free(s->model);
    free(s->X);
    free(s->Y);
}

volt_live *new_learner(const volt_model *model, int64_t window, double forget)
{
    volt_live_options options = *with_learning();
    volt_live *learner = NULL;
    options.window = window;
    options.forget = forget;
    check_ok(volt_live_create(model, &options, &learner));
    return learner;
}

volt_live_info info_of(const volt_live *learner)
{
    volt_live_info info = {.struct_size = sizeof info};
    volt_live_get_info(learner, &info);
    return info;
}
