/* src/base/openmp.h: the functions of OpenMP that the library calls. In builds without OpenMP (-DVOLT_OPENMP=OFF)
 * every loop runs on the thread that calls the library. */
#ifndef BASE_OPENMP_H
#define BASE_OPENMP_H

#ifdef _OPENMP

#include <omp.h>

enum { VOLT_HAS_OPENMP = 1 };

#else

enum { VOLT_HAS_OPENMP = 0 };

typedef int omp_lock_t;

static inline int omp_get_thread_num(void)
{
    return 0;
}

static inline int omp_get_num_threads(void)
{
    return 1;
}

static inline int omp_get_max_threads(void)
{
    return 1;
}

static inline int omp_get_num_procs(void)
{
    return 1;
}

static inline void omp_set_num_threads(int count)
{
    (void)count;
}

static inline int omp_in_parallel(void)
{
    return 0;
}

static inline int omp_get_level(void)
{
    return 0;
}

static inline int omp_get_ancestor_thread_num(int level)
{
    return level == 0 ? 0 : -1;
}

static inline void omp_init_lock(omp_lock_t *lock)
{
    *lock = 0;
}

static inline void omp_destroy_lock(omp_lock_t *lock)
{
    (void)lock;
}

static inline void omp_set_lock(omp_lock_t *lock)
{
    *lock = 1;
}

static inline void omp_unset_lock(omp_lock_t *lock)
{
    *lock = 0;
}

#endif
#endif
