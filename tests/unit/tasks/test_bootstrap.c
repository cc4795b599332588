/* test_bootstrap.c - bootstrap samples of the rows, with methods that can be checked by hand; journals cut anywhere. */
#include "base/rng.h"
#include "tasks/bootstrap.h"
#include "tasks/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

enum { SEGMENTS = 4, D = 3, SAMPLES = 24, FILE_MAX = 1 << 16 };
static const int64_t SIZE[SEGMENTS] = {9, 6, 2, 1};
enum { ROWS = 9 + 6 + 2 + 1 };

/* ---- data ------------------------------------------------------------------------------------------------------- */

/* Rows, columns or labels in another order. */
enum { PLAIN, ROWS_REVERSED, COLUMNS_REVERSED, LABELS_REVERSED };

static nonsens_data *new_data(fixture *f, uint64_t seed, int reversed)
{
    static const char *const names[2][D] = {{"a", "b", "c"}, {"c", "b", "a"}};
    double value[ROWS][D];
    int64_t label[ROWS], row = 0;
    rng r = rng_new(seed, RNG_TEST, 0);
    nonsens_data *data;
    for (int64_t e = 0; e < SEGMENTS; e++) {
        for (int64_t i = 0; i < SIZE[e]; i++, row++) {
            int64_t at = reversed == ROWS_REVERSED ? ROWS - 1 - row : row;
            label[at] = reversed == LABELS_REVERSED ? -e : e;
            for (int64_t j = 0; j < D; j++) {
                value[at][reversed == COLUMNS_REVERSED ? D - 1 - j : j] = rng_gamma(&r, 1.0 + (double)j);
            }
        }
    }
    assert_int_equal(nonsens_data_from_arrays(f->ctx, ROWS, D, &value[0][0], D, 1, names[reversed == COLUMNS_REVERSED],
                                              label, &data),
                     NONSENS_OK);
    return data;
}

static nonsens_options *new_options(fixture *f, int64_t samples)
{
    nonsens_options *o;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &o), NONSENS_OK);
    o->bootstrap = samples;
    o->threads = 1;
    return o;
}

/* ---- methods that can be checked --------------------------------------------------------------------------------- */

/* What a method saw and returned; only counters, so that threads do not matter. */
typedef struct followed {
    const nonsens_data *whole;
    int64_t calls, repeated, wrong;    /* wrong: rows that are not in the data, wrong sizes */
    int64_t arrow[D][D], open, failed; /* by name, "a" is 0 */
    int64_t cancel_at;                 /* the call that stops the run; 0: none */
} followed;

static int64_t letter(const nonsens_data *data, int64_t j)
{
    return data->names[j][0] - 'a';
}

static void count(int64_t *counter)
{
#pragma omp atomic
    ++*counter;
}

static int64_t row_in(const nonsens_data *data, int64_t input_row)
{
    for (int64_t i = 0; i < data->n; i++) {
        if (data->input_row[i] == input_row) {
            return i;
        }
    }
    return -1;
}

static void look_at_rows(followed *s, const nonsens_data *data, const nonsens_options *options)
{
    for (int64_t i = 0; i < data->n; i++) {
        int64_t at = row_in(s->whole, data->input_row[i]);
        bool same = at >= 0 && strcmp(data->labels[data->segment[i]], s->whole->labels[s->whole->segment[at]]) == 0;
        for (int64_t j = 0; same && j < D; j++) {
            same = data->sign[j] * matrix_col(data->x, j)[i] == s->whole->sign[j] * matrix_col(s->whole->x, j)[at];
        }
        if (!same) {
            count(&s->wrong);
        }
        for (int64_t k = 0; k < i; k++) {
            if (data->input_row[k] == data->input_row[i]) {
                count(&s->repeated);
                break;
            }
        }
    }
    static const int64_t half[SEGMENTS] = {5, 3, 2, 1};
    for (int64_t e = 0; e < SEGMENTS; e++) {
        int64_t rows = e < data->segments ? data->start[e + 1] - data->start[e] : 0;
        if (rows != (options->resample == RESAMPLE_HALF ? half[e] : SIZE[e])) {
            count(&s->wrong);
        }
    }
}

