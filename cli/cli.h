/*
 * cli.h - the program around the library: one file per command, nothing but the public header.
 */
#ifndef CLI_H
#define CLI_H

#include <nonsens/nonsens.h>

#include <stdbool.h>
#include <stdio.h>

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_DATA = 3,
    EXIT_INTERRUPTED = 130,
    EXIT_CLOSED_PIPE = 141 /* as a shell reports a program that SIGPIPE ended */
};

/* ---- commands (main.c, command.c, elsewhere.c) ---- */

typedef struct command command;

/* words: what follows the command's name; returns the exit code. */
typedef int (*command_fn)(const command *self, int count, char **words);

/* A word that a command takes beside files and options, such as a figure. */
typedef struct command_word {
    const char *name, *text; /* text: one line */
    char size[64];           /* behind it in the help */
} command_word;

struct command {
    const char *name;
    unsigned bit;         /* NONSENS_COMMAND_*, 0 if it has no options */
    const char *synopsis; /* what follows the name in its usage line */
    const char *summary;  /* one line, in the list of commands */
    const char *text;     /* a paragraph, in its own help */
    command_fn run;
    bool elsewhere;                                   /* the program nonsens-NAME runs it, and alone knows its help */
    const char *word_title;                           /* of the words that it takes, in its help; NULL: none */
    bool (*word_at)(size_t index, command_word *out); /* false beyond the last */
};

/* All commands of a program, ended by one without a name (main.c, or that of nonsens-NAME). */
const command *command_table(void);
const command *command_find(const char *name);
/* Complains of a word that is no command, with the nearest one; returns the exit code. */
int refuse_command(const char *word);

int command_simulate(const command *self, int count, char **words);
int command_direction(const command *self, int count, char **words);
int command_discover(const command *self, int count, char **words);
int command_independence(const command *self, int count, char **words);
int command_ica(const command *self, int count, char **words);
int command_explain(const command *self, int count, char **words);
int command_diagnose(const command *self, int count, char **words);
int command_compare(const command *self, int count, char **words);
int command_report(const command *self, int count, char **words);
int command_elsewhere(const command *self, int count, char **words);
int command_methods(const command *self, int count, char **words);
int command_completion(const command *self, int count, char **words);
int command_version(const command *self, int count, char **words);
int command_help(const command *self, int count, char **words);

/*
 * Becomes the program nonsens-NAME of a command that is elsewhere: the one beside this program, or on PATH.  Its words
 * are `first`, unless that is NULL, and the others.  Returns only if it cannot be run.
 */
void become_program(const command *c, const char *first, int count, char **words);
/* The same, with a complaint; returns the exit code. */
int run_elsewhere(const command *c, const char *first, int count, char **words);

#define REPRODUCE_SYNOPSIS "FIGURE... [options]"
#define REPRODUCE_SUMMARY "makes figures of the paper again"

/* ---- messages (message.c) ---- */

/* Prints "nonsens: ..." on stderr, on one line with control characters escaped, and returns the code. */
int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a failed library call: its message, and the exit code for its status. */
int complain_status(const nonsens_context *ctx, nonsens_status status);
/* Prints what the last run has to say beside its result, unless `quiet`. */
void print_run_warning(const nonsens_context *ctx, bool quiet);
/* The code, unless a signal came while the last outputs were written, which is complained of. */
int unless_interrupted(const nonsens_context *ctx, int code);
/* From here on neither complaints nor standard output: another process of this run has them. */
void be_silent(void);
/* A word of the command line for a message, cut where it is long. */
typedef struct shown_word {
    char text[64];
} shown_word;
shown_word show_word(const char *word);

/* ---- arguments (arguments.c) ---- */

enum { GRAPH_FORMATS = NONSENS_GRAPH_GRAPHML + 1 };

typedef struct arguments {
    const command *command;
    nonsens_context *ctx;
    nonsens_options *options;
    char **words; /* those that are no options: data files ("-" is standard input), two graphs, or figures */
    int word_count;
    const char *output;  /* -o */
    const char *json;    /* --json */
    const char *truth;   /* --truth */
    const char *sources; /* --sources */
    const char *html;    /* --html */
    char **data;         /* --data, once or several times; owned */
    int data_count;
    const char *graph[GRAPH_FORMATS]; /* --dot, --csv and the like, by nonsens_graph_format */
    bool quiet, verbose, explain, help;
} arguments;

/* What is not in the library's option table, because it is about files and printing. */
typedef struct file_option {
    const char *letter;   /* "-o", or NULL */
    const char *name;     /* "output" for --output */
    const char *argument; /* "FILE", or NULL for a switch */
    unsigned commands;
    const char *text;
    int graph; /* the nonsens_graph_format that goes to this file; 0 for all else */
} file_option;

