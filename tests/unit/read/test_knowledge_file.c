/* test_knowledge_file.c - knowledge from text: what it means, what is refused, and the messages. */
#include "read/knowledge_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

static const char *const NAMES[] = {"b", "a", "X1", "X2", "blood pressure", "\xC3\xA4hre", "say \"hi\"", "S*"};
enum { A = 1, B = 0, X1 = 2, X2 = 3, BLOOD = 4, EAR = 5, HI = 6, STAR = 7, D = 8 };

static nonsens_status parse_bytes(fixture *f, const char *text, size_t size, knowledge *k)
{
    return knowledge_parse(f->ctx, &f->scratch, "k.txt", text, (int64_t)size, D, NAMES, k);
}

static knowledge parse(fixture *f, const char *text)
{
    knowledge k;
    nonsens_status status = parse_bytes(f, text, strlen(text), &k);
    if (status != NONSENS_OK) {
        print_error("%s\n", nonsens_context_message(f->ctx));
    }
    assert_int_equal(status, NONSENS_OK);
    assert_int_equal(knowledge_check(f->ctx, &k), NONSENS_OK);
    return k;
}

static void assert_refused(fixture *f, const char *text, const char *message)
{
    knowledge k;
    assert_int_equal(parse_bytes(f, text, strlen(text), &k), NONSENS_ERR_DATA);
    assert_string_equal(nonsens_context_message(f->ctx), message);
}

static int count_flags(const knowledge *k, int flag)
{
    int count = 0;
    for (int64_t i = 0; i < k->d * k->d; i++) {
        count += (k->flags[i] & flag) != 0;
    }
    return count;
}

/* ---- meaning ---------------------------------------------------------------------------------------------------- */

static void test_empty_sections(void **state)
{
    static const char *const text[] = {
        "/knowledge", "\xEF\xBB\xBF/knowledge\r\n",
        "// first\n\n  /knowledge  \naddtemporal\n\n1\n2*\n\nforbiddirect\n\nrequiredirect\n\n"
        "forbiddengroup\n\nrequiredgroup\n# end"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        knowledge k = parse(*state, text[i]);
        assert_int_equal(count_flags(&k, 3), 0);
    }
}

static void test_arrows(void **state)
{
    knowledge k = parse(*state, "/knowledge\nforbiddirect\na b\nrequiredirect\nX1 X2\n");
    assert_false(knowledge_allows(&k, A, B));
    assert_true(knowledge_allows(&k, B, A));
    assert_true(knowledge_requires(&k, X1, X2));
    assert_false(knowledge_allows(&k, X2, X1));
    assert_int_equal(count_flags(&k, KNOWLEDGE_FORBIDDEN), 2);
    assert_int_equal(count_flags(&k, KNOWLEDGE_REQUIRED), 1);
}

/* All pairs by hand: a comes before b and X1 (a closed tier), these before X2 (which only tier 2 may also cause). */
static void test_tiers(void **state)
{
    knowledge k = parse(*state, "/knowledge\naddtemporal\n1- a\n2* b X1\n2* X1\n3 X2\n");
    const int64_t node[] = {A, B, X1, X2};
    static const char allowed[4][5] = {".110", "0.01", "00.1", "000."};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            assert_int_equal(knowledge_allows(&k, node[i], node[j]), i == j || allowed[i][j] == '1');
        }
    }
    assert_int_equal(count_flags(&k, KNOWLEDGE_FORBIDDEN), 8); // the others have no tier
}

static void test_names(void **state)
{
    fixture *f = *state;
    knowledge k = parse(f, "/knowledge\nforbiddirect\na \"blood pressure\"\nblood pressure\tb\na\tblood pressure\n"
                           "\"say \"\"hi\"\"\" \xC3\xA4hre\n");
    assert_false(knowledge_allows(&k, A, BLOOD) || knowledge_allows(&k, BLOOD, B) || knowledge_allows(&k, HI, EAR));
    assert_int_equal(count_flags(&k, KNOWLEDGE_FORBIDDEN), 3);
    k = parse(f, "/knowledge\raddtemporal\r1\ta b\r2\tblood pressure\tX1 X2");
    assert_false(knowledge_allows(&k, BLOOD, A) || knowledge_allows(&k, X2, B));
    assert_int_equal(count_flags(&k, KNOWLEDGE_FORBIDDEN), 6);
}

