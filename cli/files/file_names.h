/* cli/files/file_names.h: which file a name stands for, also one that is not there yet. */
#ifndef CLI_FILE_NAMES_H
#define CLI_FILE_NAMES_H

#include <limits.h>
#include <stdbool.h>

/* The path behind all symbolic links of the last part of `path`, also where the last link points to nothing.
 * False, with errno, when there is no end to the links or no room. */
bool follow_links(const char *path, char target[PATH_MAX]);

/* The folder of `path` ("." or "/" included). Returns the name behind it. */
const char *split_path(const char *path, char folder[PATH_MAX]);

/* Are two outputs one file? By device and inode, or those of the folder and the name where there is no file yet.
 * Devices and pipes take any number of outputs; standard output ("-") is one file. */
bool same_file(const char *first, const char *second);

#endif