size_t file_option_count(void);
const file_option *file_option_at(size_t index);

/* Makes a context and options and fills them from the words; EXIT_DONE, or the exit code of what it complained of. */
int arguments_read(arguments *args, const command *self, int count, char **words);
void arguments_free(arguments *args);
/* Reads the words; then prints the command's help where that is asked for, or runs it.  Returns the exit code. */
int arguments_run(const command *self, int count, char **words, int (*run)(const arguments *args));

/* ---- files to be written (outputs.c) ---- */

typedef struct output_file {
    char option[24];  /* as in messages */
    const char *path; /* "-" is standard output; NULL if nothing is written */
} output_file;

/*
 * Complains of an output that is the input (NULL if there is none) or another output, or that cannot be written;
 * nothing is created or changed.  EXIT_DONE or the exit code.
 */
int outputs_check(nonsens_context *ctx, const char *input, const output_file *out, size_t count);
/* Does the path lead to the file or pipe that standard output is ("-", /dev/stdout)? */
bool is_standard_output(const char *path);

/* ---- standard output that breaks (standard_output.c) ---- */

/* First of all: makes a write to a closed stream or pipe, or to a file beyond its limit, a failed write. */
void streams_begin(void);

/*
 * Ends the writing of one output.  A file that failed is complained of, and its exit code returned.  A failure of
 * standard output counts as EXIT_DONE, so that the caller goes on with the other outputs; standard_output_end tells it.
 */
int output_done(const nonsens_context *ctx, nonsens_status status, const char *path);
/* Flushes standard output, while the reason of a failure is still known. */
void standard_output_flush(void);
/* Closes standard output; returns the exit code of the program, whose commands ended with `code`. */
int standard_output_end(int code);

/* ---- running (analyse.c, progress.c, interrupt.c) ---- */

typedef nonsens_status (*analyse_fn)(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                     nonsens_result **out);

/* The course of every analysing command: words, data, run, results. */
int analyse(const command *self, int count, char **words, analyse_fn run);
/* Complains of a run on data that failed or was interrupted. */
int complain_run(const arguments *args, nonsens_status status);
/* Where the text goes: standard output unless it has a file of its own or something else is printed there; or NULL. */
const char *text_path(const arguments *args);
output_file text_output(const arguments *args);

/* ---- on a terminal (colour.c) ---- */

typedef struct colour {
    FILE *text; /* what is to be shown; NULL if it goes straight to its path */
    bool plain; /* without colours */
    char path[32];
} colour;

/* The path to write text to that is meant for `path`; colour_end, called in any case, shows it where that is another.
 */
const char *colour_begin(colour *c, const char *path);
/* The same for standard output, but any text is held back, and shown without colours. */
const char *colour_hold(colour *c);
void colour_end(colour *c);

/* The value of an option, which the options own; empty if it is not one of this command. */
const char *value_of(const arguments *args, const char *key);

/* ---- many pairs (pairs.c) ---- */

bool pairs_wanted(const arguments *args);
/* Complains of what words alone can tell is wrong; EXIT_DONE or the exit code. */
int pairs_check(const arguments *args);

typedef struct progress {
    char phase[64];
    double begun, drawn; /* seconds: when the phase began, when the line was last drawn */
    bool shown;          /* there is a line to wipe */
} progress;

/* Shows progress on stderr where that is a terminal and `quiet` is false. */
void progress_attach(progress *p, nonsens_context *ctx, bool quiet);
void progress_wipe(progress *p);

/* Runs the pairs and writes what was found; EXIT_DONE or the exit code of what it complained of. */
int pairs_run(const arguments *args, const nonsens_data *data, progress *line);

/* Ctrl-C and termination cancel the context's run; a second one ends the program at once. */
void interrupt_watch(nonsens_context *ctx);
bool interrupt_seen(void);
/* What a journal keeps of an interrupted run ("bootstrap samples"), or NULL. */
void interrupt_keeps(const char *units);
int complain_interrupted(void);

/* ---- help (help.c, man.c) ---- */

void print_overview(FILE *f);
void print_command_help(FILE *f, const command *c);
/* Of a command with options, or with NULL of the program. */
void print_man_page(FILE *f, const command *c);
/* "N", "NUM", ... as help shows the value of an option; NULL for flags. */
const char *option_placeholder(const nonsens_option_info *info);
enum { LIMITS_BYTES = 512 };
/* "0 to 20 layers; default 3" and the like; empty if there is nothing to say. */
void option_limits(const nonsens_option_info *info, char buffer[LIMITS_BYTES]);

#endif
