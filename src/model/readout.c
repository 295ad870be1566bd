/* src/model/readout.c: coefficients of rows, or of states. */
#include "model/readout.h"

#include "base/memory.h"
#include "kernel/engine/state.h"

volt_model_reader volt_model_reads(const volt_model *model)
{
    if (model->states)
        return (volt_model_reader){model->states, model->states_readout};
    return (volt_model_reader){model->columns, model->coefficients};
}

volt_status volt_readout_allocate(volt_model *model)
{
    int64_t count = volt_states_count(&model->resolved);
    if (count == 0)
        return VOLT_OK;
    model->states_readout = volt_alloc_doubles(count, model->q);
    return model->states_readout ? volt_states_columns(&model->resolved, &model->states) : VOLT_ERR_MEMORY;
}

int64_t volt_readout_state_length(const volt_model *model)
{
    return model->states ? volt_states_length(&model->resolved)
                         : volt_state_length_for(&model->resolved, model->n);
}
