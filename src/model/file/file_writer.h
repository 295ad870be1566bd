/* src/model/file/file_writer.h: what goes into a safetensors file, gathered part by part.
 *
 *     volt_file_writer writer = {0};
 *     volt_put_tensor(&writer, "coefficients", n, q, model->coefficients);
 *     volt_put_count(&writer, "washout", model->washout);
 *     status = volt_writer_finish(&writer, path, progress);
 *     volt_writer_release(&writer);
 *
 * Tensors and metadata stand in the file in the order in which they were put. The first thing that finds no memory is
 * remembered, and volt_writer_finish says so: look once, at the end. */
#ifndef MODEL_FILE_WRITER_H
#define MODEL_FILE_WRITER_H

#include "io/safetensors/safetensors.h"

#include <stdbool.h>

enum { VOLT_MOST_FILE_ENTRIES = 96 }; /* tensors, metadata, and pieces of memory, each */

typedef struct volt_file_writer {
    volt_tensor tensors[VOLT_MOST_FILE_ENTRIES];
    volt_metadatum metadata[VOLT_MOST_FILE_ENTRIES];
    void *owned[VOLT_MOST_FILE_ENTRIES];
    int64_t n_tensors, n_metadata, n_owned;
    bool failed;
} volt_file_writer;

/* A tensor (cols = 0: a vector) whose numbers stay where they are until the file is written. */
void volt_put_tensor(volt_file_writer *writer, const char *name, int64_t rows, int64_t cols,
                     const double *data);
/* A tensor that is made for the file: the room for its numbers, which belongs to the writer; NULL: no memory. */
double *volt_put_room(volt_file_writer *writer, const char *name, int64_t rows, int64_t cols);
/* Room for so many numbers that belongs to the writer and is no tensor yet; NULL: no memory. */
double *volt_writer_room(volt_file_writer *writer, int64_t count);

/* A text that stays where it is until the file is written. */
void volt_put_text(volt_file_writer *writer, const char *key, const char *text);
/* A copy of a text that is about to go. */
void volt_put_copy(volt_file_writer *writer, const char *key, const char *text);
/* A text that volt_free releases, and whose owner is the writer from now on; NULL: nothing is put. */
void volt_put_own_text(volt_file_writer *writer, const char *key, char *text);
void volt_put_count(volt_file_writer *writer, const char *key, int64_t value);
/* The shortest text that reads back as the same number. */
void volt_put_number(volt_file_writer *writer, const char *key, double value);
void volt_put_flag(volt_file_writer *writer, const char *key, bool value);

/* Write the file. VOLT_ERR_MEMORY where something that was put found none; as volt_safetensors_write_watched. */
volt_status volt_writer_finish(const volt_file_writer *writer, const char *path, volt_progress progress);
void volt_writer_release(volt_file_writer *writer);

#endif
