/* src/io/source.h: PATH:COLUMNS taken apart. */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H

#include "volterra/status.h"

/* Split a source into *path (free it with volt_free) and *columns, which points into `source` or is NULL. A
 * source that is a file as it stands is all path; otherwise the columns begin behind the last colon whose
 * left side is a file or "-", or else has a known extension. */
volt_status volt_source_split(const char *source, char **path, const char **columns);

#endif
