/* cli/help_kernels.c: `volterra help kernels`, `volterra help solvers` and `volterra help systems`, from the library's
 * tables. */
#include "program.h"
#include "terminal/messages.h"
#include "volterra.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARAMETER_COLUMN = 17, TEXT_CAPACITY = 512 };

/* Writes "; search 0.3 to 10 x unit, log-uniform", or an empty text when a search keeps the default. */
static void describe_search(const volt_parameter_info *parameter, char *text, size_t capacity)
{
    static const char *const draws[] = {
        [VOLT_SEARCH_NONE] = "",
        [VOLT_SEARCH_LOG] = "log-uniform",
        [VOLT_SEARCH_LINEAR] = "uniform",
        [VOLT_SEARCH_INTEGER] = "whole numbers",
        [VOLT_SEARCH_LOG_INTEGER] = "whole numbers, log-uniform",
    };
    static const char *const units[] = {
        [VOLT_UNIT_ONE] = "",
        [VOLT_UNIT_DISTANCE] = " x unit",
        [VOLT_UNIT_SQUARE] = " x unit^2",
        [VOLT_UNIT_INVERSE_SQUARE] = " / unit^2",
    };
    *text = '\0';
    if (parameter->search != VOLT_SEARCH_NONE)
        snprintf(text, capacity, "; search %g to %g%s, %s", parameter->search_low, parameter->search_high,
                 units[parameter->unit], draws[parameter->search]);
}

static void print_parameter(const volt_parameter_info *parameter)
{
    char search[128], limits[TEXT_CAPACITY];
    bool is_interval = strchr("([", parameter->range[0]) != NULL;
    const char *before = parameter->kind == VOLT_PARAMETER_CHOICE ? "one of " : is_interval ? "in " : "";
    describe_search(parameter, search, sizeof search);
    snprintf(limits, sizeof limits, "%s%s%s%s%s", before, parameter->range,
             parameter->fallback ? "; default " : "", parameter->fallback ? parameter->fallback : "", search);
    help_print_wrapped(parameter->meaning, printf("    %s", parameter->name), PARAMETER_COLUMN);
    help_print_wrapped(limits, 0, PARAMETER_COLUMN);
}

/* Prints each line of the notes with the indentation of the parameters. */
static void print_notes(const char *notes)
{
    printf("\n");
    while (*notes) {
        int length = (int)strcspn(notes, "\n");
        printf("    %.*s\n", length, notes);
        notes += length + (notes[length] == '\n');
    }
}

static void print_kernel(const volt_kernel_info *kernel)
{
    char cost[TEXT_CAPACITY];
    snprintf(cost, sizeof cost, "cost of one entry: %s", kernel->cost);
    printf("%s\n  %s\n", kernel->name, kernel->formula);
    help_print_wrapped(cost, 0, 2);
    printf("\n");
    for (int64_t i = 0; i < kernel->n_parameters; i++)
        print_parameter(&kernel->parameters[i]);
    if (kernel->notes)
        print_notes(kernel->notes);
    printf("\n");
}

static bool has_parameter(const volt_kernel_info *kernel, const char *name)
{
    for (int64_t i = 0; i < kernel->n_parameters; i++)
        if (strcmp(kernel->parameters[i].name, name) == 0)
            return true;
    return false;
}

/* The part of the inputs that a kernel compares, derived from its parameters. */
typedef enum kernel_sight { SEES_WHOLE_PAST, SEES_PATHS, SEES_WINDOWS } kernel_sight;

static kernel_sight sight_of(const volt_kernel_info *kernel)
{
    if (!has_parameter(kernel, "window"))
        return SEES_WHOLE_PAST;
    return has_parameter(kernel, "path") ? SEES_PATHS : SEES_WINDOWS;
}

/* Writes "volterra, fading and memory" to `text` and returns it. */
static char *join_kernels(kernel_sight sight, char text[TEXT_CAPACITY])
{
    name_list names = {0};
    for (int64_t i = 0; volt_kernel_at(i); i++)
        if (sight_of(volt_kernel_at(i)) == sight)
            names_add(&names, volt_kernel_at(i)->name);
    return names_join(&names, ", ", " and ", text, TEXT_CAPACITY);
}

static void print_sights(void)
{
    char whole[TEXT_CAPACITY], paths[TEXT_CAPACITY], text[3 * TEXT_CAPACITY];
    snprintf(
        text, sizeof text,
        "%s see the whole past, through a recursion from row to row. %s compare paths: the last `window` "
        "rows, or with path=rows each row by itself. All of these also compare whole series (volterra gram "
        "--collection). The other kernels take the last `window` rows as one long vector. Rows before the "
        "first are zero.",
        join_kernels(SEES_WHOLE_PAST, whole), join_kernels(SEES_PATHS, paths));
    help_print_wrapped(text, 0, 0); /* after an empty line */
}

static int complain_unknown_kernel(const char *name)
{
    name_list names = {0};
    for (int64_t i = 0; volt_kernel_at(i); i++)
        names_add(&names, volt_kernel_at(i)->name);
    const char *nearest = names_nearest(&names, name);
    if (nearest)
        return complain(EXIT_USAGE, "unknown kernel '%s'; did you mean %s?", name, nearest);
    return complain(EXIT_USAGE, "unknown kernel '%s' (volterra help kernels lists them)", name);
}

