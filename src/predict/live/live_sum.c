/* src/predict/live/live_sum.c: a live object of a sum of models has one object per member and feeds each row to
 * all of them (live_rows.c). */
#include "base/error.h"
#include "base/memory.h"
#include "predict/live/live_internal.h"

#include <inttypes.h>

volt_status volt_live_open_sum(const volt_model *model, volt_start start, volt_beyond policy,
                               const volt_live *source, volt_live **live)
{
    volt_live *fresh = NULL;
    volt_status status = volt_live_allocate(model, policy, &fresh);
    if (status == VOLT_OK) {
        fresh->members = volt_alloc_zero(model->sum->n, sizeof *fresh->members);
        fresh->k = volt_alloc_doubles(model->q, 1);
        status = fresh->members && fresh->k ? VOLT_OK : VOLT_ERR_MEMORY;
    }
    for (int64_t i = 0; status == VOLT_OK && i < model->sum->n; i++) {
        status = source ? volt_live_copy(source->members[i], &fresh->members[i])
                        : volt_live_open(model->sum->models[i], start, policy, &fresh->members[i]);
        if (status != VOLT_OK)
            volt_fail_prefix(status, "member %" PRId64, i + 1);
    }
    if (status == VOLT_OK)
        *live = fresh;
    else
        volt_live_free(fresh);
    return status;
}

/* ---- files ------------------------------------------------------------------------------------ */

void volt_live_put_members(const volt_live *live, volt_file_writer *writer)
{
    char prefix[VOLT_MEMBER_PREFIX];
    for (int64_t i = 0; i < live->model->sum->n; i++) {
        volt_file_writer member = {0};
        volt_live_put_state(live->members[i], &member);
        volt_writer_append(writer, volt_member_prefix(i, prefix), &member);
    }
}

static volt_status read_member(const volt_file_fields *fields, int64_t i, volt_live *live)
{
    volt_live *member = live->members[i];
    volt_file_fields own;
    VOLT_TRY(volt_fields_member(fields, i, &own));
    volt_status status = volt_live_read_fields(&own, member);
    volt_fields_member_free(&own);
    if (status == VOLT_ERR_FORMAT)
        return volt_fail_prefix(status, "member %" PRId64, i + 1);
    VOLT_TRY(status);
    VOLT_REQUIRE(member->pushed == live->pushed, VOLT_ERR_FORMAT,
                 "%s: \"rows\" of member %" PRId64 " is %" PRId64 ", but that of the sum is %" PRId64,
                 fields->path, i + 1, member->pushed, live->pushed);
    return VOLT_OK;
}

volt_status volt_live_read_members(const volt_file_fields *fields, volt_live *live)
{
    for (int64_t i = 0; i < live->model->sum->n; i++)
        VOLT_TRY(read_member(fields, i, live));
    return VOLT_OK;
}
