/* help.c - `nonsens help [COMMAND]`, printed from the tables of commands and options. */
#include "cli.h"

#include <string.h>

enum { COLUMNS = 96, TEXT_COLUMN = 24 };

/* ---- layout ---- */

/* Prints words from column `at` on; breaks lines at COLUMNS; further lines begin at column `indent`. */
static void print_words(FILE *f, const char *text, int at, int indent)
{
    bool first = true;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (!first && at + 1 + length > COLUMNS) {
            fprintf(f, "\n%*s", indent, "");
            at = indent;
            first = true;
        }
        fprintf(f, "%s%.*s", first ? "" : " ", length, text);
        at += length + !first;
        first = false;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', f);
}

static void print_entry(FILE *f, const char *head, const char *text)
{
    int used = fprintf(f, "  %s", head);
    if (used + 2 > TEXT_COLUMN) {
        fputc('\n', f);
        used = 0;
    }
    fprintf(f, "%*s", TEXT_COLUMN - used, "");
    print_words(f, text, TEXT_COLUMN, TEXT_COLUMN);
}

/* ---- options ---- */

const char *option_placeholder(const nonsens_option_info *info)
{
    switch (info->type) {
    case NONSENS_OPTION_FLAG:
        return NULL;
    case NONSENS_OPTION_INTEGER:
        return "N";
    case NONSENS_OPTION_REAL:
        return "NUM";
    case NONSENS_OPTION_CHOICE:
        return "WORD";
    case NONSENS_OPTION_RANGE:
        return "LO:HI";
    case NONSENS_OPTION_TEXT:
        break;
    }
    return "TEXT";
}

/* Writes "structured/lingam/...": the methods of the commands that have the option. */
static void method_names(unsigned commands, char *buffer, size_t bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < nonsens_method_count() && used < bytes; i++) {
        const nonsens_method_info *m = nonsens_method_at(i);
        if (m->commands & commands) {
            used += (size_t)snprintf(buffer + used, bytes - used, "%s%s", used ? "/" : "", m->name);
        }
    }
}

/* Writes the values that an option takes: "0 to 20 layers", "adam/sgd"; empty if it takes any text. */
static void values_text(const nonsens_option_info *info, char *buffer, size_t bytes)
{
    bool number =
        info->type == NONSENS_OPTION_INTEGER || info->type == NONSENS_OPTION_REAL || info->type == NONSENS_OPTION_RANGE;
    const char *before_unit = info->unit[0] ? " " : "";
    buffer[0] = '\0';
    if (info->choices && !info->bounds) {
        snprintf(buffer, bytes, "%s", info->choices);
        for (char *bar = strchr(buffer, '|'); bar; bar = strchr(bar, '|')) {
            *bar = '/';
        }
    } else if (info->bounds) {
        snprintf(buffer, bytes, "%s%s%s", info->bounds, before_unit, info->unit);
    } else if (number) {
        snprintf(buffer, bytes, "%.16g to %.16g%s%s", info->lowest, info->highest, before_unit, info->unit);
    } else if (strcmp(info->key, "method") == 0) {
        method_names(info->commands, buffer, bytes);
    }
}

void option_limits(const nonsens_option_info *info, char buffer[LIMITS_BYTES])
{
    char values[LIMITS_BYTES - 64];
    values_text(info, values, sizeof values);
    buffer[0] = '\0';
    if (info->type != NONSENS_OPTION_FLAG && info->default_value[0]) {
        snprintf(buffer, LIMITS_BYTES, "%s%sdefault %s", values, values[0] ? "; " : "", info->default_value);
    }
}

static void print_option(FILE *f, const nonsens_option_info *info)
{
    char head[64], limits[LIMITS_BYTES], text[2 * LIMITS_BYTES];
    const char *value = option_placeholder(info);
    snprintf(head, sizeof head, "--%s%s%s", info->key, value ? " " : "", value ? value : "");
    option_limits(info, limits);
    snprintf(text, sizeof text, limits[0] ? "%s (%s)" : "%s", info->text, limits);
    print_entry(f, head, text);
}

static bool is_first_of_group(size_t index, unsigned bit)
{
    const char *group = nonsens_option_at(index)->group;
    for (size_t i = 0; i < index; i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        if ((info->commands & bit) && strcmp(info->group, group) == 0) {
            return false;
        }
    }
    return true;
}

