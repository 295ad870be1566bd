/* cli/trial_folder.h: the folder of the logs of a comparison. */
#ifndef CLI_TRIAL_FOLDER_H
#define CLI_TRIAL_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

enum { TRIAL_FOLDER_LENGTH = 4096 };

/* The folder for the logs of one sample: `folder` itself, or with `by_seed` a folder in it named after the seed.
 * Made when it is not there. Logs that it holds already are refused unless `resume`: they are never overwritten.
 * Its name goes to `path`. Returns 0, or the exit status after saying what is wrong. */
int trial_folder_open(const char *folder, bool by_seed, uint64_t seed, bool resume,
                      char path[TRIAL_FOLDER_LENGTH]);

#endif
