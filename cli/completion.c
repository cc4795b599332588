/*
 * completion.c - `nonsens completion SHELL`: a script that lets the shell complete words of `nonsens` command lines.
 *
 * The scripts contain no words: they ask the program (`nonsens completion words ...`), which looks them up in its
 * tables.  If it has no words to offer, shells complete names of files.
 */
#include "cli.h"

#include <string.h>

static const struct {
    const char *shell, *script;
} SCRIPT[] = {
    {"bash", "# bash: eval \"$(nonsens completion bash)\", or this file in bash-completion's folder of completions\n"
             "_nonsens() {\n"
             "    mapfile -t COMPREPLY < <(\"$1\" completion words \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2> /dev/null)\n"
             "}\n"
             "complete -o default -F _nonsens nonsens\n"},
    {"zsh", "#compdef nonsens\n"
            "# zsh: this file as _nonsens in a folder of $fpath, or eval \"$(nonsens completion zsh)\" after compinit\n"
            "_nonsens() {\n"
            "    local -a found\n"
            "    found=(${(f)\"$($words[1] completion words \"${(@)words[2,CURRENT]}\" 2> /dev/null)\"})\n"
            "    if (( $#found )); then compadd -a found; else _files; fi\n"
            "}\n"
            "if [[ $funcstack[1] == _nonsens ]]; then _nonsens \"$@\"; else compdef _nonsens nonsens; fi\n"},
    {"fish", "# fish: this file as nonsens.fish in ~/.config/fish/completions\n"
             "complete -c nonsens -a '(nonsens completion words (commandline -opc)[2..] "
             "(commandline -ct) 2> /dev/null)'\n"},
};
enum { SHELLS = sizeof SCRIPT / sizeof *SCRIPT };

/* ---- words ---- */

/* Prints the word with its dashes on a line if it begins with what has been typed. */
static void offer(const char *typed, const char *dashes, const char *word, size_t length)
{
    char whole[96];
    snprintf(whole, sizeof whole, "%s%.*s", dashes, (int)length, word);
    if (strncmp(whole, typed, strlen(typed)) == 0) {
        puts(whole);
    }
}

static void offer_choices(const char *typed, const char *choices)
{
    while (*choices) {
        size_t length = strcspn(choices, "|");
        offer(typed, "", choices, length);
        choices += length + (choices[length] == '|');
    }
}

static void offer_commands(const char *typed)
{
    for (const command *c = command_table(); c->name; c++) {
        offer(typed, "", c->name, strlen(c->name));
    }
}

static void offer_methods(const char *typed, const command *c)
{
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        const nonsens_method_info *m = nonsens_method_at(i);
        if (m->commands & c->bit) {
            offer(typed, "", m->name, strlen(m->name));
        }
    }
}

static void offer_options(const char *typed, const command *c)
{
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        if (info->commands & c->bit) {
            offer(typed, "--", info->key, strlen(info->key));
        }
    }
    for (size_t i = 0; i < file_option_count(); i++) {
        const file_option *o = file_option_at(i);
        if (o->commands & c->bit) {
            offer(typed, "--", o->name, strlen(o->name));
        }
    }
}

/* Offers what a command takes besides options and files. */
static void offer_arguments(const char *typed, const command *c)
{
    if (c->run == command_help) {
        offer_commands(typed);
    } else if (c->run == command_completion) {
        for (int i = 0; i < SHELLS; i++) {
            offer(typed, "", SCRIPT[i].shell, strlen(SCRIPT[i].shell));
        }
    }
    command_word word;
    for (size_t i = 0; c->word_at && c->word_at(i, &word); i++) {
        offer(typed, "", word.name, strlen(word.name));
    }
}

/* Returns the option whose value comes next, or NULL. */
static const nonsens_option_info *option_before(const char *word, const command *c)
{
    const nonsens_option_info *info =
        strncmp(word, "--", 2) == 0 && c->bit ? nonsens_option_find(word + 2, c->bit) : NULL;
    return info && info->type != NONSENS_OPTION_FLAG ? info : NULL;
}

/* Offers completions; words: those of the command line after `nonsens`; the last one is being typed. */
static void offer_words(int count, char **words)
{
    const char *typed = count > 0 ? words[count - 1] : "";
    if (count <= 1) {
        offer_commands(typed);
        return;
    }
    const command *c = command_find(words[0]);
    if (!c) {
        return;
    }
    const nonsens_option_info *before = option_before(words[count - 2], c);
    if (before && before->choices) {
        offer_choices(typed, before->choices);
    } else if (before && strcmp(before->key, "method") == 0) {
        offer_methods(typed, c);
    } else if (!before && typed[0] == '-') {
        offer_options(typed, c);
    } else if (!before) {
        offer_arguments(typed, c);
    }
}

int command_completion(const command *self, int count, char **words)
{
    if (count > 0 && strcmp(words[0], "words") == 0) {
        const command *c = count > 2 ? command_find(words[1]) : NULL;
        if (c && c->elsewhere) { // offers nothing if that program is missing
            become_program(c, self->name, count, words);
            return EXIT_DONE;
        }
        offer_words(count - 1, words + 1);
        return EXIT_DONE;
    }
    for (int i = 0; count == 1 && i < SHELLS; i++) {
        if (strcmp(words[0], SCRIPT[i].shell) == 0) {
            fputs(SCRIPT[i].script, stdout);
            return EXIT_DONE;
        }
    }
    return complain(EXIT_USAGE, "%s needs the name of a shell: bash, zsh or fish", self->name);
}
