/* cli/benchmark/benchmarks.h: the benchmarks that volterra benchmark knows, as rows of its table. */
#ifndef CLI_BENCHMARKS_H
#define CLI_BENCHMARKS_H

#include "args/options.h"

typedef struct benchmark_arguments {
    common_arguments common;
    const char *name, *data, *only, *preset, *kernel, *output;
    int task; /* an uea_task */
    int64_t rows, draws, warm_up, starts;
    double budget;
    bool again;
} benchmark_arguments;

/* What is asked of the series of the UEA archive. */
enum uea_task { UEA_CLASSIFY, UEA_ANOMALY };
extern const choice uea_task_choices[];

typedef struct benchmark {
    const char *name;
    const char *options;     /* that it takes, with a blank before and behind each: " data only " */
    bool needs_data;         /* --data must be given */
    name_list (*sets)(void); /* (optional) what --only may name */
    int (*run)(const benchmark_arguments *arguments, const char *command_line); /* returns the exit status */
} benchmark;

extern const benchmark benchmark_sysid, benchmark_chaos, benchmark_uea;

/* Mark the sets in a list such as "wh,tanks" (NULL: all). Returns 0, or the exit status after saying what is wrong. */
int benchmark_choose_sets(const char *list, const name_list *names, bool *chosen);

/* "there is no WHAT 'WORD' (there are ...)" */
int benchmark_unknown(const char *what, const char *word, const name_list *names);

#endif
