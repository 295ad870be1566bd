# scripts/walk.gdb: stops once at each central function of a fit and of a prediction (docs/reading.md), prints the function,
# its file and line and two or three values, and continues. Fails when one of them does not run.
# Run it in the root of the repository; gdb needs Python.
#
#   cmake --preset debug && cmake --build --preset debug --target programs
#   gdb -batch -nx -x scripts/walk.gdb build-debug/volterra

set pagination off
set print thread-events off
set environment OMP_NUM_THREADS 1
set environment OPENBLAS_NUM_THREADS 1

# The library is loaded when main begins.
tbreak main
commands
silent
end
run fit --quiet --x examples/data/tanks.csv:pump --y examples/data/tanks.csv:level --washout 20 \
    -o build-debug/walk.safetensors >build-debug/walk.log

python
import os

class Stop(gdb.Breakpoint):
    def __init__(self, function, *values):
        super().__init__(function, internal=True)
        self.values = values

    def stop(self):
        place = gdb.selected_frame().find_sal()
        shown = "  ".join(f"{value} = {gdb.parse_and_eval(value)}" for value in self.values)
        where = f"{os.path.relpath(place.symtab.fullname())}:{place.line}"
        print(f"{self.location:<28}{where:<36}{shown}", flush=True)
        self.enabled = False
        return False

stops = [
    Stop("volt_model_fit", "X.rows", "X.cols", "Y.cols"),
    Stop("volt_fit_task_resolve", "options->alpha", "options->washout"),
    Stop("fit_solve_part", "task->chooses", "task->change"),
    Stop("volt_fit_rows_begin", "d", "stored"),
    Stop("volt_kernel_resolve_slices", "d", "extents[0].radius"),
    Stop("volt_factor_fill", "op->n", "op->entry_cost"),
    Stop("volt_state_advance", "Z.rows", "K.cols"),
    Stop("volt_choice_pick", "choice->held.begin", "choice->held.rows"),
    Stop("volt_factor_grow_all", "factors[0]->task.alpha", "factors[0]->L.rows"),
    Stop("fit_make_report", "choice->tried", "choice->outputs[0].alpha"),
    Stop("volt_model_predict", "model->n", "X.rows"),
    Stop("volt_predict_rows", "state->rows", "options->start"),
]
end

continue
run predict build-debug/walk.safetensors --quiet --x examples/data/tanks.csv:pump -o build-debug/walk.csv
python gdb.execute(f"quit {int(any(stop.enabled for stop in stops))}")
