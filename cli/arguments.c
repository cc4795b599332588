/* arguments.c - reads the words of a command line by the library's option table and a short table of file options. */
#include "cli.h"

#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DECIDING = NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_INDEPENDENCE | NONSENS_COMMAND_DIAGNOSE |
               NONSENS_COMMAND_DISCOVER | NONSENS_COMMAND_EXPLAIN | NONSENS_COMMAND_EFFECT,
    ANALYSING = DECIDING | NONSENS_COMMAND_ICA,
    ALL = ANALYSING | NONSENS_COMMAND_SIMULATE | NONSENS_COMMAND_REPRODUCE | NONSENS_COMMAND_COMPARE |
          NONSENS_COMMAND_REPORT | NONSENS_COMMAND_MERGE
};

/* To add a graph format, add a row: reading of words, help and writing use this table. */
static const file_option table[] = {
    {"-o", "output", "FILE", NONSENS_COMMAND_SIMULATE, "Write the data to FILE; `-`, the default, is standard output.",
     0},
    {"-o", "output", "FILE", NONSENS_COMMAND_ICA,
     "Write the sources as CSV, one line per row of the data in its order: columns s1, s2, ... and the segment; with "
     "`-` standard output carries them only.",
     0},
    {"-o", "output", "FILE", DECIDING | NONSENS_COMMAND_COMPARE,
     "Write the text result to FILE in place of standard output.", 0},
    {"-o", "output", "FILE", NONSENS_COMMAND_REPORT, "The page to write; `-` is standard output.", 0},
    {NULL, "data", "FILE", NONSENS_COMMAND_REPORT,
     "The data of the result, for pictures of them, read with the options of the result. If each file was a segment, "
     "give the option once per file.",
     0},
    {NULL, "sources", "FILE", NONSENS_COMMAND_REPORT,
     "The estimated disturbances that --sources of direction or discover wrote, for pictures of them; needs --data.",
     0},
    {NULL, "json", "FILE", ANALYSING | NONSENS_COMMAND_COMPARE,
     "Write the result as JSON; with `-` standard output carries JSON only.", 0},
    {NULL, "html", "FILE",
     NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_DISCOVER | NONSENS_COMMAND_EXPLAIN | NONSENS_COMMAND_EFFECT,
     "Write the result as an HTML page to look at: one file that needs no network; with `-` standard output carries "
     "the page only.",
     0},
    {NULL, "dot", "FILE", NONSENS_COMMAND_DISCOVER,
     "Write the graph in Graphviz's language, for `dot -Tsvg`; with `-` standard output carries the graph only.",
     NONSENS_GRAPH_DOT},
    {NULL, "csv", "FILE", NONSENS_COMMAND_DISCOVER,
     "Write the edges as CSV: from (the cause), to, type, weight, p_value, support, meaning.", NONSENS_GRAPH_CSV},
    {NULL, "tetrad", "FILE", NONSENS_COMMAND_DISCOVER, "Write the graph in Tetrad's text form.", NONSENS_GRAPH_TETRAD},
    {NULL, "graphml", "FILE", NONSENS_COMMAND_DISCOVER, "Write the graph as GraphML.", NONSENS_GRAPH_GRAPHML},
    {NULL, "truth", "FILE", NONSENS_COMMAND_SIMULATE, "Write the causes as JSON.", 0},
    {NULL, "targets-out", "FILE", NONSENS_COMMAND_SIMULATE,
     "Write the interventions as CSV, for `nonsens discover --targets`.", 0},
    {NULL, "sources", "FILE", NONSENS_COMMAND_DISCOVER,
     "Write the estimated disturbances as CSV, one line per row of the data in its order; each is known up to an "
     "increasing function of it only.",
     0},
    {NULL, "sources", "FILE", NONSENS_COMMAND_DIRECTION,
     "Write the estimated disturbances as CSV, one line per row of the data in its order; each is known up to a "
     "function of it only: for noise whose scale changes a shifted and scaled |N|, without sign.",
     0},
    {NULL, "explain", NULL, NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_DISCOVER,
     "Print the reasoning step by step, from the data to the answer.", 0},
    {"-q", "quiet", NULL, ALL, "No warnings and no progress.", 0},
    {"-v", "verbose", NULL, ANALYSING, "Say more: all options, time and threads.", 0},
    {"-h", "help", NULL, ALL, "Explain this command.", 0},
};

size_t file_option_count(void)
{
    return sizeof table / sizeof *table;
}

const file_option *file_option_at(size_t index)
{
    return index < file_option_count() ? &table[index] : NULL;
}

