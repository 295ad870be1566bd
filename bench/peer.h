/* bench/peer.h: a peer, another program that does the same work.
 *
 * bench/peers.py runs as a child process and receives requests for one run at a time over a pipe, so that its runs alternate
 * with the library's on the same machine. It first computes the result once and reports a number about it, which must agree
 * with the library's. PEER_PYTHON and BENCH_FOLDER give its location (bench/run.sh sets them). */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "volterra.h"

typedef struct peer peer;

/* Starts peers.py with these arguments (at most 12, the first one names the task; NULL ends them) and waits until it is
 * ready. Returns NULL, with a message on standard error, if no peer is available. */
peer *peer_start(const char *const *arguments);

/* The same with another script of this folder with the protocol of peers.py. */
peer *peer_start_script(const char *script, const char *const *arguments);

const char *peer_name(const peer *p);

/* The number about its result. */
double peer_value(const peer *p);

/* Seconds of one run, measured by the peer itself; a run_fn. */
double peer_run(void *p);

void peer_stop(peer *p);

/* Creates an empty temporary file for both sides; `path` receives its name. The caller removes it. */
enum { PEER_PATH_LENGTH = 256 };
void peer_new_file(const char *extension, char path[PEER_PATH_LENGTH]);

/* The same with a matrix in it, as NPY. */
void peer_write_matrix(volt_view values, char path[PEER_PATH_LENGTH]);

#endif
