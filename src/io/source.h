/* src/io/source.h: splits PATH:COLUMNS. */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H

#include "volterra/status.h"

/* Splits a source into *path (free it with volt_free) and *columns, which points into `source` or is NULL.
 * If the whole source is the name of a file, it is all path. Otherwise the columns begin after the last
 * colon whose left side is a file or "-", or else has a known extension. */
volt_status volt_source_split(const char *source, char **path, const char **columns);

#endif
