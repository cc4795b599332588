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
    EXIT_CLOSED_PIPE = 141 /* the code that shells report for a program that SIGPIPE ended */
};

/* ---- commands (main.c, command.c, elsewhere.c) ---- */

typedef struct command command;

/* Runs a command on the words that follow its name; returns the exit code. */
typedef int (*command_fn)(const command *self, int count, char **words);

/* A word that a command takes besides files and options, such as the name of a figure. */
typedef struct command_word {
    const char *name, *text; /* text: one line */
    char size[64];           /* shown after it in the help */
} command_word;

struct command {
    const char *name;
    unsigned bit;         /* NONSENS_COMMAND_*, 0 if it has no options */
    const char *synopsis; /* what follows the name in its usage line */
    const char *summary;  /* one line for the list of commands */
    const char *text;     /* a paragraph for its own help */
    command_fn run;
    bool elsewhere;                                   /* the program nonsens-NAME runs it and has its help */
    const char *word_title;                           /* heading of its words in the help; NULL: it takes no words */
    bool (*word_at)(size_t index, command_word *out); /* false after the last */
};

/* Returns all commands of a program; the last one has no name (main.c, or that of nonsens-NAME). */
const command *command_table(void);
const command *command_find(const char *name);
/* Complains about a word that is not a command, and suggests the nearest one; returns the exit code. */
int refuse_command(const char *word);

int command_simulate(const command *self, int count, char **words);
int command_direction(const command *self, int count, char **words);
int command_discover(const command *self, int count, char **words);
int command_independence(const command *self, int count, char **words);
int command_ica(const command *self, int count, char **words);
int command_effect(const command *self, int count, char **words);
int command_explain(const command *self, int count, char **words);
int command_diagnose(const command *self, int count, char **words);
int command_compare(const command *self, int count, char **words);
int command_report(const command *self, int count, char **words);
int command_merge(const command *self, int count, char **words);
int command_elsewhere(const command *self, int count, char **words);
int command_methods(const command *self, int count, char **words);
int command_completion(const command *self, int count, char **words);
int command_version(const command *self, int count, char **words);
int command_help(const command *self, int count, char **words);

/*
 * Becomes the program nonsens-NAME of a command that is elsewhere: the one in the folder of this program, or on PATH.
 * Its words are `first`, unless that is NULL, and then `words`.  Returns only if it cannot be run.
 */
void become_program(const command *c, const char *first, int count, char **words);
/* Becomes the program with this name, with the words of main; returns only if it cannot be run. */
void become_other(const char *name, char **words);
/* Does the same as become_program, but complains if it cannot be run; returns the exit code. */
int run_elsewhere(const command *c, const char *first, int count, char **words);

#define REPRODUCE_SYNOPSIS "FIGURE... [options]"
#define REPRODUCE_SUMMARY "makes figures of the paper again"

/* ---- examples (examples.c) ---- */

typedef struct example {
    const char *command, *what, *lines; /* what it shows; one or more command lines */
} example;

/* Returns the example of a command after this one (NULL: the first); NULL after the last. */
const example *example_next(const char *name, const example *after);

/* ---- messages (message.c) ---- */

/* Prints "nonsens: ..." on stderr, on one line with control characters escaped, and returns the code. */
int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Complains about a failed library call with its message; returns the exit code for its status. */
int complain_status(const nonsens_context *ctx, nonsens_status status);
/* Prints the warning of the last run, unless `quiet`. */
void print_run_warning(const nonsens_context *ctx, bool quiet);
/* Returns the code, unless a signal came while the last outputs were written: then complains about that. */
int unless_interrupted(const nonsens_context *ctx, int code);
/* Silences complaints and standard output from here on: another process of this run prints them. */
void be_silent(void);
/* A word of the command line as shown in messages, shortened if it is long. */
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
    char **words; /* those that are not options: data files ("-" is standard input), graphs, figures or journals */
    int word_count;
    const char *list_option, *list_value; /* the last option and its value, if that is a list of names; else NULL */
    const char *output;                   /* -o */
    const char *json;                     /* --json */
    const char *truth;                    /* --truth */
    const char *targets;                  /* --targets-out */
    const char *sources;                  /* --sources */
    const char *html;                     /* --html */
    char **data;                          /* --data, once or several times; owned */
    int data_count;
    const char *graph[GRAPH_FORMATS]; /* --dot, --csv and the like, by nonsens_graph_format */
    bool quiet, verbose, explain, help;
} arguments;

/* An option about files or printing, which is not in the library's option table. */
typedef struct file_option {
    const char *letter;   /* "-o", or NULL */
    const char *name;     /* "output" for --output */
    const char *argument; /* "FILE", or NULL for a switch */
    unsigned commands;
    const char *text;
    int graph; /* the nonsens_graph_format that is written to this file; 0 for other options */
} file_option;

size_t file_option_count(void);
const file_option *file_option_at(size_t index);

/* Makes a context and options and fills them from the words; returns EXIT_DONE, or the exit code of a complaint. */
int arguments_read(arguments *args, const command *self, int count, char **words);
void arguments_free(arguments *args);
/* Reads the words, then prints the command's help if that is asked for, or runs it.  Returns the exit code. */
int arguments_run(const command *self, int count, char **words, int (*run)(const arguments *args));

