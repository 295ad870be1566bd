/* tests/arm/cortex_m4.c: start of a program on a Cortex-M4: vectors, floating-point unit, data, C library. */
#include <stdint.h>

extern uint32_t data_start, data_end, data_load, __stack;
extern void _start(void);

void reset_handler(void);

/* The first entry is the initial stack pointer. */
typedef struct vector_table {
    uint32_t *stack;
    void (*reset)(void);
} vector_table;

__attribute__((section(".vectors"), used)) static const vector_table vectors = {&__stack, reset_handler};

void reset_handler(void)
{
    *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20; /* CPACR: the floating-point unit */
    for (uint32_t *to = &data_start, *from = &data_load; to < &data_end;)
        *to++ = *from++;
    _start();
}
