/* main.c - the table of commands, and the program itself, which checks standard output at the end. */
#include "cli.h"
#include "team.h"

#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* clang-format off */
static const command commands[] = {
    {.name = "simulate",
     .bit = NONSENS_COMMAND_SIMULATE,
     .synopsis = "[options] -o data.csv [--truth truth.json]",
     .summary = "makes data with known causes",
     .text = "Draws segmented data from a structural model with known causes and writes them as CSV: one column per "
             "variable, and the column `segment`. The truth file says which variable causes which.",
     .run = command_simulate},
    {.name = "direction",
     .bit = NONSENS_COMMAND_DIRECTION,
     .synopsis = "FILE... [--segment COL] [--x A --y B | --pairs all] [options]",
     .summary = "decides which of two variables causes the other",
     .text = "Decides which of two variables causes the other from data that come in segments: groups of rows "
             "recorded under different conditions, such as experiments, sites or days. FILE is CSV, TSV, "
             "blank-separated text or .npy; `-` reads standard input. Instead of --segment, give several files, one "
             "per segment: columns are matched by name, and each segment is called after its file. The first line of "
             "the output is `decision: A->B`; the decision may also be independent, neither or inconclusive. With "
             "--pairs the output is a table of many pairs, most certain first, and --json FILE gets one JSON object "
             "per line and pair. A run that was stopped goes on with --resume from FILE.journal, which is removed "
             "when all pairs are done. Processes started by mpirun share the pairs.",
     .run = command_direction},
    {.name = "discover",
     .bit = NONSENS_COMMAND_DISCOVER,
     .synopsis = "FILE... [--segment COL] [--method METHOD] [options]",
     .summary = "finds what causes what among all variables",
     .text = "Finds a graph of causes and effects among all variables, or those of --vars. Each method says what it "
             "assumes, whether the data contradict that, and which directions remain open. Processes started by "
             "mpirun share the samples of --bootstrap and the fits of structured.",
     .run = command_discover},
    {.name = "explain",
     .bit = NONSENS_COMMAND_EXPLAIN,
     .synopsis = "FILE... --segment COL --of SEGMENT|all [--against SEGMENT] [options]",
     .summary = "ranks what changed on its own in a segment",
     .text = "Says which disturbances changed in a segment, compared with another segment or with all others "
             "together, by how much and how surely. A disturbance is the part of a variable that its causes do not "
             "explain, so these are root causes, as opposed to variables that changed only because their causes did. "
             "The analysis needs a graph, which --method finds or --graph gives. The first line of the output is "
             "`root causes of SEGMENT: A, B`, or `none found` after the colon. With --of all the output is a table "
             "with one line per segment, and --json FILE gets one JSON object per line and segment. A run that was "
             "stopped goes on with --resume from FILE.journal. Processes started by mpirun share the segments.",
     .run = command_explain},
    {.name = "effect",
     .bit = NONSENS_COMMAND_EFFECT,
     .synopsis = "FILE... --segment COL [--do A=VALUE | --change A=+STEP] [--on B] [--graph FILE] [options]",
     .summary = "says what would happen if variables were set",
     .text = "Says how other variables would be distributed if some were set (--do) or changed by a step (--change): "
             "mean, median and quantiles, and how they differ from now, over all rows and in each segment, with "
             "intervals. --row asks what single rows would have been. Without --do and --change the output is a table "
             "of the effects of all variables on one another. The analysis needs a graph, which --method finds or "
             "--graph gives. If open directions give different answers, the answer is a range. If a hidden common "
             "cause or a lack of similar rows makes an answer impossible, the text says so.",
     .run = command_effect},
    {.name = "compare",
     .bit = NONSENS_COMMAND_COMPARE,
     .synopsis = "ESTIMATED TRUTH [--pattern] [--closure] [options]",
     .summary = "says how far a graph is from the true one",
     .text = "Compares two graphs whose nodes have the same names. It prints the structural Hamming distance (each "
             "pair of nodes whose edge is missing, extra, reversed or otherwise marked counts one), precision and "
             "recall of adjacencies and of arrows, and each edge that differs. Graphs are read from JSON (of "
             "discover, or the truth of simulate), lists of edges as CSV (a header with the columns from and to, or "
             "cause and effect), matrices as CSV (a number other than 0 in row i and column j means that i causes j) "
             "and Tetrad's text; `-` reads standard input. A list of edges knows only nodes that have an edge; the "
             "other formats must have the same nodes in both graphs.",
     .run = command_compare},
    {.name = "independence",
     .bit = NONSENS_COMMAND_INDEPENDENCE,
     .synopsis = "FILE... --x A --y B [--given C,D] [--segment COL] [options]",
     .summary = "tests whether two variables are independent",
     .text = "Tests whether two variables, or two lists of variables taken as vectors, are independent, given other "
             "variables if --given names some. With segments the test is made inside each of them, otherwise over all "
             "rows. --test ks, levene or kruskal tests --x against the segment instead: does the variable change over "
             "segments? The decision is dependent or independent; with --block-length it may be inconclusive.",
     .run = command_independence},
    {.name = "ica",
     .bit = NONSENS_COMMAND_ICA,
     .synopsis = "FILE... [--segment COL] [--method METHOD] [-o sources.csv] [options]",
     .summary = "separates variables into independent sources",
     .text = "Separates 2 to 100 variables into as many sources that are independent inside each segment (linear "
             "ICA). joint-diagonalisation needs variances that change over segments. fastica and infomax need sources "
             "that are not Gaussian, and no segments. score-matching uses both. Sources are called s1, s2, ... and "
             "are ordered by kurtosis, largest first. Each has variance 1 inside segments (fastica and infomax: over "
             "all rows) and a skewness that is not negative.",
     .run = command_ica},
    {.name = "diagnose",
     .bit = NONSENS_COMMAND_DIAGNOSE,
     .synopsis = "FILE... [--segment COL] [options]",
     .summary = "says what the data can and cannot support",
     .text = "Says what the data can and cannot support before you ask for a direction: the segments and their sizes, "
             "which variables change over segments, which pairs are dependent inside segments, in how many ways the "
             "segments of a pair differ, whose change is missing, and how much memory a run needs.",
     .run = command_diagnose},
    {.name = "report",
     .bit = NONSENS_COMMAND_REPORT,
     .synopsis = "RESULT [--data FILE [--sources FILE]] -o PAGE",
     .summary = "makes an HTML page of a result",
     .text = "Makes an HTML page from a result of direction, discover, explain or effect. RESULT is the file that "
             "--json wrote; `-` reads standard input. The page has the decision in words, the graph, the evidence in "
             "both directions, what speaks for and against the assumptions, the options, and the command that repeats "
             "the run. With --data it also has pictures of the data. The page is one file that needs neither network "
             "nor server. --html of these commands writes the same page with the estimated disturbances, which the "
             "JSON does not contain; --sources adds them here.",
     .run = command_report},
    {.name = "merge",
     .bit = NONSENS_COMMAND_MERGE,
     .synopsis = "OUT.journal IN.journal...",
     .summary = "joins journals of parts of one run",
     .text = "Joins the journals of runs with --shard I/N, or of runs that were stopped, into a new journal, "
             "OUT.journal. The command with --journal OUT.journal and --resume instead of --shard then gives the "
             "result of all parts. Journals of other data, options or versions are refused, and so are journals whose "
             "lines were changed.",
     .run = command_merge},
    {.name = "reproduce",
     .bit = NONSENS_COMMAND_REPRODUCE,
     .synopsis = REPRODUCE_SYNOPSIS,
     .summary = REPRODUCE_SUMMARY,
     .text = "",
     .run = command_elsewhere,
     .elsewhere = true},
    {.name = "methods",
     .synopsis = "",
     .summary = "lists the methods, one line each",
     .text = "Lists the methods: name, the commands that use it, and one line on how it works.",
     .run = command_methods},
    {.name = "completion",
     .synopsis = "bash|zsh|fish",
     .summary = "prints a script for completion by the shell",
     .text = "Prints a script that lets a shell complete commands, options, methods and other words of `nonsens`. For "
             "bash, put `eval \"$(nonsens completion bash)\"` into ~/.bashrc; the scripts for zsh and fish say where "
             "they belong.",
     .run = command_completion},
    {.name = "version",
     .synopsis = "",
     .summary = "prints the version and how it was built",
     .text = "Prints the version and how it was built.",
     .run = command_version},
    {.name = "help",
     .synopsis = "[COMMAND]",
     .summary = "explains a command",
     .text = "Explains a command, or lists all commands.",
     .run = command_help},
    {.name = NULL},
};
/* clang-format on */