/* ---- files to be written (outputs.c) ---- */

typedef struct output_file {
    char option[24];  /* as in messages */
    const char *path; /* "-" is standard output; NULL if nothing is written */
} output_file;

/*
 * Complains about an output that is the input (may be NULL) or another output, or that cannot be written; does not
 * create or change any file.  Returns EXIT_DONE or the exit code.
 */
int outputs_check(nonsens_context *ctx, const char *input, const output_file *out, size_t count);
/* Returns whether the path leads to the same file or pipe as standard output ("-", /dev/stdout). */
bool is_standard_output(const char *path);

/* ---- standard output that breaks (standard_output.c) ---- */

/* Lets a write to a closed stream or pipe, or beyond the limit of a file, fail without a signal; call it first. */
void streams_begin(void);

/*
 * Ends the writing of one output.  Complains about a file that failed, and returns the exit code.  A failure of
 * standard output counts as EXIT_DONE, so that the caller continues with the others; standard_output_end reports it.
 */
int output_done(const nonsens_context *ctx, nonsens_status status, const char *path);
/* Flushes standard output, while the reason of a failure is still known. */
void standard_output_flush(void);
/* Closes standard output; returns the exit code of the program, whose commands ended with `code`. */
int standard_output_end(int code);

/* ---- running (analyse.c, progress.c, interrupt.c) ---- */

typedef nonsens_status (*analyse_fn)(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                     nonsens_result **out);

/* Runs a command that analyses data: arguments, data, run, results. */
int analyse(const command *self, int count, char **words, analyse_fn run);
/* Complains about a run on data that failed or was interrupted. */
int complain_run(const arguments *args, nonsens_status status);
/* Prints that a run with --shard, which has no result, is done; returns EXIT_DONE. */
int say_shard(const arguments *args);
/* Returns where the text goes: to its file, to standard output if nothing else is printed there, or nowhere (NULL). */
const char *text_path(const arguments *args);
output_file text_output(const arguments *args);

/* ---- on a terminal (colour.c) ---- */

typedef struct colour {
    FILE *text; /* the text to be shown; NULL if it is written directly to its path */
    bool plain; /* without colours */
    char path[32];
} colour;

/* Returns the path to which the text for `path` is written.  Call colour_end next: it shows a text that was kept. */
const char *colour_begin(colour *c, const char *path);
/* Does the same for standard output, but always keeps the text until colour_end, and shows it without colours. */
const char *colour_hold(colour *c);
void colour_end(colour *c);

/* Returns the value of an option, which the options own; empty if the command does not have the option. */
const char *value_of(const arguments *args, const char *key);

/* ---- many pairs or segments (many.c) ---- */

/* Returns whether --pairs was given. */
bool pairs_wanted(const arguments *args);
/* Returns whether --pairs or --of all was given. */
bool many_wanted(const arguments *args);
/* Returns whether many pairs or segments are meant: "all" in --of all may also be the label of one segment. */
bool many_meant(const arguments *args, const nonsens_data *data);
/* Checks the arguments, before data are read; returns EXIT_DONE or the exit code. */
int many_check(const arguments *args);

/* ---- several processes (together.c) ---- */

/* Returns whether this process only helps the first one of a team with its work, and has no results. */
bool is_helper(void);
/* Lets the run of the arguments share its work, or warns that it does not; returns EXIT_DONE or an exit code. */
int together_begin(arguments *args, bool shares);
/* Returns the exit code of all processes, which must all call it at the same points; complains if another failed. */
int together_agree(int code);

typedef struct progress {
    char phase[64];
    double begun, drawn; /* seconds: when the phase began, when the line was last drawn */
    bool shown;          /* a line is shown and must be erased */
} progress;

/* Shows progress on stderr if that is a terminal and `quiet` is false. */
void progress_attach(progress *p, nonsens_context *ctx, bool quiet);
void progress_wipe(progress *p);

/* Runs the pairs or segments and writes the results; returns EXIT_DONE or the exit code of a complaint. */
int many_run(const arguments *args, const nonsens_data *data, progress *line);

/* Lets Ctrl-C and termination end the context's run early; a second signal ends the program at once. */
void interrupt_watch(nonsens_context *ctx);
bool interrupt_seen(void);
/* Ends the watched context's run early if a signal came before the run began: a new run forgets such requests. */
void interrupt_pass_on(void);
/* Records that the result of a search was written; unfinished: the search was ended early. */
void interrupt_wrote(bool unfinished);
/* Sets what a journal keeps of an interrupted run, such as "pairs"; NULL: nothing. */
void interrupt_keeps(const char *units);
int complain_interrupted(void);

/* ---- help (help.c, man.c) ---- */

void print_overview(FILE *f);
void print_command_help(FILE *f, const command *c);
/* Prints the manual page of a command that has options, or that of the program (NULL). */
void print_man_page(FILE *f, const command *c);
/* Returns "N", "NUM", ..., which stand for the value of an option in the help; NULL for flags. */
const char *option_placeholder(const nonsens_option_info *info);
enum { LIMITS_BYTES = 512 };
/* Writes the values and the default of an option, such as "0 to 20 layers; default 3"; may be empty. */
void option_limits(const nonsens_option_info *info, char buffer[LIMITS_BYTES]);

#endif
