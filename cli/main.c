/* main.c - the commands, and the last look at standard output. */
#include "cli.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const command commands[] = {
    {"simulate", NONSENS_CMD_SIMULATE, "[options] -o data.csv [--truth truth.json]", "makes data with known causes",
     "Draws segmented data from a structural model with known causes and writes them as CSV: one column per variable "
     "and the column `segment`. The truth file says which variable causes which.",
     command_simulate},
    {"direction", NONSENS_CMD_DIRECTION, "FILE... [--segment COL] [--x A --y B | --pairs all] [options]",
     "decides which of two variables causes the other",
     "Decides which of two variables causes the other from data that come in segments (experiments, sites, stretches "
     "of time). FILE is CSV, TSV, blank-separated text or .npy; `-` reads standard input. Several files, one per "
     "segment, take the place of --segment: columns are then matched by name, and a segment is called after its file. "
     "The text output begins with a line `decision: A->B`, where the decision may also be independent, neither or "
     "inconclusive. "
     "With --pairs it is a table of many pairs, most certain first; --json FILE gets one JSON object per line, a pair "
     "each, and a run that was stopped goes on with --resume from FILE.journal, which is there until all is done.",
     command_direction},
    {"discover", NONSENS_CMD_DISCOVER, "FILE... [--segment COL] [--method METHOD] [options]",
     "finds what causes what among all variables",
     "Finds a graph of causes and effects among all variables, or those of --vars. Each method says what it assumes "
     "and "
     "whether the data contradict it, and where a direction is not established.",
     command_discover},
    {"explain", NONSENS_CMD_EXPLAIN, "FILE... --segment COL --of SEGMENT [--against SEGMENT] [options]",
     "ranks what changed of itself in a segment",
     "Tells which disturbances changed in a segment, against another segment or all others together, by how much and "
     "how surely: root causes, as opposed to variables that changed only as their causes did. It rests on a graph, "
     "which is found by --method or given by --graph. The text output begins with a line `root causes of SEGMENT: A, "
     "B`, or `none found` behind the colon.",
     command_explain},
    {"compare", NONSENS_CMD_COMPARE, "ESTIMATED TRUTH [--pattern] [--closure] [options]",
     "says how far a graph is from the true one",
     "Compares two graphs whose nodes have the same names: structural Hamming distance (each pair of nodes whose edge "
     "is missing, extra, reversed or otherwise marked counts one), precision and recall of adjacencies and of arrows, "
     "and each edge that differs. Graphs are read from JSON (of discover, or the truth of simulate), lists of edges as "
     "CSV (a header with the columns from and to, or cause and effect), matrices as CSV (a number other than 0 in row "
     "i "
     "and column j means that i causes j) and Tetrad's text; `-` reads standard input. A list of edges knows only "
     "nodes "
     "that have an edge; all others must be the same in both.",
     command_compare},
    {"independence", NONSENS_CMD_INDEPENDENCE, "FILE... --x A --y B [--given C,D] [--segment COL] [options]",
     "tests whether two variables are independent",
     "Tests whether two variables, or two lists of variables taken as vectors, are independent, once others are known "
     "if some are given: inside each segment where segments are named, else over all rows. With --test ks, levene or "
     "kruskal it is --x and the segment that are tested: does the variable change over segments? The decision is "
     "dependent or independent.",
     command_independence},
    {"ica", NONSENS_CMD_ICA, "FILE... [--segment COL] [--method METHOD] [-o sources.csv] [options]",
     "separates variables into independent sources",
     "Separates all variables, 2 to 100 of them, into as many sources that are independent inside each segment: linear "
     "ICA. joint-diagonalisation needs variances that change over segments, fastica and infomax sources that are not "
     "Gaussian and no segments, score-matching uses both. Sources are called s1, s2, ...; each has variance 1 "
     "inside segments (fastica and infomax: over all rows) and a skewness that is not negative, and they are ordered "
     "by "
     "kurtosis, the largest first.",
     command_ica},
    {"diagnose", NONSENS_CMD_DIAGNOSE, "FILE... [--segment COL] [options]", "says what the data can and cannot support",
     "Says what the data can and cannot support, before a direction is asked for: segments and their sizes, which "
     "variables change over segments, which pairs are dependent inside segments, in how many ways the segments of a "
     "pair "
     "can be told apart, whose change is missing, and how much memory a run takes.",
     command_diagnose},
    {"report", NONSENS_CMD_REPORT, "RESULT [--data FILE [--sources FILE]] -o PAGE",
     "makes a page of a result, to look at and pass on",
     "Makes an HTML page of a result of direction, discover or explain (RESULT is the file that --json wrote; `-` "
     "reads "
     "standard "
     "input): the decision in words, the graph, the evidence in both directions, what speaks for and against the "
     "assumptions, options, and the command that gives it again. With the data there are also pictures of them. The "
     "page is one file that needs neither network nor server. --html writes the same page "
     "with the estimated disturbances, which the JSON does not hold; --sources adds them, as direction and discover "
     "wrote them.",
     command_report},
    {"reproduce", NONSENS_CMD_REPRODUCE, "FIGURE... [options]", "makes figures of the paper again",
     "Runs the simulations behind figures of the paper (Monti, Zhang, Hyvarinen, UAI 2019) and writes for each FIGURE "
     "a "
     "table, FIGURE.csv, and a picture, FIGURE.svg; a short table goes to standard output. Each finished repetition is "
     "kept in FIGURE.journal: a run that was stopped at any point goes on with --resume. Where `nonsens version` names "
     "MPI, processes that mpirun starts share the repetitions, with the same result.",
     command_reproduce},
    {"methods", 0, "", "lists the methods, one line each", "Lists the methods: name, what it can do, one line on how.",
     command_methods},
    {"completion", 0, "bash|zsh|fish", "prints a script for completion by the shell",
     "Prints a script that lets a shell complete commands, options, methods and other words of `nonsens`. For bash: "
     "`eval \"$(nonsens completion bash)\"`, in ~/.bashrc to have it always; each script says where it belongs.",
     command_completion},
    {"version", 0, "", "prints the version and how it was built", "Prints the version and how it was built.",
     command_version},
    {"help", 0, "[COMMAND]", "explains a command", "Explains a command, or lists them all.", command_help},
    {NULL, 0, NULL, NULL, NULL, NULL},
};

