/*
 * jansson_faults.c - what jansson's reader does when an allocation fails (docs/dependencies.md).
 *
 *     gcc experiments/jansson_faults.c -ljansson -o /tmp/jansson_faults && /tmp/jansson_faults
 *
 * Reads one text RUNS times, each in a process of its own, the n-th allocation failing in the n-th run, and compares
 * the value with the right one.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 60, LETTERS = 340, SAME = 0, REFUSED, OTHER, CRASHED, OUTCOMES };

static long until_failure;

static void *get(size_t bytes)
{
    return until_failure-- == 0 ? NULL : malloc(bytes);
}

static int read_failing(const char *text, const json_t *right, long n)
{
    json_set_alloc_funcs(get, free);
    until_failure = n;
    json_t *value = json_loadb(text, strlen(text), 0, NULL);
    until_failure = -1;
    return !value ? REFUSED : json_equal(value, right) ? SAME : OTHER;
}

int main(void)
{
    char text[LETTERS + 64], letters[LETTERS + 1] = {0};
    int count[OUTCOMES] = {0};
    memset(letters, 'a', LETTERS);
    snprintf(text, sizeof text, "{\"name\": \"%s\", \"k\": [1, 2.5]}", letters);
    json_t *right = json_loads(text, 0, NULL);
    for (long n = 0; n < RUNS; n++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            _exit(read_failing(text, right, n));
        }
        waitpid(child, &status, 0);
        count[WIFEXITED(status) ? WEXITSTATUS(status) : CRASHED]++;
    }
    printf("of %d runs: %d same, %d refused, %d with other contents, %d crashed\n", RUNS, count[SAME], count[REFUSED],
           count[OTHER], count[CRASHED]);
    json_decref(right);
    return 0;
}
