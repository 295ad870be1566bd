/* src/io/file/file_lock.c: one writer at a time, by an advisory lock of the whole file.
 *
 * flock and not fcntl's F_SETLK: its lock belongs to the open file, so two threads of one process exclude each
 * other too, and closing another descriptor of the same file does not give it up. */
#include "io/file/file_lock.h"

#include <errno.h>
#include <sys/file.h>

volt_lock volt_file_lock(int descriptor)
{
    int failed;
    do
        failed = flock(descriptor, LOCK_EX | LOCK_NB);
    while (failed && errno == EINTR);
    if (!failed)
        return VOLT_LOCK_HELD;
    return errno == EWOULDBLOCK ? VOLT_LOCK_BUSY : VOLT_LOCK_NONE;
}
