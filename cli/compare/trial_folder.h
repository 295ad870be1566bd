/* cli/compare/trial_folder.h: the folders of the logs of a comparison. */
#ifndef CLI_TRIAL_FOLDER_H
#define CLI_TRIAL_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

enum { TRIAL_FOLDER_LENGTH = 4096 };

/* The logs of samples with the seeds first_seed, first_seed + 1, ...: of one sample in `folder` itself, of several
 * in folders in it that are named after the seed. */
typedef struct trial_folders {
    const char *folder; /* NULL: there are no logs */
    uint64_t first_seed;
    int64_t samples;
    int lock; /* descriptor of the folder, which holds its lock; -1: none */
} trial_folders;

/* Before the work: make the folders of all samples, and refuse what cannot be written, logs that are there already
 * unless `resume` (they are never overwritten), and a folder that another comparison is writing to. Returns 0, or
 * the exit status after saying what is wrong. To be closed in any case. */
int trial_folders_open(trial_folders *folders, const char *folder, uint64_t first_seed, int64_t samples,
                       bool resume);
void trial_folders_close(trial_folders *folders);

/* The folder of a sample, into `path`; NULL without logs. */
const char *trial_folders_path(const trial_folders *folders, int64_t sample, char path[TRIAL_FOLDER_LENGTH]);

#endif