static double sum_of(const nonsens_data *data, int64_t j)
{
    double sum = 0.0;
    for (int64_t i = 0; i < data->n; i++) {
        sum += matrix_col(data->x, j)[i];
    }
    return sum / (double)data->n;
}

/* Draws arrows from smaller to larger means if they are close, lines if very close; fails on large means. */
static nonsens_status find_by_means(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                    const void *how, nonsens_result **out)
{
    followed *s = (followed *)how;
    int64_t call;
#pragma omp atomic capture
    call = ++s->calls;
    look_at_rows(s, data, options);
    *out = NULL;
    if (call == s->cancel_at) {
        nonsens_context_cancel(ctx->root);
        return check_cancelled(ctx);
    }
    TRY(result_new(ctx, data, options, "followed", out));
    nonsens_status status = NONSENS_OK;
    for (int64_t a = 0; a < D && status == NONSENS_OK; a++) {
        for (int64_t b = 0; b < D && status == NONSENS_OK; b++) {
            double gap = sum_of(data, b) - sum_of(data, a);
            if (gap > 0.2 && gap < 1.3) {
                status = result_edge(ctx, *out, a, b, NONSENS_EDGE_DIRECTED, NAN, NAN);
                count(&s->arrow[letter(data, a)][letter(data, b)]);
            } else if (a < b && fabs(gap) <= 0.2) {
                status = result_edge(ctx, *out, b, a, NONSENS_EDGE_UNDIRECTED, NAN, NAN);
                count(&s->open);
            }
        }
    }
    if (status == NONSENS_OK && sum_of(data, 0) + sum_of(data, 1) + sum_of(data, 2) > 6.9) {
        count(&s->failed);
        status = (fail)(ctx, NONSENS_ERR_DATA, "the means are too large");
    }
    if (status != NONSENS_OK) {
        nonsens_result_free(*out);
        *out = NULL;
    }
    return status;
}

/* Makes a graph a -> b, b -- c, and its support by bootstrap samples. */
static nonsens_status try_samples(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                  followed *s, nonsens_result **out)
{
    int64_t at[D];
    s->whole = data;
    for (int64_t j = 0; j < D; j++) {
        at[letter(data, j)] = j;
    }
    const bootstrap_input in = {.data = data, .options = options, .find = find_by_means, .state = s};
    TRY(bootstrap_check(ctx, options, false));
    TRY(bootstrap_check_journal(ctx, &in));
    TRY(result_new(ctx, data, options, "main", out));
    nonsens_status status = result_edge(ctx, *out, at[0], at[1], NONSENS_EDGE_DIRECTED, NAN, NAN);
    status = status == NONSENS_OK ? result_edge(ctx, *out, at[1], at[2], NONSENS_EDGE_UNDIRECTED, NAN, NAN) : status;
    status = status == NONSENS_OK ? result_finish(ctx, *out) : status;
    status = status == NONSENS_OK ? bootstrap_run(ctx, &in, *out) : status;
    if (status != NONSENS_OK) {
        nonsens_result_free(*out);
        *out = NULL;
    }
    return status;
}

static nonsens_result *run_samples(fixture *f, const nonsens_data *data, const nonsens_options *options, followed *s)
{
    nonsens_result *result;
    nonsens_status status = try_samples(f->ctx, data, options, s, &result);
    if (status != NONSENS_OK) {
        print_error("%s\n", nonsens_context_message(f->ctx));
    }
    assert_int_equal(status, NONSENS_OK);
    return result;
}

/* Counts by name, whatever the order of columns. */
typedef struct table {
    int64_t arrow[D][D], open[D][D], adjacent[D][D], failed;
    double support[2];
    char note[MESSAGE_BYTES];
} table;