static void test_patterns(void **state)
{
    fixture *f = *state;
    knowledge k = parse(f, "/knowledge\nforbiddirect\nX* X*\n* a\nS* b\n");
    assert_false(knowledge_allows(&k, X1, X2) || knowledge_allows(&k, X2, X1) || knowledge_allows(&k, STAR, B));
    assert_true(knowledge_allows(&k, HI, B)); // a variable called S* means only itself, and case matters
    assert_int_equal(count_flags(&k, KNOWLEDGE_FORBIDDEN), 2 + (D - 1) + 1);
    k = parse(f, "/knowledge\nrequiredirect\na *o*p*ur*\n");
    assert_int_equal(count_flags(&k, KNOWLEDGE_REQUIRED), 1);
    assert_true(knowledge_requires(&k, A, BLOOD));
    assert_refused(f, "/knowledge\nforbiddirect\na \"X*\"\n",
                   "knowledge file k.txt:3: there is no variable \"\"X*\"\" among the 8 of this run, \"S*\" to "
                   "\"\xC3\xA4hre\"; correct the name (one with blanks stands in double quotes) or drop it");
}

static void test_permute(void **state)
{
    fixture *f = *state;
    const int32_t order[D] = {A, B, X1, X2, BLOOD, EAR, HI, STAR};
    knowledge k = parse(f, "/knowledge\nrequiredirect\na X1"), reordered;
    assert_int_equal(knowledge_permute(f->ctx, &f->scratch, &k, order, &reordered), NONSENS_OK);
    assert_true(knowledge_requires(&reordered, 0, X1) && !knowledge_allows(&reordered, X1, 0));
    assert_int_equal(count_flags(&reordered, 3), 2);
}

/* ---- refusals --------------------------------------------------------------------------------------------------- */

static void test_broken_lines(void **state)
{
    fixture *f = *state;
    assert_refused(f, "",
                   "knowledge file k.txt:1: a knowledge file begins with a line /knowledge, and this one is empty");
    assert_refused(f, "#\n\na,b\n",
                   "knowledge file k.txt:3: a knowledge file begins with a line /knowledge, and this "
                   "one does not; write it first");
    assert_refused(f, "/knowledge\n1 a\n",
                   "knowledge file k.txt:2: \"1 a\" stands before any section; begin one with "
                   "addtemporal, forbiddirect or requiredirect");
    assert_refused(f, "/knowledge\r\naddtemporal\r\n\r\na b\r\n",
                   "knowledge file k.txt:4: a line of addtemporal begins with the number of its tier, such as 1 or 2*, "
                   "not with \"a\"; write the number, then the names");
    assert_refused(
        f, "/knowledge\nforbiddirect\na b # since\n",
        "knowledge file k.txt:3: an arrow is two names, the cause and then the effect, but here are 4; names "
        "with blanks stand in double quotes, comments on lines of their own");
    assert_refused(f, "/knowledge\nforbiddirect\na \"b\n",
                   "knowledge file k.txt:3: the quote that opens before \"b\" is "
                   "never closed; end the name with a quote");
    assert_refused(f, "/knowledge\nforbiddirect\n\"a\"b b\n",
                   "knowledge file k.txt:3: something follows at once on the "
                   "closing quote of \"\"a\"\"; put a blank between names");
    assert_refused(f, "/knowledge\nforbiddirect\na a\n",
                   "knowledge file k.txt:3: \"a a\" is an arrow from a variable to "
                   "itself; name two different ones");
    assert_refused(f, "/knowledge\nforbiddirect\na Y*\n",
                   "knowledge file k.txt:3: no variable matches \"Y*\"; correct "
                   "the pattern or drop the line");
    assert_refused(
        f, "/knowledge\nforbiddengroup\na b\n",
        "knowledge file k.txt:3: \"a b\": groups are not supported; write their arrows one by one (a name may "
        "have a *) into forbiddirect or requiredirect");
}

static void test_contradictions(void **state)
{
    fixture *f = *state;
    assert_refused(
        f, "/knowledge\nforbiddirect\nX1 b\n* b\nrequiredirect\na b\n",
        "knowledge file k.txt:6: the arrow from \"a\" to \"b\" is required here and forbidden on line 4; drop "
        "one of them");
    assert_refused(
        f, "/knowledge\nrequiredirect\nX2 a\naddtemporal\n1 a b\n2 X1 X2\n",
        "knowledge file k.txt:3: the arrow from \"X2\" to \"a\" is required here and forbidden by the tiers of "
        "lines 6 and 5; drop it or move one of the two");
    assert_refused(
        f, "/knowledge\nrequiredirect\nX2 a\na X2\n",
        "knowledge file k.txt:4: the arrow from \"a\" to \"X2\" is required here and the opposite one on line "
        "3; drop one of them");
    assert_refused(f, "/knowledge\nrequiredirect\na b\nb X1\nX1 X2\nX2 b\n",
                   "knowledge file k.txt:4: required arrows make a cycle: into \"X1\" on line 4, into \"b\" on line "
                   "6, into \"X2\" on line 5; drop one of them");
    assert_refused(f, "/knowledge\naddtemporal\n1 a b\n2 X1 a\n",
                   "knowledge file k.txt:4: \"a\" is in tier 2 here and in tier 1 on line 3; name it in one tier only");
    assert_refused(
        f, "/knowledge\naddtemporal\n1 a\n1* X1\n",
        "knowledge file k.txt:3: tier 1 has other marks (* or -) here than on line 4; write the same on both");
}

