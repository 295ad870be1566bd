/* cli/page/machine.h: the machine that a result was computed on, in words. */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

enum { MACHINE_LENGTH = 160 };

/* Each writes into `text` and returns it. */
char *machine_cpu(char text[MACHINE_LENGTH]);    /* "AMD EPYC 7R13, 2 cores" */
char *machine_memory(char text[MACHINE_LENGTH]); /* "23.4 GiB" */
char *machine_system(char text[MACHINE_LENGTH]); /* "Linux 6.1.0 on x86_64" */
char *machine_date(char text[MACHINE_LENGTH]);   /* now: "2026-11-15 05:40 UTC" */

#endif
