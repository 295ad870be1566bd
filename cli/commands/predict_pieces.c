/* cli/commands/predict_pieces.c: forecasts for a long NPY file, read and written in pieces.
 *
 * NPY files allow random access to rows and have no times to extrapolate. Memory holds the model and
 * one piece, independent of the file length. */
#include "commands/predict_pieces.h"

#include "files/inputs.h"
#include "files/outputs.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- row range -------------------------------------------------------------------------------- */

/* FILE.npy or FILE.npy:COLUMNS */
static bool is_npy(const char *source)
{
    const char *end = source + strlen(source), *colon = strrchr(source, ':');
    if (colon && !source_is_file(source))
        end = colon;
    return end - source > 4 && strncasecmp(end - 4, ".npy", 4) == 0;
}

/* Resolves a negative row number, which counts from the end. */
static int64_t row_of(int64_t row, int64_t rows)
{
    return row < 0 ? row + rows : row;
}

bool predict_wants_pieces(const char *source, const row_range *rows, int64_t *first, int64_t *end)
{
    volt_read_options options = reading_options();
    options.missing = VOLT_MISSING_KEEP;
    options.end = 1;
    volt_table *table = NULL;
    if (!is_npy(source) || volt_table_read(source, &options, &table))
        return false;
    int64_t count = table->file_rows;
    volt_table_free(table);
    *first = rows->given && rows->has_start ? row_of(rows->start, count) : 0;
    *end = rows->given && rows->has_stop ? row_of(rows->stop, count) : count;
    return *first >= 0 && *end <= count && *end - *first > PREDICT_PIECE;
}

/* ---- progress --------------------------------------------------------------------------------- */

/* Maps the progress of a piece to the progress of the whole file. */
typedef struct shared_progress {
    volt_progress whole;
    double from, share;
} shared_progress;

static int report_share(const char *stage, double fraction, void *context)
{
    const shared_progress *shared = context;
    return shared->whole.report
               ? shared->whole.report(stage, shared->from + shared->share * fraction, shared->whole.context)
               : 0;
}

/* ---- pieces ----------------------------------------------------------------------------------- */

typedef struct piece_state {
    volt_live *live;
    volt_table_writer *writer;
    volt_matrix table, half; /* output of a piece; half-widths of intervals */
    shared_progress progress;
    int64_t beyond;
    volt_predict_warning range;
} piece_state;

static int read_piece(const predict_pieces_task *task, int64_t first, int64_t end, dataset *inputs)
{
    row_range rows = {.given = true, .has_start = true, .has_stop = true, .start = first, .stop = end};
    int failed =
        model_times_read_inputs(inputs, task->x, task->missing, &rows, task->info, task->times, NULL, NULL);
    if (!failed && first == task->first && task->start == VOLT_START_CONTINUE)
        failed = model_times_warn_start(task->info, inputs, true);
    return failed;
}

/* Forecasts rows first .. end - 1 of the file. */
static int forecast_piece(const predict_pieces_task *task, int64_t first, int64_t end, piece_state *state)
{
    dataset inputs = {0};
    int64_t q = task->info->q, index = task->output.has_index, total = task->end - task->first, beyond = 0;
    volt_matrix table = volt_matrix_rows(state->table, 0, end - first);
    volt_matrix forecast = {table.data + index, table.rows, q, table.ld};
    volt_matrix bands = {table.data + index + q, table.rows, bands_columns(&task->output.bands, q), table.ld};
    int failed = read_piece(task, first, end, &inputs);
    if (!failed) {
        state->progress.from = (double)(first - task->first) / (double)total;
        state->progress.share = (double)(end - first) / (double)total;
        volt_status status = volt_live_predict(state->live, inputs.view, 1, forecast, &beyond);
        state->beyond += beyond;
        if (status == VOLT_OK)
            status = volt_model_check_range(task->model, inputs.view, first - task->first, &state->range);
        if (status == VOLT_OK) {
            bands_fill(&task->output.bands, volt_as_view(forecast), volt_as_view(state->half), (volt_view){0},
                       bands);
            for (int64_t i = 0; index && i < table.rows; i++)
                table.data[i * table.ld] = (double)(first + i);
            status = volt_table_writer_rows(state->writer, volt_as_view(table), NULL);
        }
        failed = status ? complain_status(status) : 0;
    }
    dataset_release(&inputs);
    return failed;
}

static int open_writer(const predict_pieces_task *task, piece_state *state)
{
    const char **names = forecast_names(task->info, &task->output);
    if (!names)
        return complain(EXIT_FAILED, "not enough memory for the column names");
    const char *path = task->output.path ? task->output.path : "-";
    volt_write_options options = {.struct_size = sizeof options};
    options.progress = interrupt_watch();
    volt_status status = volt_table_writer_open(path, task->end - task->first, state->table.cols, names,
                                                &options, &state->writer);
    output_names_free(names);
    return status ? complain_status(status) : 0;
}

static int open_state(const predict_pieces_task *task, piece_state *state)
{
    int64_t q = task->info->q, cols = task->output.has_index + q + bands_columns(&task->output.bands, q);
    int failed = allocate_matrix(PREDICT_PIECE, cols, "the forecast", &state->table);
    if (!failed && task->output.bands.levels.count > 0)
        failed = bands_of_model(task->model, &task->output.bands.levels, &state->half);
    if (failed)
        return failed;
    volt_live_options options = volt_live_options_default();
    options.start = (volt_start)task->start;
    options.beyond = (volt_beyond)task->output.beyond;
    options.progress = (volt_progress){report_share, &state->progress};
    volt_status status = volt_live_create(task->model, &options, &state->live);
    return status ? complain_status(status) : open_writer(task, state);
}

/* Returns a multiple of the library's block size, so that results are bitwise equal to a prediction of all
 * rows. */
static int64_t piece_rows(const volt_live *live)
{
    volt_live_info info = {.struct_size = sizeof info, .block_rows = 1};
    if (live)
        volt_live_get_info(live, &info);
    return PREDICT_PIECE > info.block_rows ? PREDICT_PIECE / info.block_rows * info.block_rows : PREDICT_PIECE;
}

int predict_pieces(const predict_pieces_task *task)
{
    piece_state state = {0};
    state.progress.whole = progress_begin(task->quiet);
    int failed = open_state(task, &state);
    int64_t piece = piece_rows(state.live);
    for (int64_t first = task->first; !failed && first < task->end; first += piece) {
        int64_t left = task->end - first;
        failed = forecast_piece(task, first, first + (left < piece ? left : piece), &state);
    }
    volt_status closed = volt_table_writer_close(state.writer, !failed);
    if (!failed && closed)
        failed = complain_status(closed);
    progress_end();
    if (!failed)
        forecast_warn_beyond(task->output.beyond, state.beyond, task->end - task->first);
    if (!failed && state.range.rows > 0)
        warn("%s", state.range.text);
    volt_live_free(state.live);
    free(state.table.data);
    free(state.half.data);
    return failed;
}
