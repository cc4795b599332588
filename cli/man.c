/*
 * man.c - prints manual pages in mdoc(7), from the same tables as the help: `nonsens help --man` prints nonsens(1),
 * `nonsens help --man COMMAND` nonsens-COMMAND(1).
 */
#include "cli.h"

#include <ctype.h>
#include <string.h>

#define PAGE_DATE "November 15, 2026"

/* ---- escaping ---- */

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) != 0;
}

/* Prints one character of running text; `before` is the previous character (a blank at the start). */
static void put_char(FILE *f, char c, char before, bool *quoted)
{
    if (c == '\\') {
        fputs("\\e", f);
    } else if (c == '-' && !is_letter(before)) {
        fputs("\\-", f);
    } else if (c == '`') {
        fputs(*quoted ? "\\(cq" : "\\(oq", f);
        *quoted = !*quoted;
    } else {
        fputc(c, f);
    }
}

/* Returns whether a line may end at this blank: the next line must not begin with a control character. */
static bool may_break(const char *blank)
{
    return *blank == ' ' && blank[1] != '.' && blank[1] != '\'';
}

/* Prints running text, with one sentence per line as mdoc requires, and at most LINE_BYTES per line if words allow. */
static void put_text(FILE *f, const char *text)
{
    enum { LINE_BYTES = 72 };
    bool quoted = false;
    char before = ' ';
    size_t used = 0;
    if (*text == '.' || *text == '\'') {
        fputs("\\&", f);
    }
    for (; *text; before = *text++, used++) {
        bool sentence_ends = before == '.' && *text == ' ' && isupper((unsigned char)text[1]);
        bool full = *text == ' ' && used + 1 + strcspn(text + 1, " ") > LINE_BYTES;
        if (sentence_ends || (full && may_break(text))) {
            fputc('\n', f);
            used = 0;
        } else {
            put_char(f, *text, before, &quoted);
        }
    }
    fputc('\n', f);
}

/* ---- commands ---- */

/* Prints the usage line; the synopsis after the name is printed as it is. */
static void put_usage(FILE *f, const command *c)
{
    fprintf(f, ".Nm nonsens\n.Cm %s\n", c->name);
    if (c->synopsis[0]) {
        fprintf(f, ".No %s\n", c->synopsis);
    }
}

static void put_commands(FILE *f)
{
    fputs(".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar argument ...\n.Sh DESCRIPTION\n.Nm\n", f);
    put_text(f, "decides which of two variables causes the other, and what causes what among many. "
                "The data come in segments, such as experiments, sites or days, between which the disturbances change "
                "and the mechanisms do not.");
    fputs(".Bl -tag -width Ds\n", f);
    for (const command *c = command_table(); c->name; c++) {
        fprintf(f, ".It Cm %s\n%c", c->name, toupper((unsigned char)c->summary[0]));
        put_text(f, c->summary + 1);
        if (c->bit) {
            fprintf(f, ".Xr nonsens-%s 1\n", c->name);
        }
    }
    fputs(".El\n", f);
}

/* ---- options ---- */

static void put_option(FILE *f, const nonsens_option_info *info)
{
    char limits[LIMITS_BYTES], sentence[LIMITS_BYTES + 2];
    const char *value = option_placeholder(info);
    fprintf(f, ".It Fl \\-%s", info->key);
    fprintf(f, value ? " Ar %s\n" : "\n", value);
    put_text(f, info->text);
    option_limits(info, limits);
    if (limits[0]) {
        snprintf(sentence, sizeof sentence, "(%s)", limits);
        put_text(f, sentence);
    }
}