/* One word that begins with '-', split into its parts. */
typedef struct option_word {
    const char *shown; /* as typed, for messages */
    char key[64];      /* without dashes and value; empty if it is too long */
    const char *value; /* after '=', or NULL */
    bool is_letter;
} option_word;

static option_word split_word(const char *word)
{
    option_word w = {word, "", NULL, word[1] != '-'};
    const char *key = w.is_letter ? word : word + 2;
    size_t length = w.is_letter ? strlen(key) : strcspn(key, "=");
    if (length < sizeof w.key) {
        memcpy(w.key, key, length);
        w.key[length] = '\0';
    }
    if (!w.is_letter && key[length] == '=') {
        w.value = key + length + 1;
    }
    return w;
}

static const file_option *find_file_option(const option_word *w, unsigned bit)
{
    for (size_t i = 0; i < file_option_count(); i++) {
        const char *name = w->is_letter ? table[i].letter : table[i].name;
        if ((table[i].commands & bit) && name && strcmp(name, w->key) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

static int refuse_option(const option_word *w, const command *self)
{
    const char *names[128];
    size_t count = 0, max_names = sizeof names / sizeof *names - 1;
    for (size_t i = 0; i < nonsens_option_count() && count < max_names; i++) {
        if (nonsens_option_at(i)->commands & self->bit) {
            names[count++] = nonsens_option_at(i)->key;
        }
    }
    for (size_t i = 0; i < file_option_count() && count < max_names; i++) {
        if (table[i].commands & self->bit) {
            names[count++] = table[i].name;
        }
    }
    names[count] = NULL;
    const char *near = w->is_letter ? NULL : nearest_word(w->key, names);
    if (near) {
        return complain(EXIT_USAGE, "%s is not an option of %s; did you mean --%s? `nonsens help %s` lists them",
                        show_word(w->shown).text, self->name, near, self->name);
    }
    return complain(EXIT_USAGE, "%s is not an option of %s; `nonsens help %s` lists them", show_word(w->shown).text,
                    self->name, self->name);
}

static void set_file_option(arguments *args, const file_option *option, const char *value)
{
    struct {
        const char *name;
        const char **text;
        bool *flag;
    } places[] = {
        {"output", &args->output, NULL},       {"json", &args->json, NULL},   {"truth", &args->truth, NULL},
        {"sources", &args->sources, NULL},     {"quiet", NULL, &args->quiet}, {"verbose", NULL, &args->verbose},
        {"explain", NULL, &args->explain},     {"help", NULL, &args->help},   {"html", &args->html, NULL},
        {"targets-out", &args->targets, NULL},
    };
    if (strcmp(option->name, "data") == 0) {
        args->data[args->data_count++] = (char *)(uintptr_t)value;
        return;
    }
    if (option->graph) {
        args->graph[option->graph] = value;
        return;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strcmp(places[i].name, option->name) != 0) {
            continue;
        }
        if (places[i].text) {
            *places[i].text = value;
        } else if (places[i].flag) {
            *places[i].flag = true;
        }
    }
}

/* Returns the value of an option that needs one: after '=', or the next word, which *used then counts. */
static const char *word_value(const option_word *w, int count, char **words, int *used)
{
    if (w->value) {
        return w->value;
    }
    if (count < 2) {
        return NULL;
    }
    *used = 2;
    return words[1];
}

static int read_file_option(arguments *args, const file_option *option, const option_word *w, int count, char **words,
                            int *used)
{
    if (!option->argument) {
        if (w->value) {
            return complain(EXIT_USAGE, "--%s takes no value", option->name);
        }
        set_file_option(args, option, NULL);
        return EXIT_DONE;
    }
    const char *value = word_value(w, count, words, used);
    if (!value) {
        return complain(EXIT_USAGE, "%s needs a file name", w->shown);
    }
    if (!*value) {
        return complain(EXIT_USAGE, "--%s: the file name is empty; give a path, or - for standard output",
                        option->name);
    }
    set_file_option(args, option, value);
    return EXIT_DONE;
}

/* Returns whether the value of the option is a list of names. */
static bool takes_names(const char *key)
{
    static const char *const keys[] = {"vars", "exclude", "segment", "given", "x", "y", "on", "na-values"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        if (strcmp(key, keys[k]) == 0) {
            return true;
        }
    }
    return false;
}

static const char *value_words(const nonsens_option_info *info)
{
    switch (info->type) {
    case NONSENS_OPTION_INTEGER:
        return "a whole number";
    case NONSENS_OPTION_REAL:
        return "a number";
    case NONSENS_OPTION_CHOICE:
        return info->choices;
    case NONSENS_OPTION_RANGE:
        return "two numbers LO:HI";
    case NONSENS_OPTION_FLAG:
    case NONSENS_OPTION_TEXT:
        break;
    }
    return takes_names(info->key) && strcmp(info->key, "na-values") != 0 ? "a column name" : "a value";
}

static int read_table_option(arguments *args, const nonsens_option_info *info, const option_word *w, int count,
                             char **words, int *used)
{
    const char *value = w->value ? w->value : "true";
    if (info->type != NONSENS_OPTION_FLAG) {
        value = word_value(w, count, words, used);
    }
    if (!value) {
        return complain(EXIT_USAGE, "--%s needs %s%s", info->key, info->type == NONSENS_OPTION_CHOICE ? "one of " : "",
                        value_words(info));
    }
    if (!*value) { // usually an unset variable in a script
        return complain(EXIT_USAGE, "--%s: the value is empty; give one, or leave the option out", info->key);
    }
    args->list_option = takes_names(info->key) && !w->value ? info->key : NULL;
    args->list_value = value;
    nonsens_status status = nonsens_options_set(args->ctx, args->options, info->key, value);
    return status == NONSENS_OK ? EXIT_DONE : complain_status(args->ctx, status);
}

static int read_option(arguments *args, const command *self, int count, char **words, int *used)
{
    option_word w = split_word(words[0]);
    args->list_option = NULL;
    const file_option *own = find_file_option(&w, self->bit);
    if (own) {
        return read_file_option(args, own, &w, count, words, used);
    }
    const nonsens_option_info *info = w.is_letter ? NULL : nonsens_option_find(w.key, self->bit);
    return info ? read_table_option(args, info, &w, count, words, used) : refuse_option(&w, self);
}

static int check_file_word(const command *self, const char *word)
{
    if (self->bit == NONSENS_COMMAND_SIMULATE) {
        return complain(EXIT_USAGE, "simulate reads no file, but was given %s; -o FILE names the file to write",
                        show_word(word).text);
    }
    if (!*word) {
        return complain(EXIT_USAGE, "the name of the data file is empty; give a path, or - for standard input");
    }
    return EXIT_DONE;
}

/* Complains about a word after a list that is no file: it was probably meant for the list, which needs commas. */
static int check_list_word(const arguments *args, const char *word)
{
    const char *key = args->list_option;
    if (!key || word[0] == '-' || access(word, F_OK) == 0) {
        return EXIT_DONE;
    }
    return complain(EXIT_USAGE, "there is no file %s; if it belongs to the list, separate names by commas: --%s %s,%s",
                    show_word(word).text, key, show_word(args->list_value).text, show_word(word).text);
}

/* Keeps a word that is no option at the front of the array, which never overtakes the word being read. */
static int read_word(arguments *args, const command *self, char *word)
{
    int code = self->bit & (ANALYSING | NONSENS_COMMAND_SIMULATE) ? check_file_word(self, word) : EXIT_DONE;
    code = code == EXIT_DONE && self->bit & ANALYSING ? check_list_word(args, word) : code;
    args->words[args->word_count++] = word;
    return code;
}

static int read_words(arguments *args, const command *self, int count, char **words)
{
    bool options_end = false;
    for (int i = 0; i < count;) {
        int used = 1, code;
        bool is_option = !options_end && words[i][0] == '-' && words[i][1];
        if (is_option && strcmp(words[i], "--") == 0) {
            options_end = true;
            code = EXIT_DONE;
        } else if (is_option) {
            code = read_option(args, self, count - i, words + i, &used);
        } else {
            code = read_word(args, self, words[i]);
        }
        if (code != EXIT_DONE) {
            return code;
        }
        i += used;
    }
    return EXIT_DONE;
}

int arguments_read(arguments *args, const command *self, int count, char **words)
{
    *args = (arguments){.command = self, .ctx = nonsens_context_new(), .words = words};
    args->data = calloc((size_t)count + 1, sizeof *args->data);
    if (!args->ctx || !args->data) {
        return complain(EXIT_FAILED, "out of memory");
    }
    nonsens_status status = nonsens_options_new(args->ctx, self->bit, &args->options);
    return status == NONSENS_OK ? read_words(args, self, count, words) : complain_status(args->ctx, status);
}

void arguments_free(arguments *args)
{
    nonsens_options_free(args->options);
    nonsens_context_free(args->ctx);
    free(args->data);
}

int arguments_run(const command *self, int count, char **words, int (*run)(const arguments *args))
{
    arguments args;
    int code = arguments_read(&args, self, count, words);
    if (code == EXIT_DONE && args.help) {
        print_command_help(stdout, self);
    } else if (code == EXIT_DONE) {
        code = run(&args);
    }
    arguments_free(&args);
    return code;
}
