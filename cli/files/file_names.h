/* cli/files/file_names.h: resolve paths, including those of files that do not exist yet. */
#ifndef CLI_FILE_NAMES_H
#define CLI_FILE_NAMES_H

#include <limits.h>
#include <stdbool.h>

/* Resolves all symbolic links of the last component of `path`. The last link may be dangling. Returns false,
 * with errno, for a link cycle or a path that is too long. */
bool follow_links(const char *path, char target[PATH_MAX]);

/* Copies the directory of `path` ("." or "/" included). Returns the file name after it. */
const char *split_path(const char *path, char folder[PATH_MAX]);

/* Returns whether two outputs are the same file. Compares device and inode, or, for a file that does not
 * exist, those of the directory and the name. Devices and pipes accept any number of outputs. Standard
 * output ("-") is one file. */
bool same_file(const char *first, const char *second);

#endif