static void put_options(FILE *f, unsigned bit)
{
    const char *group = "";
    fputs(".Sh OPTIONS\n", f);
    put_text(f, "Unknown options and values out of bounds are errors; the program never changes a value silently.");
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        if (!(info->commands & bit)) {
            continue;
        }
        if (strcmp(info->group, group) != 0) {
            fprintf(f, "%s.Ss %s\n.Bl -tag -width Ds\n", *group ? ".El\n" : "", info->group);
            group = info->group;
        }
        put_option(f, info);
    }
    fprintf(f, "%s.Ss Output\n.Bl -tag -width Ds\n", *group ? ".El\n" : "");
    for (size_t i = 0; i < file_option_count(); i++) {
        const file_option *o = file_option_at(i);
        if (!(o->commands & bit)) {
            continue;
        }
        fprintf(f, ".It ");
        if (o->letter) {
            fprintf(f, "Fl %s , ", o->letter + 1);
        }
        fprintf(f, "Fl \\-%s", o->name);
        fprintf(f, o->argument ? " Ar %s\n" : "\n", o->argument);
        put_text(f, o->text);
    }
    fputs(".El\n", f);
}

/* ---- the rest ---- */

/* Lists the options that the method uses besides those of every run. */
static void put_method_options(FILE *f, const char *keys)
{
    char sentence[1024] = "Options:";
    size_t used = strlen(sentence), letters;
    for (; *keys && used < sizeof sentence; keys += letters + strspn(keys + letters, " ")) {
        letters = strcspn(keys, " ");
        used += (size_t)snprintf(sentence + used, sizeof sentence - used, " --%.*s", (int)letters, keys);
    }
    put_text(f, sentence);
}

static void put_methods(FILE *f, unsigned bit)
{
    fputs(".Sh METHODS\n.Bl -tag -width Ds\n", f);
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        const nonsens_method_info *m = nonsens_method_at(i);
        if (!(m->commands & bit)) {
            continue;
        }
        fprintf(f, ".It Cm %s\n", m->name);
        fprintf(f, "%c", toupper((unsigned char)m->summary[0]));
        put_text(f, m->summary + 1);
        fprintf(f, ".Pq %s .\n", m->citation);
        put_text(f, m->assumes);
        put_method_options(f, bit == NONSENS_COMMAND_DIRECTION ? m->direction_options : m->discover_options);
    }
    fputs(".El\n", f);
}

static void put_words(FILE *f, const command *c)
{
    command_word word;
    fputs(".Sh ", f);
    for (const char *letter = c->word_title; *letter; letter++) {
        fputc(toupper((unsigned char)*letter), f);
    }
    fputs("\n.Bl -tag -width Ds\n", f);
    for (size_t i = 0; c->word_at(i, &word); i++) {
        fprintf(f, ".It Cm %s\n%c", word.name, toupper((unsigned char)word.text[0]));
        put_text(f, word.text + 1);
    }
    fputs(".El\n", f);
}

static void put_files(FILE *f)
{
    fputs(".Sh FILES\n", f);
    put_text(
        f, "Data are CSV, TSV or blank-separated text with a line of names, or a two-dimensional .npy array. "
           "Empty cells, NA, NaN, null and ? are missing values. "
           "In CSV an apostrophe in front of a name or label that looks like a formula, such as =x, is no part of it. "
           "A regular output file is written beside its target and renamed when it is complete.");
    fputs(".Pp\n", f);
    put_text(f,
             "Graphs are read from JSON (of discover, or the truth of simulate), from a list of edges as CSV, whose "
             "header has the columns from and to or cause and effect, and if known type, weight, p_value and support; "
             "from a square matrix as CSV with a header of names, and from Tetrad's text. "
             "The content of the file decides which format it is. DOT and GraphML are written but not read.");
    fputs(".Pp\n", f);
    put_text(f, "Adjacency in every file: a non-zero entry in row i and column j means that i causes j.");
}

static void put_exit_status(FILE *f)
{
    fputs(".Sh EXIT STATUS\n"
          ".Bl -tag -width 130\n"
          ".It 0\nDone, whatever the decision.\n"
          ".It 1\nThe run failed: memory, output or a computation.\n"
          ".It 2\nUsage: an unknown command, option or method, or a value out of bounds.\n"
          ".It 3\nThe data cannot be read or analysed, or lack a column that was named.\n"
          ".It 130\nInterrupted.\n"
          ".It 141\nStandard output was closed before all was written to it; files are written nevertheless.\n"
          ".El\n",
          f);
}