/* Prints the definitions of the terms used above. */
static void print_legend(void)
{
    printf("search: the range from which a search draws a parameter that is not given; unit: the median\n"
           "distance of two input rows, times sqrt(window)\n");
}

static int print_one(const char *name)
{
    for (int64_t i = 0; volt_kernel_at(i); i++)
        if (strcmp(volt_kernel_at(i)->name, name) == 0) {
            print_kernel(volt_kernel_at(i));
            print_legend();
            return EXIT_DONE;
        }
    return complain_unknown_kernel(name);
}

/* Prints the syntax of products, sums and filters. */
static void print_expressions(void)
{
    printf("\nSums and products of kernels are kernels too, with weights above 0:\n"
           "  2*fir:mu=0.8 + memory:pole=0.7*rbf\n");
    help_print_wrapped("Factors are counted from 1, and a parameter is addressed by its factor: 3.gamma "
                       "(for example in --range); "
                       "2.weight is the weight of the term that begins with factor 2, default 1.",
                       0, 0);
    help_print_wrapped("Every factor can filter its inputs: pole=P (-1 < P < 1) is a real pole, and "
                       "pair=R,angle=A (0 <= R < 1, "
                       "0 <= A <= 1) a pair of poles of modulus R at an angle of A pi, both with unit gain at "
                       "frequency 0 (pole < 0: "
                       "at the highest frequency). 0, the default, means none.",
                       0, 0);
    help_print_wrapped(
        "In a search (tune, compare) the value ? marks a parameter to search, as in fir:corr=? + "
        "?*memory:pole=?. "
        "Filters and corr stay at 0 unless requested in this way; the weights of all terms but the first are "
        "searched unless they are given.",
        0, 0);
}

int help_kernels(const char *name)
{
    if (name)
        return print_one(name);
    printf("A kernel is NAME or NAME:PARAMETER=VALUE,PARAMETER=VALUE,...\n"
           "Parameters that are not given have their defaults.\n");
    print_sights();
    print_expressions();
    printf("\n");
    for (int64_t i = 0; volt_kernel_at(i); i++)
        print_kernel(volt_kernel_at(i));
    print_legend();
    printf("\nexamples:\n"
           "  volterra:tau_coef=0.3,lambda_coef=0.9\n"
           "  volterra:tau=0.6,lambda=0.85,lift=even\n"
           "  rbf:gamma=0.5,window=20\n"
           "  sig:level=4,window=20,augment=time\n"
           "  gak:sigma=2,path=rows\n"
           "  3*fir:mu=0.9,corr=0.5 + memory:gamma=2,pole=0.7,pair=0.85,angle=0.2\n");
    return EXIT_DONE;
}

void help_solvers(void)
{
    printf("Names of solvers (fit --solver)\n\n");
    for (int64_t i = 0; volt_solver_at(i); i++) {
        const volt_solver_info *solver = volt_solver_at(i);
        help_print_wrapped(solver->meaning, printf("%s", solver->name), PARAMETER_COLUMN);
    }
}

void help_systems(void)
{
    printf("A system is NAME or NAME:PARAMETER=VALUE,PARAMETER=VALUE,... (volterra simulate)\n\n");
    for (int64_t i = 0; volt_system_at(i); i++) {
        const volt_system_info *system = volt_system_at(i);
        const volt_simulate_options options = volt_simulate_options_default((volt_system)i);
        printf("%s\n", system->name);
        help_print_wrapped(system->equation, 0, 2);
        if (system->n_start > 0) {
            printf("  --start %g", options.start[0]);
            for (int64_t s = 1; s < system->n_start; s++)
                printf(",%g", options.start[s]);
            printf("\n");
        }
        if (system->reads_step)
            printf("  --step %g\n", options.step);
        if (system->reads_every)
            printf("  --every %lld\n", (long long)options.every);
        printf("  --discard %lld\n", (long long)options.discard);
        if (system->accuracy)
            help_print_wrapped(system->accuracy, 0, 2);
        for (int64_t p = 0; p < system->n_parameters; p++) {
            const volt_system_parameter *parameter = &system->parameters[p];
            char limits[TEXT_CAPACITY];
            bool open_low = parameter->open || isinf(parameter->low);
            bool open_high = parameter->open || isinf(parameter->high);
            snprintf(limits, sizeof limits, "%sin %s%g, %g%s; default %g", parameter->whole ? "integer " : "",
                     open_low ? "(" : "[", parameter->low, parameter->high, open_high ? ")" : "]",
                     parameter->fallback);
            help_print_wrapped(parameter->meaning, printf("    %s", parameter->name), PARAMETER_COLUMN);
            help_print_wrapped(limits, 0, PARAMETER_COLUMN);
        }
        printf("\n");
    }
    printf("period, bandwidth, amplitude: the input is a sum of floor(bandwidth * period) cosines with random\n"
           "phases, which repeats after `period` rows\n");
}
