/* tests/support/sequences.h: rows to test with. Memory comes from malloc; the caller frees it. */
#ifndef SUPPORT_SEQUENCES_H
#define SUPPORT_SEQUENCES_H

#include "volterra/base.h"

/* Rows x cols numbers of uninitialised memory; ends the test when there is none. */
double *new_matrix(int64_t rows, int64_t cols);

/* Rows of independent directions, each of norm at most `radius`; about one in eight lies on the sphere. */
double *random_rows(volt_rng *rng, int64_t rows, int64_t cols, double radius);

/* Rows of independent standard normals. */
double *normal_rows(volt_rng *rng, int64_t rows, int64_t cols);

/* The Lorenz system from the authors' start, on its attractor, `step` apart: smooth (rows x 3). */
double *lorenz_rows(int64_t rows, double step);

/* A generator for this test, whose seed is printed. */
volt_rng test_rng(uint64_t seed);

#endif
