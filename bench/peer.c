/* bench/peer.c: peers.py as a child process with a line protocol. */
#define _DEFAULT_SOURCE /* mkstemps */
#include "peer.h"

#include "measure.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct peer {
    pid_t process;
    FILE *to, *from;
    char name[128];
    double value;
};

enum { MAX_ARGUMENTS = 12, LINE = 1024 };

static void become_peer(const char *python, const char *script, const char *const *arguments, int in, int out)
{
    char *argv[MAX_ARGUMENTS + 3] = {(char *)(uintptr_t)python, (char *)(uintptr_t)script};
    for (int i = 0; i < MAX_ARGUMENTS && arguments[i]; i++)
        argv[i + 2] = (char *)(uintptr_t)arguments[i];
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    execv(python, argv);
    _exit(127);
}

/* Forwards lines of JSON; "ready VALUE NAME" ends the wait. */
static int wait_until_ready(peer *p)
{
    char line[LINE];
    while (fgets(line, sizeof line, p->from)) {
        if (line[0] == '{') {
            fputs(line, stdout);
            fflush(stdout);
        } else if (sscanf(line, "ready %lf %127[^\n]", &p->value, p->name) == 2) {
            return 1;
        }
    }
    return 0;
}

peer *peer_start(const char *const *arguments)
{
    return peer_start_script("peers.py", arguments);
}

peer *peer_start_script(const char *name, const char *const *arguments)
{
    const char *python = getenv("PEER_PYTHON"), *folder = getenv("BENCH_FOLDER");
    if (!python || !*python || !folder) {
        fprintf(stderr, "bench: no PEER_PYTHON, so %s is measured without a peer\n", arguments[0]);
        return NULL;
    }
    char script[PEER_PATH_LENGTH];
    snprintf(script, sizeof script, "%s/%s", folder, name);
    int down[2], up[2];
    peer *p = calloc(1, sizeof *p);
    if (!p || pipe(down) || pipe(up)) {
        free(p);
        return NULL;
    }
    signal(SIGPIPE, SIG_IGN); /* the end of a peer is detected when it does not answer */
    fflush(stdout);
    p->process = fork();
    if (p->process == 0) {
        close(down[1]);
        close(up[0]);
        become_peer(python, script, arguments, down[0], up[1]);
    }
    close(down[0]);
    close(up[1]);
    p->to = fdopen(down[1], "w");
    p->from = fdopen(up[0], "r");
    if (p->process < 0 || !wait_until_ready(p)) {
        fprintf(stderr, "bench: the peer of %s did not start\n", arguments[0]);
        peer_stop(p);
        return NULL;
    }
    return p;
}

const char *peer_name(const peer *p)
{
    return p->name;
}

double peer_value(const peer *p)
{
    return p->value;
}

double peer_run(void *context)
{
    peer *p = context;
    char line[LINE];
    double seconds;
    fputs("run\n", p->to);
    fflush(p->to);
    if (!fgets(line, sizeof line, p->from) || sscanf(line, "%lf", &seconds) != 1 || !(seconds > 0)) {
        fprintf(stderr, "bench: the peer %s ended in the middle\n", p->name);
        exit(1);
    }
    return seconds;
}

void peer_stop(peer *p)
{
    if (!p)
        return;
    fclose(p->to); /* the peer ends at the end of its input */
    fclose(p->from);
    if (p->process > 0)
        waitpid(p->process, NULL, 0);
    free(p);
}

void peer_new_file(const char *extension, char path[PEER_PATH_LENGTH])
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, PEER_PATH_LENGTH, "%s/volterra-bench-XXXXXX%s", folder && *folder ? folder : "/tmp",
             extension);
    int file = mkstemps(path, (int)strlen(extension));
    if (file < 0) {
        perror("bench: a temporary file");
        exit(1);
    }
    close(file);
}

void peer_write_matrix(volt_view values, char path[PEER_PATH_LENGTH])
{
    peer_new_file(".npy", path);
    need(volt_table_write(path, values, NULL, NULL), "write a matrix for the peer");
}