const command *command_table(void)
{
    return commands;
}

const command *command_find(const char *name)
{
    for (const command *c = commands; c->name; c++) {
        if (strcmp(c->name, name) == 0) {
            return c;
        }
    }
    return NULL;
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* --help, -h and --version are commands under other names. */
static const char *command_word(const char *word)
{
    if (asks_for_help(word)) {
        return "help";
    }
    return strcmp(word, "--version") == 0 ? "version" : word;
}

int refuse_command(const char *word)
{
    const char *names[sizeof commands / sizeof *commands];
    size_t count = 0;
    for (const command *c = commands; c->name; c++) {
        names[count++] = c->name;
    }
    names[count] = NULL;
    const char *near = nonsens_nearest(word, names);
    if (near) {
        return complain(EXIT_USAGE, "%s is not a command; did you mean %s? `nonsens help` lists them",
                        show_word(word).text, near);
    }
    return complain(EXIT_USAGE, "%s is not a command; `nonsens help` lists them", show_word(word).text);
}

static int run(int count, char **words)
{
    if (count < 2) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    const char *word = command_word(words[1]);
    const command *c = command_find(word);
    if (c && c->bit == 0 && count == 3 && asks_for_help(words[2])) { // it has no options that could hold this one
        words[2] = words[1];
        return command_help(command_find("help"), command_find(words[2]) != NULL, words + 2);
    }
    return c ? c->run(c, count - 2, words + 2) : refuse_command(word);
}

/*
 * A file that is opened while a standard stream is closed would take its number, and what is said on the stream would
 * land in the file: a descriptor that refuses to be used holds the place.
 */
static void hold_closed_streams(void)
{
    static const int useless[] = {[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDONLY};
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) < 0) {
            (void)open("/dev/null", useless[stream]); // the lowest number that is free, which is this one
        }
    }
}

int main(int count, char **words)
{
    signal(SIGPIPE, SIG_IGN); // a closed pipe is a failed write, and the other outputs are still written
    signal(SIGXFSZ, SIG_IGN); // and so is a file that grows beyond its limit
    hold_closed_streams();
    return standard_output_end(run(count, words));
}
