/* cuda/matrix_kernels.cu: kernels on row-major device matrices. Symmetric matrices store the lower triangle. */
#include "matrix_kernels.h"

enum { THREADS = 256, TILE = 32, TILE_ROWS = 8, SEGMENTS = 64 };

static int64_t groups(int64_t count, int64_t size)
{
    return count > 0 ? (count + size - 1) / size : 0;
}

/* Blocks along x: the other dimensions are limited to 2^16. */
static unsigned blocks(int64_t count)
{
    return (unsigned)groups(count, THREADS);
}

/* ---- copies ----------------------------------------------------------------------------------- */

__global__ static void copy(const double *from, int64_t ld_from, double *to, int64_t ld_to, int64_t rows,
                            int64_t cols)
{
    int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (at < rows * cols)
        to[at / cols * ld_to + at % cols] = from[at / cols * ld_from + at % cols];
}

extern "C" void volt_cuda_start_copy(cudaStream_t stream, const double *from, int64_t ld_from, double *to,
                                     int64_t ld_to, int64_t rows, int64_t cols)
{
    if (rows > 0 && cols > 0)
        copy<<<blocks(rows * cols), THREADS, 0, stream>>>(from, ld_from, to, ld_to, rows, cols);
}

__global__ static void gather(const double *K, int64_t ld_K, const double *column, const double *shift,
                              double *F, int64_t ld_F, int64_t rows, int64_t cols)
{
    int64_t a = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (a >= cols)
        return;
    int64_t from = (int64_t)column[a];
    double less = shift[a];
    for (int64_t i = blockIdx.y; i < rows; i += gridDim.y)
        F[i * ld_F + a] = K[i * ld_K + from] - less;
}

extern "C" void volt_cuda_start_gather(cudaStream_t stream, const double *K, int64_t ld_K, const double *column,
                                       const double *shift, double *F, int64_t ld_F, int64_t rows, int64_t cols)
{
    enum { MOST = 1024 }; /* rows processed in parallel */
    if (rows > 0 && cols > 0)
        gather<<<dim3(blocks(cols), (unsigned)(rows < MOST ? rows : MOST)), THREADS, 0, stream>>>(
            K, ld_K, column, shift, F, ld_F, rows, cols);
}

__global__ static void complete(const double *column, double *L, int64_t ld, int64_t n)
{
    int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x, a = at / n, b = at % n;
    if (a < n && column[b] > column[a])
        L[a * ld + b] = L[b * ld + a];
}

extern "C" void volt_cuda_start_complete(cudaStream_t stream, const double *column, double *L, int64_t ld,
                                         int64_t n)
{
    if (n > 0)
        complete<<<blocks(n * n), THREADS, 0, stream>>>(column, L, ld, n);
}

/* Block (x, y) moves one tile of the triangle through shared memory, so that reads and writes are coalesced. */
__global__ static void mirror(double *A, int64_t ld, int64_t n, bool up)
{
    __shared__ double tile[TILE][TILE + 1];
    int64_t left = (int64_t)blockIdx.x * TILE, first = (int64_t)blockIdx.y * TILE;
    if (left > first)
        return;
    int64_t row = up ? first : left, column = up ? left : first; /* of the tile that is read */
    for (int r = threadIdx.y; r < TILE; r += TILE_ROWS)
        if (row + r < n && column + threadIdx.x < n)
            tile[r][threadIdx.x] = A[(row + r) * ld + column + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < TILE; r += TILE_ROWS) {
        int64_t i = column + r, j = row + threadIdx.x; /* written */
        bool inside = up ? i < j : i > j;
        if (i < n && j < n && inside)
            A[i * ld + j] = tile[threadIdx.x][r];
    }
}

extern "C" void volt_cuda_start_mirror(cudaStream_t stream, double *A, int64_t ld, int64_t n, bool up)
{
    unsigned tiles = (unsigned)groups(n, TILE);
    if (n > 0)
        mirror<<<dim3(tiles, tiles), dim3(TILE, TILE_ROWS), 0, stream>>>(A, ld, n, up);
}

__global__ static void triangle(const double *A, int64_t ld, int64_t n, double *T)
{
    int64_t i = blockIdx.x;
    for (int64_t j = threadIdx.x; j < n; j += THREADS)
        T[i * n + j] = j <= i ? A[i * ld + j] : 0;
}

extern "C" void volt_cuda_start_triangle(cudaStream_t stream, const double *A, int64_t ld, int64_t n, double *T)
{
    if (n > 0)
        triangle<<<(unsigned)n, THREADS, 0, stream>>>(A, ld, n, T);
}

__global__ static void transpose(const double *F, int64_t ld, int64_t rows, int64_t cols, double *T,
                                 int64_t ld_T)
{
    __shared__ double tile[TILE][TILE + 1];
    int64_t left = (int64_t)blockIdx.x * TILE, first = (int64_t)blockIdx.y * TILE;
    for (int r = threadIdx.y; r < TILE; r += TILE_ROWS)
        if (first + r < rows && left + threadIdx.x < cols)
            tile[r][threadIdx.x] = F[(first + r) * ld + left + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < TILE; r += TILE_ROWS)
        if (left + r < cols && first + threadIdx.x < rows)
            T[(left + r) * ld_T + first + threadIdx.x] = tile[threadIdx.x][r];
}

