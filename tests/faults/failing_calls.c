/* tests/faults/failing_calls.c: failing system calls, in any library of the process.
 *
 * System calls of stdio and other libraries bypass the libc functions that a preloaded library can replace.
 * A seccomp filter (SECCOMP_RET_TRAP) therefore turns them into a signal. The signal handler makes the call
 * or returns an error. Calls of the handler itself are marked by a sixth argument, which none of these calls
 * uses. Calls on standard error never fail, so that the error message is printed. */
#define _GNU_SOURCE
#include "failing.h"

#if defined(__aarch64__) || defined(__x86_64__) /* the architectures with known registers */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static const struct {
    int number;
    fault_family family;
} watched[] = {
    {SYS_openat, FAULT_OPEN},      {SYS_read, FAULT_READ},     {SYS_pread64, FAULT_READ},
    {SYS_readv, FAULT_READ},       {SYS_write, FAULT_WRITE},   {SYS_pwrite64, FAULT_WRITE},
    {SYS_writev, FAULT_WRITE},     {SYS_fsync, FAULT_SYNC},    {SYS_fdatasync, FAULT_SYNC},
    {SYS_renameat2, FAULT_RENAME}, {SYS_close, FAULT_CLOSE},   {SYS_ftruncate, FAULT_TRUNCATE},
    {SYS_newfstatat, FAULT_STAT},  {SYS_fstat, FAULT_STAT},    {SYS_faccessat, FAULT_STAT},
    {SYS_flock, FAULT_LOCK},       {SYS_lseek, FAULT_SEEK},    {SYS_getdents64, FAULT_LIST},
    {SYS_mkdirat, FAULT_FOLDER},
#ifdef SYS_renameat
    {SYS_renameat, FAULT_RENAME},
#endif
#ifdef SYS_faccessat2
    {SYS_faccessat2, FAULT_STAT},
#endif
#ifdef SYS_open /* x86 has the older ones as well */
    {SYS_open, FAULT_OPEN},        {SYS_rename, FAULT_RENAME}, {SYS_stat, FAULT_STAT},
    {SYS_lstat, FAULT_STAT},       {SYS_access, FAULT_STAT},   {SYS_mkdir, FAULT_FOLDER},
#endif
};
enum { N_WATCHED = sizeof watched / sizeof *watched };

static const uint64_t own_call = 0x766f6c7465727261; /* the sixth argument of the handler's calls */

#ifdef __aarch64__
static void get_arguments(const ucontext_t *user, long arguments[6])
{
    for (int i = 0; i < 6; i++)
        arguments[i] = (long)user->uc_mcontext.regs[i];
}

static void set_result(ucontext_t *user, long result)
{
    user->uc_mcontext.regs[0] = (uint64_t)result;
}
#else
static void get_arguments(const ucontext_t *user, long arguments[6])
{
    static const int registers[6] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
    for (int i = 0; i < 6; i++)
        arguments[i] = (long)user->uc_mcontext.gregs[registers[i]];
}

static void set_result(ucontext_t *user, long result)
{
    user->uc_mcontext.gregs[REG_RAX] = (greg_t)result;
}
#endif

static long make_call(long number, const long arguments[6])
{
    long result =
        syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], own_call);
    return result == -1 ? -errno : result;
}

/* A short count; a request of one byte has none. */
static long make_short_call(long number, const long arguments[6])
{
    long fewer[6];
    memcpy(fewer, arguments, sizeof fewer);
    if (number != SYS_readv && number != SYS_writev && fewer[2] > 1)
        fewer[2] /= 2;
    return make_call(number, fewer);
}

static fault_family family_of(int number)
{
    for (int i = 0; i < N_WATCHED; i++)
        if (watched[i].number == number)
            return watched[i].family;
    return FAULT_FAMILIES;
}

static bool is_spared(fault_family family, const long arguments[6])
{
    return (family == FAULT_READ || family == FAULT_WRITE || family == FAULT_CLOSE) &&
           arguments[0] == STDERR_FILENO;
}

static void on_call(int signal_number, siginfo_t *about, void *context)
{
    (void)signal_number;
    int kept = errno;
    long arguments[6], result;
    get_arguments(context, arguments);
    fault_family family = family_of(about->si_syscall);
    if (is_spared(family, arguments) || !fault_due(family)) {
        result = make_call(about->si_syscall, arguments);
    } else if (fault_result() == FAULT_SHORT) {
        result = make_short_call(about->si_syscall, arguments);
    } else {
        result = fault_result();
        if (family == FAULT_CLOSE) /* the descriptor is closed, whatever the result */
            make_call(about->si_syscall, arguments);
    }
    set_result(context, result);
    errno = kept;
}

bool fault_watch_calls(void)
{
    enum { OWN = 4, LENGTH = OWN + 1 + N_WATCHED + 2 };
    struct sock_filter filter[LENGTH];
    uint32_t sixth = offsetof(struct seccomp_data, args) + 5 * sizeof(uint64_t);
    uint32_t low = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 4;
    int at = 0;
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, sixth + low);
    filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)own_call, 0, 2);
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, sixth + 4 - low);
    filter[at++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(own_call >> 32), N_WATCHED + 1, 0);
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < N_WATCHED; i++)
        filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)watched[i].number,
                                                    (uint8_t)(N_WATCHED - i), 0);
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);

    struct sock_fprog programme = {(unsigned short)at, filter};
    struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    return sigaction(SIGSYS, &action, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &programme, 0, 0) == 0;
}

#else

bool fault_watch_calls(void)
{
    return false;
}

#endif
