/* cli/page/machine.c: description of the machine. */
#define _POSIX_C_SOURCE 200809L
#include "page/page_frame.h"

#include "terminal/messages.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* Copies the value of the first line "KEY : VALUE" of /proc/cpuinfo to `value`; "" if the key is missing. */
static void read_cpuinfo(const char *key, char *value, size_t capacity)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    value[0] = '\0';
    while (file && !value[0] && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0)
            continue;
        const char *from = colon + 1 + strspn(colon + 1, " \t");
        snprintf(value, capacity, "%.*s", (int)strcspn(from, "\n"), from);
    }
    if (file)
        fclose(file);
}

/* On 64-bit ARM, /proc/cpuinfo has part numbers instead of a model name. */
static const char *arm_core(const char *part)
{
    static const struct {
        const char *part, *name;
    } cores[] = {{"0xd0c", "Neoverse-N1"}, {"0xd40", "Neoverse-V1"}, {"0xd49", "Neoverse-N2"},
                 {"0xd4f", "Neoverse-V2"}, {"0xd08", "Cortex-A72"},  {"0xd0b", "Cortex-A76"}};
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++)
        if (strcmp(cores[i].part, part) == 0)
            return cores[i].name;
    return NULL;
}

char *machine_cpu(char text[MACHINE_LENGTH])
{
    char name[96], part[32];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    read_cpuinfo("model name", name, sizeof name);
    if (!name[0]) {
        read_cpuinfo("CPU part", part, sizeof part);
        if (arm_core(part))
            snprintf(name, sizeof name, "ARM %s", arm_core(part));
        else
            snprintf(name, sizeof name, "unknown processor%s%s", part[0] ? ", part " : "", part);
    }
    if (cores > 0)
        snprintf(text, MACHINE_LENGTH, "%s, %ld core%s", name, cores, cores == 1 ? "" : "s");
    else
        snprintf(text, MACHINE_LENGTH, "%s", name);
    return text;
}

char *machine_memory(char text[MACHINE_LENGTH])
{
    char bytes[QUANTITY_LENGTH];
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    snprintf(text, MACHINE_LENGTH, "%s",
             pages > 0 && size > 0 ? format_bytes((double)pages * (double)size, bytes) : "unknown");
    return text;
}

char *machine_system(char text[MACHINE_LENGTH])
{
    struct utsname system;
    if (uname(&system) < 0)
        snprintf(text, MACHINE_LENGTH, "unknown");
    else
        snprintf(text, MACHINE_LENGTH, "%.40s %.60s on %.40s", system.sysname, system.release, system.machine);
    return text;
}

char *machine_date(char text[MACHINE_LENGTH])
{
    time_t now = time(NULL);
    struct tm parts;
    if (!gmtime_r(&now, &parts) || strftime(text, MACHINE_LENGTH, "%Y-%m-%d %H:%M UTC", &parts) == 0)
        snprintf(text, MACHINE_LENGTH, "unknown");
    return text;
}
