/* src/backend/device_team.h: one fit on several devices of a back end.
 *
 * A team has one thread for each device. The threads run the same calls with the same numbers as the parts of a
 * job (base/row_bands.h): each computes its bands on its own device, and the sums are added over the threads in
 * the order of the parts. Everything that works in a job of several processes therefore works on several devices.
 *
 * Lock discipline: the lock of the team protects the count of waiting threads, the generation and the flag that
 * stops the team. Numbers that are added belong to their threads. Between the two barriers of a sum, thread p is the
 * only one that reads or writes slice p of the numbers of all threads. */
#ifndef BACKEND_DEVICE_TEAM_H
#define BACKEND_DEVICE_TEAM_H

#include "backend/backend.h"

/* The work of one part. `progress` replaces the user's: part 0 forwards to the user, the others only stop when
 * another part has failed or was cancelled. */
typedef volt_status (*volt_team_fn)(int64_t part, volt_progress progress, void *context);

/* Runs the work on all devices of the back end, part 0 in the calling thread, with the threads of the call divided
 * among the parts. Returns the status of the part that failed first, with its message. Messages to the log are those of part 0. VOLT_ERR_MEMORY if a thread cannot be started. */
volt_status volt_team_run(const volt_backend *backend, volt_progress progress, volt_team_fn work,
                          void *context);

#endif
