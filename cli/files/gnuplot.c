/* cli/files/gnuplot.c: run gnuplot as a child process. */
#define _POSIX_C_SOURCE 200809L
#include "files/gnuplot.h"

#include "files/outputs.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool gnuplot_is_installed(void)
{
    char program[PATH_MAX];
    const char *path = getenv("PATH");
    for (size_t length; path && *path; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        int written = snprintf(program, sizeof program, "%.*s/gnuplot", (int)length, path);
        if (written < (int)sizeof program && access(program, X_OK) == 0)
            return true;
    }
    return false;
}

FILE *gnuplot_script(void)
{
    FILE *script = tmpfile();
    if (!script)
        complain(EXIT_FAILED, "no plot: cannot create a temporary file: %s", strerror(errno));
    return script;
}

/* Starts gnuplot with these files as standard input, output and error. Returns 0 or an errno value. */
static int start_gnuplot(FILE *script, FILE *picture, FILE *words, pid_t *child)
{
    static char name[] = "gnuplot", plain[] = "-d"; /* -d: ignore the user's settings */
    char *arguments[] = {name, plain, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    FILE *const streams[] = {script, picture, words};
    for (int fd = 0; fd < 3 && !error; fd++)
        error = posix_spawn_file_actions_adddup2(&actions, fileno(streams[fd]), fd);
    if (!error)
        error = posix_spawnp(child, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Waits for the child. Returns its exit status, or 128 and above for a signal. */
static int wait_for(pid_t child)
{
    int state = 0;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return 127;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128;
}

static int complain_missing(int error)
{
    if (error == ENOENT)
        return complain(EXIT_FAILED, "no plot: gnuplot is not installed (Debian: gnuplot-nox)");
    return complain(EXIT_FAILED, "no plot: cannot start gnuplot: %s", strerror(error));
}

/* Returns the first line of the error output that is neither a warning nor an echoed input line. */
static const char *first_words(FILE *words, char *line, int capacity)
{
    rewind(words);
    while (fgets(line, capacity, words)) {
        line[strcspn(line, "\n")] = '\0';
        const char *text = line + strspn(line, " \t^");
        if (*text && !strstr(text, "plot> ") && !strstr(text, "warning:"))
            return text;
    }
    return "no reason given";
}

/* Runs gnuplot on the script, with its output in `picture`, which must have a file descriptor. */
static int run_gnuplot(FILE *script, FILE *picture)
{
    char line[256];
    pid_t child = 0;
    FILE *words = gnuplot_script();
    if (!words)
        return EXIT_FAILED;
    int failed = 0;
    if (fflush(script) || fflush(picture) || lseek(fileno(script), 0, SEEK_SET) < 0)
        failed = complain(EXIT_FAILED, "no plot: cannot write the gnuplot script: %s", strerror(errno));
    int error = failed ? 0 : start_gnuplot(script, picture, words, &child);
    if (error)
        failed = complain_missing(error);
    int status = failed ? 0 : wait_for(child);
    if (status == 127) /* if the child process searches for the program */
        failed = complain_missing(ENOENT);
    else if (status)
        failed = complain(EXIT_FAILED, "no plot: gnuplot failed: %s", first_words(words, line, sizeof line));
    fclose(words);
    return failed;
}

static int copy_to(FILE *from, FILE *to)
{
    char buffer[1 << 14];
    size_t count;
    rewind(from);
    while ((count = fread(buffer, 1, sizeof buffer, from)) > 0)
        if (fwrite(buffer, 1, count, to) != count)
            return -1;
    return ferror(from) ? -1 : fflush(to);
}

int gnuplot_draw(FILE *script, FILE *picture)
{
    /* Use a temporary file, because `picture` may be an in-memory stream without a descriptor. */
    FILE *drawn = gnuplot_script();
    if (!drawn)
        return EXIT_FAILED;
    int failed = run_gnuplot(script, drawn);
    if (!failed && copy_to(drawn, picture))
        failed = complain(EXIT_FAILED, "cannot write the plot: %s", strerror(errno));
    fclose(drawn);
    return failed;
}

int gnuplot_draw_file(FILE *script, const char *path)
{
    char *picture = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&picture, &size);
    if (!memory)
        return complain(EXIT_FAILED, "not enough memory for the plot");
    interrupt_defer(!is_standard_output(path));
    int failed = gnuplot_draw(script, memory);
    if (fclose(memory) && !failed)
        failed = complain(EXIT_FAILED, "not enough memory for the plot");
    if (!failed)
        failed = output_text(path, picture);
    interrupt_defer(false);
    free(picture);
    return failed;
}
