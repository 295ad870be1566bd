/* bench/peer.h: a peer, which is another program that does the same work.
 *
 * bench/peers.py runs beside us and is asked for one run at a time over a pipe, so that its runs and ours
 * take turns on the same machine. It first computes the result once and says a number about it, which must
 * agree with ours. The environment says where it is: PEER_PYTHON and BENCH_FOLDER (bench/run.sh sets them). */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "volterra.h"

typedef struct peer peer;

/* Start peers.py with these arguments (at most 12, the first one names the task; NULL ends them) and wait
 * until it is ready. NULL, with a sentence on standard error, when there is no peer to be had. */
peer *peer_start(const char *const *arguments);

/* The same with another script of this folder that speaks as peers.py does. */
peer *peer_start_script(const char *script, const char *const *arguments);

const char *peer_name(const peer *p);

/* The number about its result. */
double peer_value(const peer *p);

/* Seconds of one run, measured by the peer itself; a run_fn. */
double peer_run(void *p);

void peer_stop(peer *p);

/* A temporary file for both to read and write, empty; `path` receives its name, and it is the caller's to
 * remove. */
enum { PEER_PATH_LENGTH = 256 };
void peer_new_file(const char *extension, char path[PEER_PATH_LENGTH]);

/* The same with a matrix in it, as NPY. */
void peer_write_matrix(volt_view values, char path[PEER_PATH_LENGTH]);

#endif
