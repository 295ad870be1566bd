/* cli/main.c: the program of one process. */
#include "program.h"

int main(int argc, char **argv)
{
    return program_main(argc, argv, true);
}
