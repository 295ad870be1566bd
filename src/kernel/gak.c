/* src/kernel/gak.c: the global alignment kernel (Cuturi 2011), normalised.
 *
 *     e = exp(-|x_a - y_b|^2 / (2 sigma^2)),  local = e / (2 - e)
 *     M[0][0] = 1, M[a][0] = M[0][b] = 0,  M[a][b] = local (M[a-1][b] + M[a][b-1] + M[a-1][b-1])
 *     K(x, y) = M[P][Q] / sqrt(M_xx[P][P] M_yy[Q][Q])
 *
 * The programme carries c^{a+b} M[a][b] with c = sqrt(2) - 1: 2 c + c^2 = 1, so that no entry exceeds 1, and
 * the factors cancel in K. What is too small for doubles is taken up in the log domain (gak_log.c). */
#include "base/clones.h"
#include "base/fastmath.h"
#include "kernel/path_kernel.h"

#include <math.h>
#include <string.h>

enum { LANES = VOLT_LANES };

enum { SIGMA, WINDOW, PATH, CENTRE, N_PARAMETERS };

static const char *const yes_no[] = {"no", "yes", NULL};

static const volt_parameter_info parameters[N_PARAMETERS] = {
    [SIGMA] = {.name = "sigma",
               .meaning = "width of the local Gaussian",
               .fallback = "1",
               .range = "(0, inf)",
               .kind = VOLT_PARAMETER_REAL,
               .low = 0,
               .high = INFINITY},
    [WINDOW] = VOLT_PARAMETER_PATH_WINDOW,
    [PATH] = VOLT_PARAMETER_PATH,
    [CENTRE] = {.name = "centre",
                .meaning = "centre the Gram matrix in feature space, on the training rows",
                .fallback = "no",
                .range = "no, yes",
                .kind = VOLT_PARAMETER_CHOICE,
                .words = yes_no},
};
