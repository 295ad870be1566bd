/* tests/fuzz/fuzz_model_notes.c: libFuzzer target for the time notes of a model, as read by the library and the program.
 *
 * The lines are the notes: time_end, time_step, calendar, calendar_scale, first_rows, horizons, time_target;
 * an empty line is skipped. Accepted notes contain valid times and numbers, and the rows of a file are
 * matched with them. */
#include "fuzz/fuzz_input.h"

#include "files/model_times.h"
#include "fuzz/fuzz_lines.h"
#include "fuzz/fuzz_mute.h"
#include "fuzz/fuzz_own_file.h"
#include "model/model_internal.h"
#include "volterra.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_BYTES = 1 << 11, INPUTS = 8 };
static const char dated[] = "date,a\n2021-01-01,1\n2021-01-02,3\n2021-01-03,2\n2021-01-04,5\n";

static const char *note(char *const *lines, int count, int which)
{
    return which < count && *lines[which] ? lines[which] : NULL;
}

static void use(const volt_model_info *model, model_times *times)
{
    dataset data = {0};
    fuzz_write(fuzz_own_path(), dated, sizeof dated - 1);
    FUZZ_CHECK(!model->notes.time_end || isfinite(model->times.end.seconds));
    FUZZ_CHECK(isfinite(times->step.seconds));
    FUZZ_CHECK(times->calendar.cols >= 0 && times->calendar.cols < model->d);
    FUZZ_CHECK(times->calendar.scale > 0 && isfinite(times->calendar.scale));
    FUZZ_CHECK(dataset_read(&data, fuzz_own_path(), VOLT_MISSING_ERROR) == 0);
    FUZZ_CHECK(model_times_warn_start(model, &data, true) == 0);
    dataset later = data; /* of which rows may be left out */
    volt_start start = VOLT_START_RESET;
    if (model_times_find_start(model, &later, &start) == 0)
        FUZZ_CHECK(start != VOLT_START_RESET && later.view.rows >= 1 && later.view.rows <= data.view.rows);
    if (calendar_add(&times->calendar, &data, "the calendar of the model") == 0)
        for (int64_t i = 0; i < data.view.rows; i++)
            for (int64_t j = 0; j < data.view.cols; j++)
                FUZZ_CHECK(isfinite(data.view.data[i * data.view.ld + j]));
    dataset_release(&data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *lines[FUZZ_LINES] = {NULL};
    if (size > MAX_BYTES || memchr(bytes, 0, size))
        return 0;
    fuzz_mute();
    int count = fuzz_lines_split(bytes, size, lines);
    volt_model_info model = {
        .struct_size = sizeof(volt_model_info), .n = 10, .d = INPUTS, .q = 24, .columns = INPUTS, .ahead = 24};
    model.notes = (volt_model_notes){.time_end = note(lines, count, 0),
                                     .time_step = note(lines, count, 1),
                                     .calendar = note(lines, count, 2),
                                     .calendar_scale = note(lines, count, 3),
                                     .first_rows = note(lines, count, 4),
                                     .horizons = note(lines, count, 5),
                                     .time_target = note(lines, count, 6)};
    model_times times;
    if (volt_notes_get_times(&model.notes, model.ahead, &model.times) == VOLT_OK &&
        model_times_read(&model, &times) == 0)
        use(&model, &times);
    fuzz_lines_free(lines, count);
    return 0;
}
