/* examples.c - examples of every command, for its help and its manual page (tests/cli/cases/examples.test runs them).
 */
#include "cli.h"

#include <string.h>

/* clang-format off */
static const example table[] = {
    {"simulate", "Ten segments of 512 rows in which one variable causes the other, and the truth",
     "nonsens simulate --segments 10 --per-segment 512 --seed 3 -o data.csv --truth truth.json"},
    {"simulate", "Six variables, with a fault in the last segment",
     "nonsens simulate --sem node --nodes 6 --segments 13 --fault 3 -o six.csv --truth truth.json"},
    {"direction", "Two numeric columns, and a column `day` with the segments",
     "nonsens direction pair.csv --segment day"},
    {"direction", "Two of many columns, with the result as JSON and as a page",
     "nonsens direction data.csv --segment day --x rain --y harvest --json result.json --html report.html"},
    {"direction", "One file per segment",
     "nonsens direction monday.csv tuesday.csv friday.csv --x rain --y harvest"},
    {"direction", "Every pair of columns, with q-values",
     "nonsens direction data.csv --segment day --pairs all --json pairs.jsonl"},
    {"discover", "A graph of all variables, as text, as JSON and for Graphviz",
     "nonsens discover data.csv --segment day --json graph.json --dot graph.dot"},
    {"discover", "How many bootstrap samples have each edge",
     "nonsens discover data.csv --segment day --method lingam --bootstrap 50"},
    {"explain", "What changed on Friday, compared with all other days",
     "nonsens explain data.csv --segment day --of friday"},
    {"explain", "Each day in turn, with a graph that was found before",
     "nonsens explain data.csv --segment day --of all --graph graph.json"},
    {"effect", "What harvest would be if rain were 2",
     "nonsens effect data.csv --segment day --do rain=2 --on harvest --graph graph.json"},
    {"effect", "What harvest would be if rain were larger by 1, on Friday only",
     "nonsens effect data.csv --segment day --change rain=+1 --on harvest --in friday --graph graph.json"},
    {"compare", "How far a graph that was found is from the true one",
     "nonsens compare graph.json truth.csv"},
    {"independence", "Are rain and harvest independent inside each day?",
     "nonsens independence data.csv --segment day --x rain --y harvest"},
    {"independence", "And once soil is known?",
     "nonsens independence data.csv --segment day --x rain --y harvest --given soil"},
    {"independence", "Does the scale of rain change over days?",
     "nonsens independence data.csv --segment day --x rain --test levene"},
    {"ica", "Sources of all variables, as CSV",
     "nonsens ica data.csv --segment day -o sources.csv"},
    {"diagnose", "Before any other command",
     "nonsens diagnose data.csv --segment day"},
    {"report", "A page with pictures of the data",
     "nonsens report result.json --data data.csv -o report.html"},
    {"merge", "Two jobs of a scheduler decide on half of the pairs each; then their results are joined",
     "nonsens direction data.csv --segment day --pairs all --shard 1/2 --journal part-1.journal\n"
     "nonsens direction data.csv --segment day --pairs all --shard 2/2 --journal part-2.journal\n"
     "nonsens merge all.journal part-1.journal part-2.journal\n"
     "nonsens direction data.csv --segment day --pairs all --journal all.journal --resume"},
    {"reproduce", "A table of the paper with few repetitions",
     "nonsens reproduce linear-ica --reps 2 --out results"},
    {"reproduce", "More repetitions later, without doing any twice",
     "nonsens reproduce linear-ica --reps 4 --out results --resume"},
};
/* clang-format on */

const example *example_next(const char *name, const example *after)
{
    const example *end = table + sizeof table / sizeof *table, *e = after ? after + 1 : table;
    while (e < end && strcmp(e->command, name) != 0) {
        e++;
    }
    return e < end ? e : NULL;
}