static table table_of(const nonsens_result *r)
{
    table t;
    memset(&t, 0, sizeof t);
    t.failed = r->bootstrap.failed;
    for (int64_t i = 0; i < r->bootstrap.pairs; i++) {
        const result_edge_counts *p = &r->bootstrap.pair[i];
        int64_t a = r->names[p->a][0] - 'a', b = r->names[p->b][0] - 'a';
        assert_true(p->a < p->b && p->adjacent > 0 && p->bidirected == 0);
        t.arrow[a][b] = p->forward;
        t.arrow[b][a] = p->backward;
        t.open[a][b] = t.open[b][a] = p->undirected;
        t.adjacent[a][b] = t.adjacent[b][a] = p->adjacent;
    }
    for (int64_t i = 0; i < r->edges; i++) {
        t.support[r->edge[i].type == NONSENS_EDGE_UNDIRECTED] = r->edge[i].support;
    }
    if (r->notes > 0) {
        snprintf(t.note, sizeof t.note, "%s", r->note[0].text);
    }
    return t;
}

static table run_table(fixture *f, const nonsens_data *data, const nonsens_options *options, followed *s)
{
    nonsens_result *r = run_samples(f, data, options, s);
    table t = table_of(r);
    nonsens_result_free(r);
    return t;
}

