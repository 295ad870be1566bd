/* tests/tsan/task_arguments.c: hides the argument stores of OpenMP tasks from ThreadSanitizer. Part of the library in the
 * preset `tsan` (--wrap, cmake/BuildFlags.cmake).
 *
 * For `omp task`, clang calls __kmpc_omp_task_alloc, stores the arguments in the memory returned, and submits the task.
 * LLVM's OpenMP reuses the memory of finished tasks without informing ThreadSanitizer, which then reports these stores
 * as a race with the reads of the finished task. Accesses of the creating thread are therefore ignored between the
 * two calls: the arguments and the list of dependences. Everything before, after and within the task is checked.
 * tests/tsan/probe.c verifies both. */
#include <stddef.h>
#include <stdint.h>

void AnnotateIgnoreWritesBegin(const char *file, int line); /* ThreadSanitizer */
void AnnotateIgnoreWritesEnd(const char *file, int line);

void *__real___kmpc_omp_task_alloc(void *place, int32_t thread, int32_t flags, size_t size, size_t shared,
                                   void *entry);
void *__wrap___kmpc_omp_task_alloc(void *place, int32_t thread, int32_t flags, size_t size, size_t shared,
                                   void *entry);
void *__wrap___kmpc_omp_task_alloc(void *place, int32_t thread, int32_t flags, size_t size, size_t shared,
                                   void *entry)
{
    void *task = __real___kmpc_omp_task_alloc(place, thread, flags, size, shared, entry);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    return task;
}

int32_t __real___kmpc_omp_task(void *place, int32_t thread, void *task);
int32_t __wrap___kmpc_omp_task(void *place, int32_t thread, void *task);
int32_t __wrap___kmpc_omp_task(void *place, int32_t thread, void *task)
{
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    return __real___kmpc_omp_task(place, thread, task);
}

int32_t __real___kmpc_omp_task_with_deps(void *place, int32_t thread, void *task, int32_t n, void *list,
                                         int32_t n_other, void *other);
int32_t __wrap___kmpc_omp_task_with_deps(void *place, int32_t thread, void *task, int32_t n, void *list,
                                         int32_t n_other, void *other);
int32_t __wrap___kmpc_omp_task_with_deps(void *place, int32_t thread, void *task, int32_t n, void *list,
                                         int32_t n_other, void *other)
{
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    return __real___kmpc_omp_task_with_deps(place, thread, task, n, list, n_other, other);
}
