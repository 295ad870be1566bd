/* cli/main.c: entry point of the single-process program. */
#include "program.h"

int main(int argc, char **argv)
{
    return program_main(argc, argv, true);
}
