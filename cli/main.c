/* main.c - the table of commands, and the program itself, which checks standard output at its end. */
#include "cli.h"
#include "team.h"

#include <string.h>

static const command commands[] = {
    {.name = "simulate",
     .bit = NONSENS_COMMAND_SIMULATE,
     .synopsis = "[options] -o data.csv [--truth truth.json]",
     .summary = "makes data with known causes",
     .text = "Draws segmented data from a structural model with known causes and writes them as CSV: one column per "
             "variable "
             "and the column `segment`. The truth file says which variable causes which.",
     .run = command_simulate},
    {.name = "direction",
     .bit = NONSENS_COMMAND_DIRECTION,
     .synopsis = "FILE... [--segment COL] [--x A --y B | --pairs all] [options]",
     .summary = "decides which of two variables causes the other",
     .text =
         "Decides which of two variables causes the other from data that come in segments (experiments, sites, "
         "stretches "
         "of time). FILE is CSV, TSV, blank-separated text or .npy; `-` reads standard input. Several files, one per "
         "segment, take the place of --segment: columns are then matched by name, and a segment is called after its "
         "file. "
         "The text output begins with a line `decision: A->B`, where the decision may also be independent, neither or "
         "inconclusive. "
         "With --pairs it is a table of many pairs, most certain first; --json FILE gets one JSON object per line, a "
         "pair "
         "each, and a run that was stopped goes on with --resume from FILE.journal, which is there until all is done. "
         "Processes that mpirun starts share the pairs.",
     .run = command_direction},
    {.name = "discover",
     .bit = NONSENS_COMMAND_DISCOVER,
     .synopsis = "FILE... [--segment COL] [--method METHOD] [options]",
     .summary = "finds what causes what among all variables",
     .text = "Finds a graph of causes and effects among all variables, or those of --vars. Each method says what it "
             "assumes "
             "and "
             "whether the data contradict it, and where a direction is not established. Processes that mpirun starts "
             "share the resamples of --bootstrap and the fits of structured.",
     .run = command_discover},
    {.name = "explain",
     .bit = NONSENS_COMMAND_EXPLAIN,
     .synopsis = "FILE... --segment COL --of SEGMENT|all [--against SEGMENT] [options]",
     .summary = "ranks what changed of itself in a segment",
     .text =
         "Tells which disturbances changed in a segment, against another segment or all others together, by how much "
         "and "
         "how surely: root causes, as opposed to variables that changed only as their causes did. It rests on a graph, "
         "which is found by --method or given by --graph. The text output begins with a line `root causes of SEGMENT: "
         "A, "
         "B`, or `none found` behind the colon. With --of all it is a table with a line for each segment; --json FILE "
         "gets "
         "one JSON object per line, a segment each, and a run that was stopped goes on with --resume from "
         "FILE.journal. "
         "Processes that mpirun starts share the segments.",
     .run = command_explain},
    {.name = "effect",
     .bit = NONSENS_COMMAND_EFFECT,
     .synopsis = "FILE... --segment COL [--do A=VALUE | --change A=+STEP] [--on B] [--graph FILE] [options]",
     .summary = "says what would happen if variables were set",
     .text =
         "Tells how other variables would be distributed if some were set (--do) or changed by a step (--change): "
         "mean, "
         "median and quantiles, and how they differ from now, over all rows and in each segment, with intervals. "
         "--row asks what single rows would have been. Without --do and --change it is a table of the effects of all "
         "variables on one another. It rests on a graph, which is found by --method or given by --graph. Where open "
         "directions give different answers, the answer is a range; where a hidden common cause stands in the way, or "
         "no "
         "rows are alike, there is none, and the text says why.",
     .run = command_effect},
    {.name = "compare",
     .bit = NONSENS_COMMAND_COMPARE,
     .synopsis = "ESTIMATED TRUTH [--pattern] [--closure] [options]",
     .summary = "says how far a graph is from the true one",
     .text =
         "Compares two graphs whose nodes have the same names: structural Hamming distance (each pair of nodes whose "
         "edge "
         "is missing, extra, reversed or otherwise marked counts one), precision and recall of adjacencies and of "
         "arrows, "
         "and each edge that differs. Graphs are read from JSON (of discover, or the truth of simulate), lists of "
         "edges as "
         "CSV (a header with the columns from and to, or cause and effect), matrices as CSV (a number other than 0 in "
         "row "
         "i "
         "and column j means that i causes j) and Tetrad's text; `-` reads standard input. A list of edges knows only "
         "nodes "
         "that have an edge; all others must be the same in both.",
     .run = command_compare},
    {.name = "independence",
     .bit = NONSENS_COMMAND_INDEPENDENCE,
     .synopsis = "FILE... --x A --y B [--given C,D] [--segment COL] [options]",
     .summary = "tests whether two variables are independent",
     .text =
         "Tests whether two variables, or two lists of variables taken as vectors, are independent, once others are "
         "known "
         "if some are given: inside each segment where segments are named, else over all rows. With --test ks, levene "
         "or "
         "kruskal it is --x and the segment that are tested: does the variable change over segments? The decision is "
         "dependent or independent; with --block-length it may be inconclusive.",
     .run = command_independence},
    {.name = "ica",
     .bit = NONSENS_COMMAND_ICA,
     .synopsis = "FILE... [--segment COL] [--method METHOD] [-o sources.csv] [options]",
     .summary = "separates variables into independent sources",
     .text = "Separates all variables, 2 to 100 of them, into as many sources that are independent inside each "
             "segment: linear "
             "ICA. joint-diagonalisation needs variances that change over segments, fastica and infomax sources that "
             "are not "
             "Gaussian and no segments, score-matching uses both. Sources are called s1, s2, ...; each has variance 1 "
             "inside segments (fastica and infomax: over all rows) and a skewness that is not negative, and they are "
             "ordered "
             "by "
             "kurtosis, the largest first.",
     .run = command_ica},
    {.name = "diagnose",
     .bit = NONSENS_COMMAND_DIAGNOSE,
     .synopsis = "FILE... [--segment COL] [options]",
     .summary = "says what the data can and cannot support",
     .text =
         "Says what the data can and cannot support, before a direction is asked for: segments and their sizes, which "
         "variables change over segments, which pairs are dependent inside segments, in how many ways the segments of "
         "a "
         "pair "
         "can be told apart, whose change is missing, and how much memory a run takes.",
     .run = command_diagnose},
    {.name = "report",
     .bit = NONSENS_COMMAND_REPORT,
     .synopsis = "RESULT [--data FILE [--sources FILE]] -o PAGE",
     .summary = "makes a page of a result, to look at and pass on",
     .text =
         "Makes an HTML page of a result of direction, discover, explain or effect (RESULT is the file that --json "
         "wrote; `-` "
         "reads "
         "standard "
         "input): the decision in words, the graph, the evidence in both directions, what speaks for and against the "
         "assumptions, options, and the command that gives it again. With the data there are also pictures of them. "
         "The "
         "page is one file that needs neither network nor server. --html writes the same page "
         "with the estimated disturbances, which the JSON does not hold; --sources adds them, as direction and "
         "discover "
         "wrote them.",
     .run = command_report},
    {.name = "merge",
     .bit = NONSENS_COMMAND_MERGE,
     .synopsis = "OUT.journal IN.journal...",
     .summary = "joins journals of parts of one run",
     .text =
         "Joins journals that runs of one command with --shard I/N, or runs that were stopped, have kept, and writes "
         "them as a new journal, OUT.journal. With --journal OUT.journal and --resume in place of --shard the "
         "command then gives the result of all parts. Journals of other data, options or versions, and journals "
         "with lines that were changed, are refused.",
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
     .text = "Lists the methods: name, what it can do, one line on how.",
     .run = command_methods},
    {.name = "completion",
     .synopsis = "bash|zsh|fish",
     .summary = "prints a script for completion by the shell",
     .text =
         "Prints a script that lets a shell complete commands, options, methods and other words of `nonsens`. For "
         "bash: "
         "`eval \"$(nonsens completion bash)\"`, in ~/.bashrc to have it always; each script says where it belongs.",
     .run = command_completion},
    {.name = "version",
     .synopsis = "",
     .summary = "prints the version and how it was built",
     .text = "Prints the version and how it was built.",
     .run = command_version},
    {.name = "help",
     .synopsis = "[COMMAND]",
     .summary = "explains a command",
     .text = "Explains a command, or lists them all.",
     .run = command_help},
    {.name = NULL},
};

const command *command_table(void)
{
    return commands;
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* --help, -h and --version are commands under other names. */
static const char *alias_of(const char *word)
{
    if (asks_for_help(word)) {
        return "help";
    }
    return strcmp(word, "--version") == 0 ? "version" : word;
}

/* Commands whose work several processes share; of all others the first process alone does the work. */
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
    if (c && c->bit == 0 && count == 3 && asks_for_help(words[2])) { // it has no options that could hold this one
        words[2] = words[1];
        return command_help(command_find("help"), command_find(words[2]) != NULL, words + 2);
    }
    return c ? run_in_team(c, count, words) : refuse_command(word);
}

int main(int count, char **words)
{
    streams_begin();
    return standard_output_end(run(count, words));
}