/* Bytes that no editor writes: NUL, invalid UTF-8, a line of a million bytes, endless numbers. */
static void test_odd_bytes(void **state)
{
    fixture *f = *state;
    enum { LONG = 1000000 };
    static char text[LONG];
    static const char nul[] = "/knowledge\nforbiddirect\na b\0\n", broken[] = "/knowledge\nforbiddirect\na \xFF\n";
    knowledge k;
    assert_int_equal(parse_bytes(f, nul, sizeof nul - 1, &k), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "k.txt:3: there is no variable \"b\\x00\""));
    assert_int_equal(parse_bytes(f, broken, sizeof broken - 1, &k), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "\"\\xff\""));
    memset(text, 'a', LONG);
    memcpy(text, "/knowledge\naddtemporal\n1 ", 25);
    assert_int_equal(parse_bytes(f, text, LONG, &k), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "k.txt:3: "));
    memset(text + 23, '9', LONG - 23);
    assert_int_equal(parse_bytes(f, text, LONG, &k), NONSENS_ERR_DATA);
    memset(text + 23, '*', LONG - 23);
    assert_int_equal(parse_bytes(f, text, LONG, &k), NONSENS_ERR_DATA);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static nonsens_status read_file(nonsens_context *ctx, arena *a, void *path)
{
    knowledge k;
    return knowledge_read(ctx, a, path, D, NAMES, &k);
}

static void test_files(void **state)
{
    fixture *f = *state;
    char path[] = "/tmp/nonsens-knowledge-XXXXXX";
    knowledge k;
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs("/knowledge\naddtemporal\n1 a b\n2* X*\nforbiddirect\na \"blood pressure\"\nrequiredirect\nb X1\n", file);
    for (int i = 0; i < 2000; i++) {
        fputs("// a line of words to make the file larger than a first buffer\n", file);
    }
    fclose(file);
    assert_int_equal(knowledge_read(f->ctx, &f->scratch, path, D, NAMES, &k), NONSENS_OK);
    assert_true(knowledge_requires(&k, B, X1) && !knowledge_allows(&k, A, BLOOD) && knowledge_separates(&k, X1, X2));
    assert_true(fail_every_allocation(f, read_file, path) > 3);
    remove(path);
    assert_int_equal(read_file(f->ctx, &f->scratch, path), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "no such file; check the path"));
    assert_int_equal(knowledge_read(f->ctx, &f->scratch, "/tmp", D, NAMES, &k), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "knowledge file /tmp: is a directory"));
    assert_int_equal(knowledge_read(f->ctx, &f->scratch, "/dev/zero", D, NAMES, &k), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "more than 16777216 bytes"));
    assert_int_equal(knowledge_read(f->ctx, &f->scratch, "-", D, NAMES, &k), NONSENS_ERR_DATA);
}

static void test_text_in_place_of_path(void **state)
{
    fixture *f = *state;
    knowledge k;
    const char *text = "/knowledge\nrequiredirect\nb X1\n", *wrong = "/knowledge\nrequiredirect\nb nobody\n";
    assert_int_equal(knowledge_read(f->ctx, &f->scratch, text, D, NAMES, &k), NONSENS_OK);
    assert_true(knowledge_requires(&k, B, X1));
    assert_int_equal(knowledge_read(f->ctx, &f->scratch, wrong, D, NAMES, &k), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "knowledge file (text):3: "));
    assert_int_equal(knowledge_read(f->ctx, &f->scratch, "/knowledge", D, NAMES, &k), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "no such file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_empty_sections),
        TEST(test_arrows),
        TEST(test_tiers),
        TEST(test_names),
        TEST(test_patterns),
        TEST(test_permute),
        TEST(test_broken_lines),
        TEST(test_contradictions),
        TEST(test_odd_bytes),
        TEST(test_files),
        TEST(test_text_in_place_of_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