extern "C" void volt_cuda_start_transpose(cudaStream_t stream, const double *F, int64_t ld, int64_t rows,
                                          int64_t cols, double *T, int64_t ld_T)
{
    if (rows > 0 && cols > 0)
        transpose<<<dim3((unsigned)groups(cols, TILE), (unsigned)groups(rows, TILE)), dim3(TILE, TILE_ROWS), 0,
                    stream>>>(F, ld, rows, cols, T, ld_T);
}

__global__ static void identities(double *D, int64_t size, int64_t rows)
{
    int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (at < rows * size)
        D[at] = at % size == at / size % size ? 1 : 0;
}

extern "C" void volt_cuda_start_identities(cudaStream_t stream, double *D, int64_t size, int64_t count)
{
    if (count > 0)
        identities<<<blocks(count * size * size), THREADS, 0, stream>>>(D, size, count * size);
}

/* ---- preparation of the matrix ---------------------------------------------------------------- */

__global__ static void largest_of(const double *A, int64_t ld, int64_t count, double *largest)
{
    __shared__ double part[THREADS];
    double value = -INFINITY;
    for (int64_t i = threadIdx.x; i < count; i += THREADS)
        value = fmax(value, A[i * (ld + 1)]);
    part[threadIdx.x] = value;
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] = fmax(part[threadIdx.x], part[threadIdx.x + step]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *largest = part[0];
}

extern "C" void volt_cuda_start_largest(cudaStream_t stream, const double *A, int64_t ld, int64_t count,
                                        double *largest)
{
    largest_of<<<1, THREADS, 0, stream>>>(A, ld, count, largest);
}

__global__ static void shift(double *A, int64_t ld, int64_t first, double common, double alpha)
{
    int64_t i = first + blockIdx.x;
    double *row = A + i * ld;
    for (int64_t j = threadIdx.x; common != 0 && j < i; j += THREADS)
        row[j] -= common;
    if (threadIdx.x == 0)
        row[i] = row[i] - common + alpha;
}

extern "C" void volt_cuda_start_shift(cudaStream_t stream, double *A, int64_t ld, int64_t first, int64_t count,
                                      double common, double alpha)
{
    if (count > 0)
        shift<<<(unsigned)count, THREADS, 0, stream>>>(A, ld, first, common, alpha);
}

__global__ static void isolate(double *A, int64_t ld, int64_t i, int64_t first, int64_t count, double diagonal)
{
    int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    bool inside = i >= first && i < first + count;
    if (inside && at < i)
        A[i * ld + at] = 0;
    if (inside && at == i)
        A[i * ld + i] = diagonal;
    if (at > i && at >= first && at < first + count)
        A[at * ld + i] = 0;
}

extern "C" void volt_cuda_start_isolate(cudaStream_t stream, double *A, int64_t ld, int64_t i, int64_t first,
                                        int64_t count, double diagonal)
{
    if (count > 0)
        isolate<<<blocks(first + count), THREADS, 0, stream>>>(A, ld, i, first, count, diagonal);
}

/* ---- norm ------------------------------------------------------------------------------------- */

/* Sum row i up to the diagonal, in an order that does not depend on the device. */
__global__ static void sum_row(const double *A, int64_t ld, double *sums)
{
    __shared__ double part[THREADS];
    int64_t i = blockIdx.x;
    double sum = 0;
    for (int64_t j = threadIdx.x; j <= i; j += THREADS)
        sum += fabs(A[i * ld + j]);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[i] = part[0];
}

/* Sum column j below the diagonal, segment by segment. */
__global__ static void sum_columns(const double *A, int64_t ld, int64_t n, double *parts)
{
    int64_t j = (int64_t)blockIdx.x * THREADS + threadIdx.x, size = (n + SEGMENTS - 1) / SEGMENTS;
    int64_t i = blockIdx.y * size, end = i + size < n ? i + size : n;
    double sum = 0;
    if (j >= n)
        return;
    for (i = i > j ? i : j + 1; i < end; i++)
        sum += fabs(A[i * ld + j]);
    parts[blockIdx.y * n + j] = sum;
}

__global__ static void add_parts(const double *parts, int64_t n, double *sums)
{
    int64_t j = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    for (int s = 0; j < n && s < SEGMENTS; s++)
        sums[j] += parts[s * n + j];
}

extern "C" int64_t volt_cuda_norm_workspace(int64_t n)
{
    return SEGMENTS * n;
}

extern "C" void volt_cuda_start_sums(cudaStream_t stream, const double *A, int64_t ld, int64_t n, double *workspace,
                                     double *sums)
{
    if (n == 0)
        return;
    sum_row<<<(unsigned)n, THREADS, 0, stream>>>(A, ld, sums);
    sum_columns<<<dim3(blocks(n), SEGMENTS), THREADS, 0, stream>>>(A, ld, n, workspace);
    add_parts<<<blocks(n), THREADS, 0, stream>>>(workspace, n, sums);
}