static void print_options(FILE *f, unsigned bit)
{
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        if (!(info->commands & bit)) {
            continue;
        }
        if (is_first_of_group(i, bit)) {
            fprintf(f, "\n%s\n", info->group);
        }
        print_option(f, info);
    }
}

static void print_file_options(FILE *f, unsigned bit)
{
    fputs("\nOutput\n", f);
    for (size_t i = 0; i < file_option_count(); i++) {
        const file_option *o = file_option_at(i);
        char head[64];
        if (o->commands & bit) {
            snprintf(head, sizeof head, "%s%s--%s%s%s", o->letter ? o->letter : "", o->letter ? ", " : "", o->name,
                     o->argument ? " " : "", o->argument ? o->argument : "");
            print_entry(f, head, o->text);
        }
    }
}

static void print_words_of(FILE *f, const command *c)
{
    command_word word;
    fprintf(f, "\n%s\n", c->word_title);
    for (size_t i = 0; c->word_at(i, &word); i++) {
        char text[512];
        snprintf(text, sizeof text, "%s; %s", word.text, word.size);
        print_entry(f, word.name, text);
    }
}

static void print_examples(FILE *f, const char *name)
{
    const example *e = example_next(name, NULL);
    fputs(e ? "\nExamples\n" : "", f);
    for (; e; e = example_next(name, e)) {
        fprintf(f, "  %s%s\n    ", e->what, e->what[strlen(e->what) - 1] == '?' ? "" : ":");
        for (const char *c = e->lines; *c; c++) {
            fputs(*c == '\n' ? "\n    " : (char[2]){*c, '\0'}, f);
        }
        fputc('\n', f);
    }
}

/* ---- pages ---- */

void print_command_help(FILE *f, const command *c)
{
    fprintf(f, "Usage: nonsens %s%s%s\n\n", c->name, c->synopsis[0] ? " " : "", c->synopsis);
    print_words(f, c->text, 0, 0);
    if (c->word_title) {
        print_words_of(f, c);
    }
    print_examples(f, c->name);
    if (c->bit) {
        print_options(f, c->bit);
        print_file_options(f, c->bit);
    }
}

void print_overview(FILE *f)
{
    fputs("nonsens - causal direction from segmented data\n\nUsage: nonsens COMMAND [options]\n\nCommands\n", f);
    for (const command *c = command_table(); c->name; c++) {
        print_entry(f, c->name, c->summary);
    }
    fputs("\nTry this\n"
          "  nonsens simulate --segments 10 --per-segment 512 --seed 3 -o data.csv --truth truth.json\n"
          "  nonsens direction data.csv --segment segment\n"
          "\nExit codes\n"
          "  0 done, 1 failed, 2 usage, 3 bad data, 130 interrupted, 141 standard output closed early\n"
          "\n`nonsens help COMMAND` lists the options of a command. `make install` puts pages that texts\n"
          "refer to, such as docs/reading.md, into share/doc/nonsens.\n",
          f);
}

/* Prints the manual page nonsens(1), or that of a command that is named. */
static int print_page(int count, char **words)
{
    const command *c = count > 0 ? command_find(words[0]) : NULL;
    if (count > 0 && !c) {
        return refuse_command(words[0]);
    }
    if (c && !c->bit) {
        return complain(EXIT_USAGE, "%s has no options, and no manual page of its own", c->name);
    }
    print_man_page(stdout, c);
    return EXIT_DONE;
}

int command_help(const command *self, int count, char **words)
{
    if (count == 0) {
        print_overview(stdout);
        return EXIT_DONE;
    }
    if (strcmp(words[0], "--man") == 0) {
        const command *c = count > 1 ? command_find(words[1]) : NULL;
        return c && c->elsewhere ? run_elsewhere(c, self->name, count, words) : print_page(count - 1, words + 1);
    }
    if (count > 1) {
        return complain(EXIT_USAGE, "%s takes one command, but was given %d words", self->name, count);
    }
    const command *c = command_find(words[0]);
    if (!c) {
        return refuse_command(words[0]);
    }
    if (c->elsewhere) {
        return run_elsewhere(c, self->name, count, words);
    }
    print_command_help(stdout, c);
    return EXIT_DONE;
}