/* Prints an example: what it shows, then its command lines as typed. */
static void put_example(FILE *f, bool is_first, const char *what, const char *lines)
{
    char sentence[256];
    fputs(is_first ? "" : ".Pp\n", f);
    snprintf(sentence, sizeof sentence, "%s%s", what, what[strlen(what) - 1] == '?' ? "" : ":");
    put_text(f, sentence);
    fputs(".Bd -literal -offset indent\n", f);
    for (const char *c = lines; *c; c++) {
        fputs(*c == '-' ? "\\-" : (char[2]){*c, '\0'}, f);
    }
    fputs("\n.Ed\n", f);
}

static void put_examples(FILE *f, const char *name)
{
    fputs(".Sh EXAMPLES\n", f);
    const example *first = example_next(name, NULL);
    for (const example *e = first; e; e = example_next(name, e)) {
        put_example(f, e == first, e->what, e->lines);
    }
}

/* Prints examples of the program as a whole. */
static void put_tour(FILE *f)
{
    fputs(".Sh EXAMPLES\n", f);
    put_example(f, true, "Make data with a known cause and ask for it",
                "nonsens simulate --seed 3 -o data.csv --truth truth.json\n"
                "nonsens direction data.csv --segment segment");
    put_example(f, false, "Look before asking, and keep the answer as JSON",
                "nonsens diagnose data.csv --segment segment\n"
                "nonsens direction data.csv --segment segment --json result.json");
    put_example(f, false, "Find a graph and see how far it is from the true one",
                "nonsens simulate --sem node --nodes 5 -o data.csv --truth truth.json\n"
                "nonsens discover data.csv --segment segment --json graph.json\n"
                "nonsens compare graph.json truth.json");
}

static void put_paper(FILE *f)
{
    fputs(".Rs\n"
          ".%A R. P. Monti\n"
          ".%A K. Zhang\n"
          ".%A A. Hyvarinen\n"
          ".%T Causal discovery with general non\\-linear relationships using non\\-linear ICA\n"
          ".%B Conference on Uncertainty in Artificial Intelligence (UAI)\n"
          ".%D 2019\n"
          ".Re\n",
          f);
}

/* ---- pages ---- */

static void print_program(FILE *f)
{
    fprintf(f, ".Dd %s\n.Dt NONSENS 1\n.Os\n.Sh NAME\n.Nm nonsens\n.Nd causal direction from segmented data\n",
            PAGE_DATE);
    put_commands(f);
    put_files(f);
    put_exit_status(f);
    put_tour(f);
    fputs(".Sh SEE ALSO\n", f);
    put_paper(f);
}

static void print_command(FILE *f, const command *c)
{
    char title[64];
    size_t length = (size_t)snprintf(title, sizeof title, "NONSENS-%s", c->name);
    for (size_t i = 0; i < length; i++) {
        title[i] = (char)toupper((unsigned char)title[i]);
    }
    fprintf(f, ".Dd %s\n.Dt %s 1\n.Os\n.Sh NAME\n.Nm nonsens-%s\n.Nd %s\n.Sh SYNOPSIS\n", PAGE_DATE, title, c->name,
            c->summary);
    put_usage(f, c);
    fputs(".Sh DESCRIPTION\n", f);
    put_text(f, c->text);
    if (c->word_title) {
        put_words(f, c);
    }
    put_options(f, c->bit);
    if (c->bit == NONSENS_COMMAND_DIRECTION || c->bit == NONSENS_COMMAND_DISCOVER) {
        put_methods(f, c->bit);
    }
    put_exit_status(f);
    put_examples(f, c->name);
    fputs(".Sh SEE ALSO\n.Xr nonsens 1\n", f);
}

void print_man_page(FILE *f, const command *c)
{
    if (c) {
        print_command(f, c);
    } else {
        print_program(f);
    }
}
