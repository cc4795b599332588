/* replay.c FOLDER - feeds every file of a corpus to the fuzz target once, so that bugs once found stay fixed. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads a file; returns its bytes, or -1 if it cannot be read. */
static long feed(const char *path)
{
    static uint8_t bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file) {
        return -1;
    }
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    uint8_t *exact = malloc(size ? size : 1); // no byte beyond the end, so that sanitizers see a read past it
    if (!exact) {
        return -1;
    }
    for (size_t i = 0; i < size; i++) {
        exact[i] = bytes[i];
    }
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return (long)size;
}

int main(int count, char **words)
{
    DIR *folder = count == 2 ? opendir(words[1]) : NULL;
    int fed = 0;
    if (!folder) {
        fprintf(stderr, "usage: replay FOLDER\n");
        return 2;
    }
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", words[1], entry->d_name);
        if (entry->d_name[0] == '.') {
            continue;
        }
        printf("%s\n", entry->d_name); // printed before it is fed, so that a crash leaves its name
        fflush(stdout);
        if (feed(path) < 0) {
            fprintf(stderr, "%s cannot be read\n", path);
            return 1;
        }
        fed++;
    }
    closedir(folder);
    printf("%d files\n", fed);
    return fed > 0 ? 0 : 1;
}
