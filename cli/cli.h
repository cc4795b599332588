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

/* Runs a command on the words that follow its name; returns the exit code. */
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
    bool elsewhere;                                   /* the program nonsens-NAME runs it and has its help */
    const char *word_title;                           /* heading of the words that it takes, in its help; NULL: none */
    bool (*word_at)(size_t index, command_word *out); /* false beyond the last */
};

/* Returns all commands of a program, ended by one without a name (main.c, or that of nonsens-NAME). */
const command *command_table(void);
const command *command_find(const char *name);
/* Complains of a word that is not a command, and suggests the nearest one; returns the exit code. */
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
 * Becomes the program nonsens-NAME of a command that is elsewhere: the one beside this program, or on PATH.  Its words
 * are `first`, unless that is NULL, and then `words`.  Returns only if it cannot be run.
 */
void become_program(const command *c, const char *first, int count, char **words);
/* Becomes the program of this name, with the words of main; returns only if it cannot be run. */
void become_other(const char *name, char **words);
/* Does the same as become_program, but complains if it cannot be run; returns the exit code. */
int run_elsewhere(const command *c, const char *first, int count, char **words);

#define REPRODUCE_SYNOPSIS "FIGURE... [options]"
#define REPRODUCE_SUMMARY "makes figures of the paper again"

/* ---- examples (examples.c) ---- */

typedef struct example {
    const char *command, *what, *lines; /* what it shows; one or more command lines */
} example;

/* Returns the next example of a command, the first one after NULL; NULL after the last. */
const example *example_next(const char *name, const example *after);

/* ---- messages (message.c) ---- */

/* Prints "nonsens: ..." on stderr, on one line with control characters escaped, and returns the code. */
int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Complains of a failed library call with its message; returns the exit code for its status. */
int complain_status(const nonsens_context *ctx, nonsens_status status);
/* Prints the warning of the last run, unless `quiet`. */
void print_run_warning(const nonsens_context *ctx, bool quiet);
/* Returns the code, unless a signal came while the last outputs were written: then it complains of that. */
int unless_interrupted(const nonsens_context *ctx, int code);
/* Silences complaints and standard output from here on: another process of this run prints them. */
void be_silent(void);
/* A word of the command line for a message, shortened if it is long. */
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
    const char *list_option, *list_value; /* the last option, if its value is a list of names; else NULL */
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

/* An option on files or printing, which is not in the library's option table. */
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
 * Complains of an output that is the input (NULL if there is none) or another output, or that cannot be written;
 * creates and changes nothing.  Returns EXIT_DONE or the exit code.
 */
int outputs_check(nonsens_context *ctx, const char *input, const output_file *out, size_t count);
/* Says whether the path leads to the file or pipe that standard output is ("-", /dev/stdout). */
bool is_standard_output(const char *path);

/* ---- standard output that breaks (standard_output.c) ---- */

/* Makes a write to a closed stream or pipe, or to a file beyond its limit, a failed write; call it first. */
void streams_begin(void);

/*
 * Ends the writing of one output.  Complains of a file that failed, and returns its exit code.  A failure of standard
 * output counts as EXIT_DONE, so that the caller continues with the other outputs; standard_output_end reports it.
 */
int output_done(const nonsens_context *ctx, nonsens_status status, const char *path);
/* Flushes standard output, while the reason of a failure is still known. */
void standard_output_flush(void);
/* Closes standard output; returns the exit code of the program, whose commands ended with `code`. */
int standard_output_end(int code);

/* ---- running (analyse.c, progress.c, interrupt.c) ---- */

typedef nonsens_status (*analyse_fn)(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                     nonsens_result **out);

/* Runs an analysing command: words, data, run, results. */
int analyse(const command *self, int count, char **words, analyse_fn run);
/* Complains of a run on data that failed or was interrupted. */
int complain_run(const arguments *args, nonsens_status status);
/* Prints that a run with --shard, which has no result, is done; returns EXIT_DONE. */
int say_shard(const arguments *args);
/* Returns where the text goes: its file, or standard output unless something else is printed there; or NULL. */
const char *text_path(const arguments *args);
output_file text_output(const arguments *args);

/* ---- on a terminal (colour.c) ---- */

typedef struct colour {
    FILE *text; /* what is to be shown; NULL if it goes straight to its path */
    bool plain; /* without colours */
    char path[32];
} colour;

/* Returns the path to write text for `path` to; colour_end, which must be called, shows the text if that is another. */
const char *colour_begin(colour *c, const char *path);
/* Does the same for standard output, but holds any text back, and shows it without colours. */
const char *colour_hold(colour *c);
void colour_end(colour *c);

/* Returns the value of an option, which the options own; empty if the command does not have it. */
const char *value_of(const arguments *args, const char *key);

/* ---- many pairs or segments (many.c) ---- */

/* Says whether --pairs was given. */
bool pairs_wanted(const arguments *args);
/* Says whether --pairs or --of all was given. */
bool many_wanted(const arguments *args);
/* Says whether many pairs or segments are meant: --of all may also be the label of one. */
bool many_meant(const arguments *args, const nonsens_data *data);
/* Checks the words alone; returns EXIT_DONE or the exit code. */
int many_check(const arguments *args);

/* ---- several processes (together.c) ---- */

/* Says whether this process only helps the first one of a team with its work, and has no results. */
bool is_helper(void);
/* Lets the run of the arguments share its work, or says that it cannot; returns EXIT_DONE or an exit code. */
int together_begin(arguments *args, bool shares);
/* Returns the exit code of all processes, each of which must call it at the same points; complains of another's. */
int together_agree(int code);

typedef struct progress {
    char phase[64];
    double begun, drawn; /* seconds: when the phase began, when the line was last drawn */
    bool shown;          /* there is a line to erase */
} progress;

/* Shows progress on stderr if that is a terminal and `quiet` is false. */
void progress_attach(progress *p, nonsens_context *ctx, bool quiet);
void progress_wipe(progress *p);

/* Runs the pairs or segments and writes the results; returns EXIT_DONE or the exit code of a complaint. */
int many_run(const arguments *args, const nonsens_data *data, progress *line);

/* Lets Ctrl-C and termination end the context's run early; a second signal ends the program at once. */
void interrupt_watch(nonsens_context *ctx);
bool interrupt_seen(void);
/* Ends the watched context's run early if a signal came before that run began, which forgets such requests. */
void interrupt_pass_on(void);
/* Says that there is a result, of a search that ended by itself or early, and that it is written. */
void interrupt_wrote(bool unfinished);
/* Sets what a journal keeps of an interrupted run, such as "pairs", or NULL. */
void interrupt_keeps(const char *units);
int complain_interrupted(void);

/* ---- help (help.c, man.c) ---- */

void print_overview(FILE *f);
void print_command_help(FILE *f, const command *c);
/* Prints the manual page of a command with options, or with NULL of the program. */
void print_man_page(FILE *f, const command *c);
/* Returns "N", "NUM", ... as help shows the value of an option; NULL for flags. */
const char *option_placeholder(const nonsens_option_info *info);
enum { LIMITS_BYTES = 512 };
/* Writes "0 to 20 layers; default 3" and the like; empty if there is nothing to say. */
void option_limits(const nonsens_option_info *info, char buffer[LIMITS_BYTES]);

#endif
