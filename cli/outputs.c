/*
 * outputs.c - checks the files to be written before anything is read or run: none may be an input or another output,
 * and each must be writable.
 */
#include "cli.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static bool is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool get_facts(const char *path, int standard, struct stat *facts)
{
    return (is_standard(path) ? fstat(standard, facts) : stat(path, facts)) == 0;
}

/* Returns the length of the folder part of a path, including its slash. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static bool get_folder(const char *path, struct stat *facts)
{
    char folder[PATH_BYTES] = ".";
    size_t length = folder_length(path);
    if (length >= sizeof folder) {
        return false;
    }
    if (length > 0) {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    return stat(folder, facts) == 0;
}

/* Returns the path of the file that writing to `path` would create or change; links may lead to missing files. */
static const char *follow_links(const char *path, char behind[PATH_BYTES])
{
    enum { MAX_LINKS = 40 };
    char target[PATH_BYTES];
    for (int k = 0; k < MAX_LINKS; k++) {
        ssize_t length = readlink(path, target, sizeof target);
        size_t folder = length > 0 && target[0] != '/' ? folder_length(path) : 0;
        if (length <= 0 || folder + (size_t)length >= PATH_BYTES) {
            break;
        }
        memmove(behind, path, folder);
        memcpy(behind + folder, target, (size_t)length);
        behind[folder + (size_t)length] = '\0';
        path = behind;
    }
    return path;
}

static bool is_same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * Returns whether two paths lead to the same file or pipe.  `standard` is what "-" means for the first path; for the
 * second it is standard output.  Terminals and /dev/null may be shared.
 */
static bool is_same_file(const char *a, int standard, const char *b)
{
    struct stat first, second;
    bool has_first = get_facts(a, standard, &first), has_second = get_facts(b, STDOUT_FILENO, &second);
    if (has_first && has_second) {
        return is_same_inode(&first, &second) && (S_ISREG(first.st_mode) || S_ISFIFO(first.st_mode));
    }
    if (has_first || has_second) {
        return false;
    }
    char behind_a[PATH_BYTES], behind_b[PATH_BYTES];
    a = follow_links(a, behind_a);
    b = follow_links(b, behind_b);
    return strcmp(a + folder_length(a), b + folder_length(b)) == 0 && get_folder(a, &first) && get_folder(b, &second) &&
           is_same_inode(&first, &second);
}

bool is_standard_output(const char *path)
{
    return is_standard(path) || is_same_file("-", STDOUT_FILENO, path);
}

static const char *path_words(const char *path)
{
    return is_standard(path) ? "standard output" : path;
}

static int refuse_input(const char *input, const output_file *out)
{
    const char *read = is_standard(input) ? "standard input" : input;
    if (is_standard(out->path)) {
        return complain(EXIT_USAGE, "standard output is the input %s; write to another file", read);
    }
    return complain(EXIT_USAGE, "%s %s would overwrite the input (%s); write to another file", out->option, out->path,
                    read);
}

static int refuse_same_file(const output_file *a, const output_file *b)
{
    if (is_standard(a->path) && is_standard(b->path)) {
        return complain(EXIT_USAGE, "%s and %s cannot both be - (standard output); give one of them a file", a->option,
                        b->option);
    }
    return complain(EXIT_USAGE, "%s %s and %s %s are the same file; give each a file of its own", a->option,
                    path_words(a->path), b->option, path_words(b->path));
}

int outputs_check(nonsens_context *ctx, const char *input, const output_file *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (out[i].path && input && is_same_file(input, STDIN_FILENO, out[i].path)) {
            return refuse_input(input, &out[i]);
        }
        for (size_t j = 0; out[i].path && j < i; j++) {
            bool both = out[j].path && is_standard(out[i].path) && is_standard(out[j].path);
            if (both || (out[j].path && is_same_file(out[j].path, STDOUT_FILENO, out[i].path))) {
                return refuse_same_file(&out[j], &out[i]);
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        nonsens_status status = out[i].path ? nonsens_output_check(ctx, out[i].path) : NONSENS_OK;
        if (status != NONSENS_OK) {
            return complain_status(ctx, status);
        }
    }
    return EXIT_DONE;
}
