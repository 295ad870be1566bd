/* mpi/scalapack.h: declarations of the ScaLAPACK, PBLAS and BLACS routines used here. These libraries have
 * no C header. */
#ifndef MPI_SCALAPACK_H
#define MPI_SCALAPACK_H

#include <mpi.h>

int Csys2blacs_handle(MPI_Comm);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_gridexit(int context);

void pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *desca,
             const double *b, const int *ib, const int *jb, const int *descb, const double *beta, double *c,
             const int *ic, const int *jc, const int *descc);
void pdsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
             const double *a, const int *ia, const int *ja, const int *desca, const double *beta, double *c,
             const int *ic, const int *jc, const int *descc);
void pdtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
             const int *n, const double *alpha, const double *a, const int *ia, const int *ja, const int *desca,
             double *b, const int *ib, const int *jb, const int *descb);
void pdtran_(const int *m, const int *n, const double *alpha, const double *a, const int *ia, const int *ja,
             const int *desca, const double *beta, double *c, const int *ic, const int *jc, const int *descc);
void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja, const int *desca,
              int *info);
void pdpotri_(const char *uplo, const int *n, double *a, const int *ia, const int *ja, const int *desca,
              int *info);
void Cpdgemr2d(int m, int n, double *a, int ia, int ja, const int *desca, double *b, int ib, int jb,
               const int *descb, int context);

#endif
