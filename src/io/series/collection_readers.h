/* src/io/series/collection_readers.h: one reader for every format of collections. */
#ifndef IO_COLLECTION_READERS_H
#define IO_COLLECTION_READERS_H

#include "volterra/io.h"

volt_status volt_ts_read(const char *path, volt_collection **collection);
volt_status volt_arff_read(const char *path, volt_collection **collection);
volt_status volt_long_csv_read(const char *path, volt_collection **collection);
volt_status volt_npy_collection_read(const char *path, volt_collection **collection);

#endif