const command *command_table(void)
{
    return commands;
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Returns the command for a word: --help, -h and --version are other names of commands. */
static const char *alias_of(const char *word)
{
    if (asks_for_help(word)) {
        return "help";
    }
    return strcmp(word, "--version") == 0 ? "version" : word;
}

/* Commands whose work several processes share; only the first process runs any other command. */
static const unsigned SHARING = NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_DISCOVER | NONSENS_COMMAND_EXPLAIN;

static int run_in_team(const command *c, int count, char **words)
{
    int code = c->bit && !c->elsewhere ? team_begin(words) : EXIT_DONE;
    if (code == EXIT_DONE && (!is_helper() || (c->bit & SHARING))) {
        code = c->run(c, count - 2, words + 2);
    }
    return team_end(code);
}

static int run(int count, char **words)
{
    if (count < 2) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    const char *word = alias_of(words[1]);
    const command *c = command_find(word);
    if (c && c->bit == 0 && count == 3 && asks_for_help(words[2])) { // it has no options of its own
        words[2] = words[1];
        return command_help(command_find("help"), command_find(words[2]) != NULL, words + 2);
    }
    return c ? run_in_team(c, count, words) : refuse_command(word);
}

/*
 * Keeps freed memory for the next job instead of returning it to the system: matrices of some megabytes come and go,
 * and the page faults of new ones took a tenth of a pair's time on one thread, and a fifth on sixteen threads.
 */
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
    enum { MEGABYTE = 1 << 20 };
    mallopt(M_MMAP_THRESHOLD, 32 * MEGABYTE);
    mallopt(M_TRIM_THRESHOLD, 256 * MEGABYTE);
#endif
}

int main(int count, char **words)
{
    keep_freed_memory();
    streams_begin();
    return standard_output_end(run(count, words));
}