static void assert_same(const table *a, const table *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

/* ---- drawing and counting --------------------------------------------------------------------------------------- */

static void test_rows(void **state)
{
    fixture *f = *state;
    nonsens_data *data = new_data(f, 1, PLAIN);
    nonsens_options *o = new_options(f, SAMPLES);
    for (int kind = RESAMPLE_HALF; kind <= RESAMPLE_BOOTSTRAP; kind++) {
        followed s = {0};
        o->resample = (enum option_resample)kind;
        run_table(f, data, o, &s);
        assert_int_equal(s.calls, SAMPLES);
        assert_int_equal(s.wrong, 0);
        assert_int_equal(s.repeated > 0, kind == RESAMPLE_BOOTSTRAP);
    }
    nonsens_options_free(o);
    nonsens_data_free(data);
}

/* Every row of a segment is drawn equally often: 5 of 9 rows, 2,000 bootstrap samples; within 4.5 standard errors. */
static int64_t seen[ROWS];
static nonsens_status see_rows(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                               const void *how, nonsens_result **out)
{
    (void)how;
    for (int64_t i = 0; i < data->n; i++) {
        seen[data->input_row[i]]++;
    }
    return result_new(ctx, data, options, "seen", out);
}

static void test_rows_are_equally_likely(void **state)
{
    fixture *f = *state;
    nonsens_data *data = new_data(f, 1, PLAIN);
    nonsens_options *o = new_options(f, 2000);
    for (int kind = RESAMPLE_HALF; kind <= RESAMPLE_BOOTSTRAP; kind++) {
        nonsens_result *r;
        o->resample = (enum option_resample)kind;
        memset(seen, 0, sizeof seen);
        assert_int_equal(result_new(f->ctx, data, o, "main", &r), NONSENS_OK);
        const bootstrap_input in = {.data = data, .options = o, .find = see_rows};
        assert_int_equal(bootstrap_run(f->ctx, &in, r), NONSENS_OK);
        nonsens_result_free(r);
        for (int64_t i = 0; i < 9; i++) {
            double expected = kind == RESAMPLE_HALF ? 2000.0 * 5.0 / 9.0 : 2000.0;
            double variance = kind == RESAMPLE_HALF ? 2000.0 * 5.0 / 9.0 * 4.0 / 9.0 : 2000.0 * 8.0 / 9.0;
            assert_true(fabs((double)seen[i] - expected) < 4.5 * sqrt(variance));
        }
    }
    nonsens_options_free(o);
    nonsens_data_free(data);
}

/* The counts of the result are those that the method itself made. */
static void test_counts(void **state)
{
    fixture *f = *state;
    nonsens_data *data = new_data(f, 1, PLAIN);
    nonsens_options *o = new_options(f, 200);
    nonsens_result *r;
    followed s = {0};
    r = run_samples(f, data, o, &s);
    table t = table_of(r);
    int64_t open = 0, good = 200 - t.failed;
    assert_true(t.failed > 0 && t.failed < 100 && s.open > 0); // otherwise nothing is tested
    assert_int_equal(t.failed, s.failed);
    assert_int_equal(r->bootstrap.replicates, 200);
    for (int a = 0; a < D; a++) {
        for (int b = 0; b < D; b++) {
            assert_true(t.arrow[a][b] <= s.arrow[a][b]); // failed samples had drawn arrows before they failed
            assert_int_equal(t.adjacent[a][b], t.arrow[a][b] + t.arrow[b][a] + t.open[a][b]);
            open += a < b ? t.open[a][b] : 0;
        }
    }
    assert_true(open <= s.open && t.arrow[0][1] > 0);
    assert_true(t.support[0] == (double)t.arrow[0][1] / (double)good);
    assert_true(t.support[1] == (double)t.open[1][2] / (double)good);
    assert_non_null(strstr(t.note, "of 200 bootstrap samples failed and do not count, the first (number "));
    assert_non_null(strstr(t.note, "the means are too large"));
    nonsens_result_free(r);
    nonsens_options_free(o);
    nonsens_data_free(data);
}

static void test_order_and_threads(void **state)
{
    fixture *f = *state;
    nonsens_options *o = new_options(f, SAMPLES);
    table first;
    for (int reversed = PLAIN; reversed <= LABELS_REVERSED; reversed++) {
        nonsens_data *data = new_data(f, 1, reversed);
        for (int64_t threads = 1; threads <= 40; threads += 13) { // 40: more threads than bootstrap samples
            followed s = {0};
            o->threads = threads;
            table t = run_table(f, data, o, &s);
            if (reversed == PLAIN && threads == 1) {
                first = t;
            }
            assert_same(&t, &first);
        }
        nonsens_data_free(data);
    }
    o->seed = 2;
    nonsens_data *data = new_data(f, 1, PLAIN);
    followed s = {0};
    table other = run_table(f, data, o, &s);
    assert_memory_not_equal(&other, &first, sizeof first); // the seed does matter
    nonsens_data_free(data);
    nonsens_options_free(o);
}

/* ---- journals --------------------------------------------------------------------------------------------------- */

typedef struct kept {
    fixture *f;
    nonsens_data *data;
    nonsens_options *o;
    char path[64];
    char text[FILE_MAX];
    size_t size;
} kept;

static void read_text(kept *k)
{
    FILE *file = fopen(k->path, "r");
    assert_non_null(file);
    k->size = fread(k->text, 1, FILE_MAX, file);
    fclose(file);
}

static void write_text(const kept *k, size_t size)
{
    FILE *file = fopen(k->path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(k->text, 1, size, file), size);
    fclose(file);
}

static void cut_sums(kept *k)
{
    static const size_t bytes = sizeof ",\"sum\":\"0123456789abcdef\"" - 1;
    for (char *sum = k->text; (sum = strstr(sum, ",\"sum\":\"")) != NULL;) {
        memmove(sum, sum + bytes, k->size - (size_t)(sum + bytes - k->text) + 1);
        k->size -= bytes;
    }
}

/* Makes the journal of a whole run; returns the table. */
static table open_kept(fixture *f, kept *k)
{
    followed s = {0};
    memset(k, 0, sizeof *k);
    k->f = f;
    k->data = new_data(f, 1, PLAIN);
    k->o = new_options(f, SAMPLES);
    strcpy(k->path, "/tmp/nonsens-bootstrap-XXXXXX");
    close(mkstemp(k->path));
    remove(k->path);
    k->o->journal = k->path;
    table t = run_table(f, k->data, k->o, &s);
    assert_int_equal(s.calls, SAMPLES);
    read_text(k);
    k->o->resume = true;
    return t;
}

static void close_kept(kept *k)
{
    remove(k->path);
    nonsens_options_free(k->o);
    nonsens_data_free(k->data);
}

/* Wherever the file is cut, the result is the same, and only what was lost is run again. */
static void test_resume(void **state)
{
    static kept k;
    table whole = open_kept(*state, &k);
    for (size_t cut = 0; cut <= k.size; cut += cut < k.size - 7 ? 7 : 1) {
        followed s = {0};
        int64_t lines = 0;
        for (size_t i = 0; i < cut; i++) {
            lines += k.text[i] == '\n';
        }
        // the last line counts even without its newline
        lines += cut > 0 && cut < k.size && k.text[cut - 1] != '\n' && k.text[cut] == '\n';
        write_text(&k, cut);
        table t = run_table(k.f, k.data, k.o, &s);
        assert_same(&t, &whole);
        assert_int_equal(s.calls, SAMPLES - (lines > 0 ? lines - 1 : 0));
    }
    close_kept(&k);
}

static void test_more_samples(void **state)
{
    static kept k;
    open_kept(*state, &k);
    followed s = {0}, fresh = {0};
    k.o->bootstrap = 2 * SAMPLES;
    table t = run_table(k.f, k.data, k.o, &s);
    assert_int_equal(s.calls, SAMPLES);
    k.o->journal = "";
    k.o->resume = false;
    table whole = run_table(k.f, k.data, k.o, &fresh);
    assert_same(&t, &whole);
    close_kept(&k);
}

static void test_cancelled(void **state)
{
    static kept k;
    table whole = open_kept(*state, &k);
    followed s = {.cancel_at = 9}, again = {0};
    nonsens_result *r;
    remove(k.path);
    assert_int_equal(try_samples(k.f->ctx, k.data, k.o, &s, &r), NONSENS_CANCELLED);
    assert_null(r);
    context_begin(k.f->ctx);
    table t = run_table(k.f, k.data, k.o, &again);
    assert_int_equal(again.calls, SAMPLES - 8);
    assert_same(&t, &whole);
    close_kept(&k);
}

static void assert_refused(kept *k, const nonsens_data *data, const char *words)
{
    followed s = {0};
    nonsens_result *r;
    assert_int_equal(try_samples(k->f->ctx, data, k->o, &s, &r), NONSENS_ERR_USAGE);
    if (!strstr(nonsens_context_message(k->f->ctx), words)) {
        print_error("%s\n", nonsens_context_message(k->f->ctx));
        assert_true(false);
    }
    assert_int_equal(s.calls, 0);
}

static void test_refusals(void **state)
{
    static kept k;
    open_kept(*state, &k);
    size_t size = k.size;
    nonsens_data *other = new_data(k.f, 4, PLAIN);
    assert_refused(&k, other, "was made with other data; give the same, or name another --journal");
    k.o->alpha = 0.01;
    assert_refused(&k, k.data,
                   "was made with --alpha 0.05, and this run has 0.01; give the same, or name another --journal");
    k.o->alpha = 0.05;
    k.o->resample = RESAMPLE_BOOTSTRAP;
    assert_refused(&k, k.data, "was made with --resample half, and this run has bootstrap");
    k.o->resample = RESAMPLE_HALF;
    k.o->resume = false;
    assert_refused(&k, k.data,
                   "already exists; add --resume to continue its bootstrap samples or fits, or name another --journal");
    k.o->resume = true;
    read_text(&k);
    assert_int_equal(k.size, size); // nothing was added
    char *version = strstr(k.text, "\"version\":\"");
    assert_non_null(version);
    version[sizeof "\"version\":\"" - 1] = '?';
    write_text(&k, k.size);
    assert_refused(&k, k.data, "its first line, which says what it belongs to, was changed");
    cut_sums(&k);
    write_text(&k, k.size);
    assert_refused(&k, k.data, "was made by another version of nonsens; name another --journal");
    strcpy(k.text, "a,b\n1,2\n");
    write_text(&k, strlen(k.text));
    assert_refused(&k, k.data, "is not a journal of bootstrap samples or fits; name another --journal");
    k.o->bootstrap = 0;
    assert_refused(&k, k.data, "none are asked for; add --bootstrap B");
    k.o->bootstrap = 5;
    k.o->journal = "";
    assert_refused(&k, k.data, "--resume continues a journal; name it with --journal FILE");
    nonsens_data_free(other);
    close_kept(&k);
}

/* Lines that are JSON, but not bootstrap samples of this many variables, are run again. */
static void test_odd_lines(void **state)
{
    static kept k;
    table whole = open_kept(*state, &k);
    cut_sums(&k);
    write_text(&k, k.size);
    FILE *file = fopen(k.path, "a");
    assert_non_null(file);
    fputs("{\"options\":\"resample\",\"seed\":0,\"edges\":[[0,3,0]]}\n"
          "{\"options\":\"resample\",\"seed\":1,\"edges\":[[0,1,7]]}\n"
          "{\"options\":\"resample\",\"seed\":2,\"edges\":[[0,1]]}\n"
          "{\"options\":\"resample\",\"seed\":3,\"edges\":5}\n"
          "{\"options\":\"resample\",\"seed\":4,\"edges\":[[1,1,0]]}\n"
          "{\"options\":\"resample\",\"seed\":5,\"edges\":[[0,1,0],[1,0,0]]}\n"
          "{\"options\":\"resample\",\"seed\":6,\"edges\":[[0,1,0,0]]}\n[]\n\n\x01\n",
          file);
    fclose(file);
    followed s = {0};
    table t = run_table(k.f, k.data, k.o, &s);
    assert_same(&t, &whole);
    assert_int_equal(s.calls, 7);
    close_kept(&k);
}

/* A journal without checksums can be continued; new lines have checksums. */
static void test_journal_without_sums(void **state)
{
    static kept k;
    table whole = open_kept(*state, &k);
    followed s = {0}, again = {0};
    size_t size = k.size;
    cut_sums(&k);
    char *last = k.text + k.size - 1;
    while (last[-1] != '\n') {
        last--;
    }
    write_text(&k, (size_t)(last - k.text));
    table t = run_table(k.f, k.data, k.o, &s);
    assert_same(&t, &whole);
    assert_int_equal(s.calls, 1);
    assert_string_equal(nonsens_context_warning(k.f->ctx), "");
    read_text(&k);
    assert_true(k.size < size && strstr(k.text, ",\"sum\":\""));
    t = run_table(k.f, k.data, k.o, &again);
    assert_same(&t, &whole);
    assert_int_equal(again.calls, 0);
    close_kept(&k);
}

/* If any byte of a bootstrap sample's line is changed, the sample is run again. */
static void test_changed_lines(void **state)
{
    static kept k;
    table whole = open_kept(*state, &k);
    size_t begin = (size_t)(strchr(k.text, '\n') - k.text) + 1, end = k.size - 1;
    for (size_t at = begin; at < end; at += 3) {
        char before = k.text[at];
        followed s = {0};
        if (before == '\n') {
            continue;
        }
        k.text[at] = before == '7' ? '8' : '7';
        write_text(&k, k.size);
        context_begin(k.f->ctx);
        table t = run_table(k.f, k.data, k.o, &s);
        assert_same(&t, &whole);
        assert_int_equal(s.calls, 1);
        k.text[at] = before;
    }
    close_kept(&k);
}

/* ---- background knowledge --------------------------------------------------------------------------------------- */

static void test_graph_against_knowledge(void **state)
{
    fixture *f = *state;
    nonsens_data *data = new_data(f, 1, PLAIN);
    nonsens_options *o = new_options(f, 0);
    static const struct {
        int64_t from, to;
        int type;
        bool forbidden[2], required, good; /* forbidden: a -> b, b -> a; required: a -> c */
    } cases[] = {
        {0, 1, NONSENS_EDGE_DIRECTED, {false, false}, false, true},
        {0, 1, NONSENS_EDGE_DIRECTED, {true, false}, false, false},
        {0, 1, NONSENS_EDGE_DIRECTED, {false, true}, false, true},
        {1, 0, NONSENS_EDGE_DIRECTED, {true, false}, false, true},
        {0, 1, NONSENS_EDGE_UNDIRECTED, {true, false}, false, false},
        {0, 1, NONSENS_EDGE_UNDIRECTED, {false, true}, false, false},
        {0, 1, NONSENS_EDGE_BIDIRECTED, {true, false}, false, true},
        {0, 1, NONSENS_EDGE_BIDIRECTED, {true, true}, false, false},
        {0, 2, NONSENS_EDGE_DIRECTED, {true, true}, true, true},
        {2, 0, NONSENS_EDGE_DIRECTED, {false, false}, true, false},
        {0, 2, NONSENS_EDGE_UNDIRECTED, {false, false}, true, false},
        {0, 1, NONSENS_EDGE_DIRECTED, {false, false}, true, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nonsens_result *r;
        knowledge k;
        assert_int_equal(result_new(f->ctx, data, o, "main", &r), NONSENS_OK);
        assert_int_equal(result_edge(f->ctx, r, cases[i].from, cases[i].to, cases[i].type, NAN, NAN), NONSENS_OK);
        assert_int_equal(knowledge_new(f->ctx, &f->scratch, D, &k), NONSENS_OK);
        if (cases[i].forbidden[0]) {
            knowledge_forbid(&k, 0, 1);
        }
        if (cases[i].forbidden[1]) {
            knowledge_forbid(&k, 1, 0);
        }
        if (cases[i].required) {
            knowledge_require(&k, 0, 2);
        }
        nonsens_status expected = cases[i].good ? NONSENS_OK : NONSENS_ERR_NUMERIC;
        assert_int_equal(run_check_knowledge(f->ctx, r, &k), expected);
        assert_int_equal(run_check_knowledge(f->ctx, r, NULL), NONSENS_OK);
        nonsens_result_free(r);
    }
    o->knowledge = "k";
    o->method = "lingam";
    nonsens_result *r;
    assert_int_equal(nonsens_run_discover(f->ctx, data, o, &r), NONSENS_ERR_USAGE);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "--knowledge: lingam does not use it"));
    nonsens_options_free(o);
    nonsens_data_free(data);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

typedef struct run_of {
    const nonsens_data *data;
    const nonsens_options *options;
} run_of;

static nonsens_status run_once(nonsens_context *ctx, arena *a, void *state)
{
    const run_of *run = state;
    followed s = {0};
    nonsens_result *r = NULL;
    (void)a;
    remove(run->options->journal); // otherwise each round would find the samples of the one before
    nonsens_status status = try_samples(ctx, run->data, run->options, &s, &r);
    nonsens_result_free(r);
    return status;
}

static void test_without_memory(void **state)
{
    static kept k;
    open_kept(*state, &k);
    k.o->bootstrap = 3;
    remove(k.path);
    run_of run = {k.data, k.o};
    assert_true(fail_every_allocation(k.f, run_once, &run) > 20);
    close_kept(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_rows),           TEST(test_rows_are_equally_likely),
        TEST(test_counts),         TEST(test_order_and_threads),
        TEST(test_resume),         TEST(test_more_samples),
        TEST(test_cancelled),      TEST(test_refusals),
        TEST(test_odd_lines),      TEST(test_journal_without_sums),
        TEST(test_changed_lines),  TEST(test_graph_against_knowledge),
        TEST(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
