/* test_table.c - text tables and files: what is read, what is refused, and the messages (.npy: test_npy.c). */
#include "base/csv_cell.h"
#include "unit/table_fixture.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const table_options plain = {0}, headless = {.no_header = true};

static nonsens_status parse(fixture *f, const char *text, table_options options)
{
    return parse_bytes(f, "data.csv", text, strlen(text), options);
}

static void must_parse(fixture *f, const char *text, table_options options)
{
    if (parse(f, text, options) != NONSENS_OK) {
        print_error("%s\n", nonsens_context_message(f->ctx));
        fail();
    }
}

static void must_refuse(fixture *f, const char *text, table_options options, const char *message)
{
    check_message(f, parse(f, text, options), NONSENS_ERR_DATA, message);
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

static void test_simple(void **state)
{
    fixture *f = *state;
    must_parse(f, "a,b\n1,2.5\n-3e2,.5\n", plain);
    assert_int_equal(f->t.cols, 2);
    check_column(f, 0, "a", 2, (double[]){1.0, -300.0});
    check_column(f, 1, "b", 2, (double[]){2.5, 0.5});
    assert_int_equal(f->t.line[0], 2);
    assert_int_equal(f->t.line[1], 3);
    assert_int_equal(f->t.column[0].missing, 0);
    assert_int_equal(f->t.column[0].first_missing, -1);
    assert_string_equal(f->t.path, "data.csv");
}

static void test_delimiters(void **state)
{
    fixture *f = *state;
    static const char *const texts[] = {
        "a,b,c\n1,2,3\n4,5,6\n",
        "a\tb\tc\n1\t2\t3\n4\t5\t6\n",
        "a;b;c\n1;2;3\n4;5;6\n",
        "a b c\n1 2 3\n4 5 6\n",
        "  a   b c  \n 1  2    3\n4 5 6   ",
        " a , b,c \n 1 ,2 , 3\n4,\t5,6\n",
        "\"a\" \"b\" c\n1 \"2\" 3\n4 5 6\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        must_parse(f, texts[i], plain);
        assert_int_equal(f->t.cols, 3);
        check_column(f, 0, "a", 2, (double[]){1.0, 4.0});
        check_column(f, 1, "b", 2, (double[]){2.0, 5.0});
        check_column(f, 2, "c", 2, (double[]){3.0, 6.0});
    }
}

static void test_delimiter_choice(void **state)
{
    fixture *f = *state;
    must_parse(f, "first name,b\n1,2\n", plain); /* blanks do not count if there are commas */
    assert_string_equal(f->t.column[0].name, "first name");
    must_parse(f, "\"x,y\";b\n1;2\n", plain); /* delimiters in quotes do not count */
    assert_string_equal(f->t.column[0].name, "x,y");
    must_parse(f, "speed, max\tb\n1\t2\n", plain); /* the delimiter that occurs equally often in all rows wins */
    assert_string_equal(f->t.column[0].name, "speed, max");
    must_parse(f, "a\tb\n\t2\n3\t\n", plain); /* an empty cell before a tab is a cell, not a blank to skip */
    check_column(f, 0, "a", 2, (double[]){NAN, 3.0});
    check_column(f, 1, "b", 2, (double[]){2.0, NAN});
    must_parse(f, "a;b\n3;4\n1,5;2,5\n", plain);
    check_column(f, 0, "a", 2, (double[]){3.0, 1.5});
}

static void test_line_ends(void **state)
{
    fixture *f = *state;
    static const char *const texts[] = {
        "a,b\n1,2\n3,4",       "a,b\r\n1,2\r\n3,4\r\n",     "a,b\r1,2\r3,4\r",           "a,b\r\n1,2\n3,4\r",
        "a,b\n1,2\n3,4\n\n\n", "a,b\r\n1,2\r\n3,4\r\n\r\n", "a,b\r1,2\r3,4\r\r \r\t\r ", "\357\273\277a,b\n1,2\n3,4\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        must_parse(f, texts[i], plain);
        check_column(f, 0, "a", 2, (double[]){1.0, 3.0});
        check_column(f, 1, "b", 2, (double[]){2.0, 4.0});
        assert_int_equal(f->t.line[1], 3);
    }
}

static void test_quotes(void **state)
{
    fixture *f = *state;
    must_parse(f, "\"a \"\"b\"\"\",\"two\r\nlines\",s\n\"1\",\" 2 \",\"x,\ny\"\n3,4,\"say \"\"hi\"\"\"\n",
               (table_options){.label = "s"});
    assert_string_equal(f->t.column[0].name, "a \"b\"");
    assert_string_equal(f->t.column[1].name, "two\r\nlines");
    check_column(f, 0, "a \"b\"", 2, (double[]){1.0, 3.0});
    check_column(f, 1, "two\r\nlines", 2, (double[]){2.0, 4.0});
    assert_int_equal(f->t.line[0], 3);
    assert_int_equal(f->t.line[1], 5);
    assert_string_equal(f->t.column[2].labels[0], "x,\ny");
    assert_string_equal(f->t.column[2].labels[1], "say \"hi\"");
    must_parse(f, "s,x\n5\" pipe,1\n", (table_options){.label = "s"}); /* a quote inside a cell is a character */
    assert_string_equal(f->t.column[0].labels[0], "5\" pipe");
}

static void test_no_header(void **state)
{
    fixture *f = *state;
    must_parse(f, "1,2\n3,4\n", headless);
    check_column(f, 0, "c1", 2, (double[]){1.0, 3.0});
    check_column(f, 1, "c2", 2, (double[]){2.0, 4.0});
    assert_int_equal(f->t.line[0], 1);
    must_parse(f, "\n7\n", headless);
    check_column(f, 0, "c1", 2, (double[]){NAN, 7.0});
}

static void test_missing(void **state)
{
    fixture *f = *state;
    must_parse(f, "a,b,c\n1,,NA\nNA,nan,?\n NaN ,5,\nnull,\"\",na\n?,NULL,NaN\n-nan,\"NA\",Null\n", plain);
    check_column(f, 0, "a", 6, (double[]){1.0, NAN, NAN, NAN, NAN, NAN});
    check_column(f, 1, "b", 6, (double[]){NAN, NAN, 5.0, NAN, NAN, NAN});
    assert_int_equal(f->t.column[0].missing, 5);
    assert_int_equal(f->t.column[0].first_missing, 1);
    assert_int_equal(f->t.column[1].missing, 5);
    assert_int_equal(f->t.column[1].first_missing, 0);
    assert_int_equal(f->t.column[2].kind, COLUMN_TEXT); /* only missing cells */
    assert_null(f->t.column[2].value);
    assert_int_equal(f->t.column[2].missing, 6);
    must_parse(f, "a\n1\n\n3\n", plain); /* in a single column a blank line is a missing cell */
    check_column(f, 0, "a", 3, (double[]){1.0, NAN, 3.0});
    must_refuse(f, "a\n1\nNoon\n", plain, "data.csv:3:1 (column \"a\"): \"Noon\" is not a number");
    must_refuse(f, "a\n1\n??\n", plain, "\"??\" is not a number");
}

static void test_text_columns(void **state)
{
    fixture *f = *state;
    must_parse(f, "who,x,where\nann,1,Inf\nbob,2,\n,3,north\n", plain);
    assert_int_equal(f->t.column[0].kind, COLUMN_TEXT);
    assert_null(f->t.column[0].value);
    assert_int_equal(f->t.column[0].missing, 1);
    assert_int_equal(f->t.column[0].first_missing, 2);
    assert_int_equal(f->t.column[2].kind, COLUMN_TEXT);
    check_column(f, 1, "x", 3, (double[]){1.0, 2.0, 3.0});
}

/* Bad cells do not matter in columns that are not asked for. */
static void test_wanted_columns(void **state)
{
    fixture *f = *state;
    static const char *const wanted[] = {"a", "#3"};
    table_options options = {.wanted = wanted, .wanted_count = 2};
    static const char text[] = "a,note,c,d\n1,2,3,inf\n4,x,6,1\n";
    must_parse(f, text, options);
    check_column(f, 0, "a", 2, (double[]){1.0, 4.0});
    check_column(f, 2, "c", 2, (double[]){3.0, 6.0});
    for (int64_t j = 1; j < 4; j += 2) {
        assert_int_equal(f->t.column[j].kind, COLUMN_TEXT);
        assert_true(f->t.column[j].mixed);
        assert_false(f->t.column[j].asked);
        assert_null(f->t.column[j].value);
    }
    must_refuse(f, text, plain, "data.csv:2:4 (column \"d\"): \"inf\" is infinite");
    options.wanted_count = 0;
    must_parse(f, text, options);
    must_refuse(f, "a,note\n1,2\nx,3\n", (table_options){.wanted = wanted, .wanted_count = 2}, "data.csv:3:1");
}

static void test_first_text_is_kept(void **state)
{
    fixture *f = *state;
    must_parse(f, "s;a;b\nu;NA;x\nv;1,5;2\n",
               (table_options){.label = "s", .wanted = (const char *[]){"a"}, .wanted_count = 1});
    assert_string_equal(f->t.column[2].text_cell, "\"x\"");
    assert_int_equal(f->t.column[2].text_line, 2);
    must_parse(f, "a;b\none,two;3\n", plain);
    assert_string_equal(f->t.column[0].text_cell, "\"one,two\"");
    assert_null(f->t.column[0].text_hint);
    assert_null(f->t.column[1].text_cell);
}

static void test_labels(void **state)
{
    fixture *f = *state;
    must_parse(f, "x,seg\n1,1\n2, 1.0 \n3,01\n4,1\n5,NA\n6,\"1\"\n7,inf\n8,Ann\n9,ann\n",
               (table_options){.label = "seg"});
    const table_column *column = &f->t.column[1];
    static const int32_t expected[] = {0, 1, 2, 0, -1, 0, 3, 4, 5};
    static const char *const labels[] = {"1", "1.0", "01", "inf", "Ann", "ann"};
    assert_int_equal(column->label_count, 6);
    assert_null(column->value);
    assert_int_equal(column->missing, 1);
    assert_int_equal(column->first_missing, 4);
    assert_memory_equal(column->category, expected, sizeof expected);
    for (int k = 0; k < 6; k++) {
        assert_string_equal(column->labels[k], labels[k]);
    }
    assert_null(f->t.column[0].category);
    must_parse(f, "x,seg\n1,a\n", (table_options){.label = "#2"});
    assert_non_null(f->t.column[1].category);
    must_parse(f, "x,seg\n1,\n2,\n", (table_options){.label = "seg"});
    assert_int_equal(f->t.column[1].label_count, 0);
    nonsens_status status = parse(f, "x,seg\n1,a\n", (table_options){.label = "nocolumn"});
    check_message(f, status, NONSENS_ERR_DATA, "data.csv: no column \"nocolumn\"; it has 2 columns, \"x\" to \"seg\"");
    assert_int_equal(parse(f, "x,seg\n1,a\n", (table_options){.label = "#3"}), NONSENS_ERR_DATA);
}

static void test_find(void **state)
{
    fixture *f = *state;
    must_parse(f, "a,#1,b\n1,2,3\n", plain);
    assert_int_equal(table_find(&f->t, "b"), 2);
    assert_int_equal(table_find(&f->t, "#3"), 2);
    assert_int_equal(table_find(&f->t, "#1"), 1); /* names take precedence over numbers */
    static const char *const absent[] = {"", "#", "#0", "#4", "#-1", "#1x", "#99999999999999999999999", "A"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        assert_int_equal(table_find(&f->t, absent[i]), -1);
    }
}

static void test_refused_structure(void **state)
{
    fixture *f = *state;
    must_refuse(f, "", plain, "data.csv: the file is empty");
    must_refuse(f, "\n \r\n\n", plain, "data.csv: only blank lines");
    must_refuse(f, "\xEF\xBB\xBF", plain, "data.csv: only blank lines");
    must_refuse(f, "a,b\n", plain, "data.csv:1: a header but no rows");
    must_refuse(f, "\na,b\n1,2\n", plain, "data.csv:1: the first line is blank");
    must_refuse(f, "a,b\n1,2\n1,2,3,4\n", plain, "data.csv:3: 4 fields, but the header has 2 (separated by commas)");
    must_refuse(f, "a b c\n1 2 3\n1\n", plain, "data.csv:3: 1 field, but the header has 3 (separated by blanks)");
    must_refuse(f, "1;2\n1;2;\n", headless, "data.csv:2: 3 fields, but the first row has 2 (separated by semicolons)");
    must_refuse(f, "a,b\n1,2\n\n3,4\n", plain, "data.csv:3: a blank line inside the table");
    must_refuse(f, "a,b\n\"x\ny\",2\n1,2,3\n", plain, "data.csv:4: 3 fields");
    must_refuse(f, "a,b\n1,2\n3,\"4\n5,6\n", plain, "data.csv:3: a quote is opened but never closed");
    must_refuse(f, "a,\"b\n1,2\n", plain, "data.csv:1: a quote is opened but never closed");
    must_refuse(f, "a,b\n1,\"2\"3\n", plain, "data.csv:2: text behind the quoted cell \"2\"");
    must_refuse(f,
                "\xFF\xFE"
                "a",
                plain, "UTF-16");
    check_message(f, parse_bytes(f, "data.csv", "a,b\n1,\0\n", 8, plain), NONSENS_ERR_DATA, "data.csv:2: a NUL byte");
}

static void test_refused_names(void **state)
{
    fixture *f = *state;
    must_refuse(f, "a,b,a\n1,2,3\n", plain, "the column name \"a\" is used twice, for columns 1 and 3");
    must_refuse(f, "a,,b\n1,2,3\n", plain, "data.csv:1:2: column 2 has no name");
    must_refuse(f, "a,b,\n1,2,\n", plain, "column 3 has no name");
    must_refuse(f, "a\xE9,b\n1,2\n", plain, "the column name \"a\\xe9\" is not UTF-8");
    must_refuse(f, "a,b\n1,\xC0\xAF\n", (table_options){.label = "b"},
                "data.csv:2:2: the label \"\\xc0\\xaf\" is not UTF-8");
    must_parse(f, ",b\n1,2\n", plain); /* the first column, such as row numbers, may have no name */
    assert_string_equal(f->t.column[0].name, "c1");
    must_refuse(f, ",c1\n1,2\n", plain, "the column name \"c1\" is used twice");
    must_parse(f, "\xC3\xA9t\xC3\xA9,\xE6\xB8\xA9\n1,2\n", plain);
    assert_string_equal(f->t.column[0].name, "\xC3\xA9t\xC3\xA9");
}

static void test_refused_cells(void **state)
{
    fixture *f = *state;
    must_refuse(f, "a,b\n1,2\n3,abc\n", plain, "data.csv:3:2 (column \"b\"): \"abc\" is not a number; ");
    must_refuse(f, "a,b\n1,abc\n3,4\n", plain,
                "data.csv:2:2 (column \"b\"): \"abc\" is not a number; "); /* text first */
    must_refuse(f, "a,b\n1,x\nx,2\n", plain,
                "data.csv:2:2 (column \"b\")"); /* first in the file, though not in the first column */
    must_refuse(f, "a,b\n1,2\n3,inf\n", plain, "data.csv:3:2 (column \"b\"): \"inf\" is infinite");
    must_refuse(f, "a,b\n1,2\n3,-Infinity\n", plain, "\"-Infinity\" is infinite");
    must_refuse(f, "a,b\n1,2\n3,1e999\n", plain, "\"1e999\" is infinite");
    must_refuse(f, "a\ninf\ninf\n", plain, "data.csv:2:1 (column \"a\"): \"inf\" is infinite");
    must_refuse(f, "a\n1\n1 2\n", plain, "data.csv:3: 2 fields, but the header has 1");
    must_refuse(f, "a,b\n1,2\n\"x\ny\",3\n", plain, "data.csv:3:1 (column \"a\"): \"x\\x0ay\" is not a number");
    must_refuse(f, "a,b\r1,2\r0x10,3\r", plain, "data.csv:3:1 (column \"a\"): \"0x10\" is not a number");
    must_refuse(f, "a,b\n1,2\n\"q\nr\ns\",2\n3,z\n", plain, "data.csv:3:1");
    must_refuse(f, "a,b\n1,2\n\x1b[31m,2\n", plain, "\"\\x1b[31m\" is not a number");
    must_refuse(f, "a,b\n1,2\n\xC3\xA9\xE9,2\n", plain, "\"\xC3\xA9\\xe9\" is not a number");
    must_refuse(f, "a,b\n1,2\n0123456789012345678901234567890123456789x123,2\n", plain,
                "\"0123456789012345678901234567890123456789\"... is not a number");
}

/* The longest escapes must fit into the message. */
static void test_shown_text_fits(void **state)
{
    fixture *f = *state;
    char text[4096] = "a,b\n1,2\n";
    for (int i = 0; i < 100; i++) {
        strcat(text, "\xF0\x9F\x98\x80");
    }
    strcat(text, ",1\n");
    must_refuse(f, text, plain, "\"... is not a number");
    char *cell = strstr(text, "\xF0");
    memset(cell, 1, 400);
    must_refuse(f, text, plain, "\\x01\"... is not a number");
}

/* ---- size ------------------------------------------------------------------------------------------------------ */

static double seconds_used(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static const double seconds_allowed = 5.0; /* linear time takes far less than a second, quadratic time minutes */

static void test_many_columns(void **state)
{
    enum { COLUMNS = 1000000 };
    fixture *f = *state;
    char *text = malloc((size_t)COLUMNS * 16);
    size_t used = 0;
    for (int j = 0; j < COLUMNS; j++) {
        used += (size_t)sprintf(text + used, "v%d%c", j, j + 1 < COLUMNS ? ',' : '\n');
    }
    for (int row = 0; row < 2; row++) {
        for (int j = 0; j < COLUMNS; j++) {
            text[used++] = (char)('0' + (j + row) % 10);
            text[used++] = j + 1 < COLUMNS ? ',' : '\n';
        }
    }
    double start = seconds_used();
    assert_int_equal(parse_bytes(f, "wide.csv", text, used, plain), NONSENS_OK);
    assert_int_equal(f->t.cols, COLUMNS);
    assert_int_equal(f->t.rows, 2);
    assert_string_equal(f->t.column[COLUMNS - 1].name, "v999999");
    assert_true(f->t.column[COLUMNS - 1].value[1] == 0.0);
    nonsens_status status = parse_bytes(f, "wide.csv", text, used - 3, plain);
    check_message(f, status, NONSENS_ERR_DATA, "wide.csv:3: 999999 fields, but the header has 1000000");
    assert_true(seconds_used() - start < seconds_allowed);
    free(text);
}

/* Many lines under a wide header: memory must be proportional to the size of the file, not to lines times columns. */
static void test_many_short_rows(void **state)
{
    enum { BYTES = 2000000 };
    fixture *f = *state;
    char *text = malloc(BYTES);
    size_t used = 0;
    for (int j = 0; j < 100000; j++) {
        used += (size_t)sprintf(text + used, "%d,", j);
    }
    text[used - 1] = '\n';
    memset(text + used, '\n', BYTES - used);
    for (size_t i = used; i < BYTES; i += 2) {
        text[i] = '1';
    }
    check_message(f, parse_bytes(f, "bad.csv", text, BYTES, plain), NONSENS_ERR_DATA, "bad.csv:2: 1 field, but");
    free(text);
}

static void test_many_labels(void **state)
{
    enum { ROWS = 300000 };
    fixture *f = *state;
    char *text = malloc((size_t)ROWS * 24);
    size_t used = (size_t)sprintf(text, "seg,x\n");
    for (int i = 0; i < ROWS; i++) {
        used += (size_t)sprintf(text + used, "%d,%d\n", i % (ROWS - 1) * 7, i);
    }
    double start = seconds_used();
    assert_int_equal(parse_bytes(f, "long.csv", text, used, (table_options){.label = "seg"}), NONSENS_OK);
    assert_true(seconds_used() - start < seconds_allowed);
    assert_int_equal(f->t.column[0].label_count, ROWS - 1);
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(f->t.column[0].category[i], i % (ROWS - 1));
    }
    assert_string_equal(f->t.column[0].labels[ROWS - 2], "2099986");
    free(text);
}

static void test_long_cells(void **state)
{
    enum { BYTES = 3000000 };
    fixture *f = *state;
    static char text[BYTES + 64];
    size_t used = (size_t)sprintf(text, "a,s\n0.");
    memset(text + used, '3', BYTES);
    used += BYTES;
    used += (size_t)sprintf(text + used, ",x\n");
    assert_int_equal(parse_bytes(f, "long.csv", text, used, (table_options){.label = "s"}), NONSENS_OK);
    check_column(f, 0, "a", 1, (double[]){1.0 / 3.0});
    used = (size_t)sprintf(text, "a,s\n1,\"");
    memset(text + used, '"', BYTES); /* BYTES is even, and two of these bytes make one quote */
    used += BYTES;
    used += (size_t)sprintf(text + used, "\"\n");
    assert_int_equal(parse_bytes(f, "long.csv", text, used, (table_options){.label = "s"}), NONSENS_OK);
    assert_int_equal(strlen(f->t.column[1].labels[0]), BYTES / 2);
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

static nonsens_status read_path(fixture *f, const char *path)
{
    arena_free(&f->a);
    return table_read(f->ctx, &f->a, path, NULL, &f->t);
}

static void test_files(void **state)
{
    fixture *f = *state;
    char path[] = "/tmp/nonsens-table-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    check_message(f, read_path(f, path), NONSENS_ERR_DATA, "the file is empty");
    assert_int_equal(write(descriptor, "a,b\n1,2\n", 8), 8);
    assert_int_equal(read_path(f, path), NONSENS_OK);
    check_column(f, 1, "b", 1, (double[]){2.0});
    assert_string_equal(f->t.path, path);
    if (geteuid() != 0) { /* the superuser may read everything */
        assert_int_equal(fchmod(descriptor, 0), 0);
        check_message(f, read_path(f, path), NONSENS_ERR_DATA, "no permission");
    }
    close(descriptor);
    unlink(path);
    check_message(f, read_path(f, path), NONSENS_ERR_DATA, "no such file");
    assert_non_null(strstr(nonsens_context_message(f->ctx), path));
    check_message(f, read_path(f, "/tmp"), NONSENS_ERR_DATA, "/tmp: is a directory");
    check_message(f, read_path(f, "/dev/null"), NONSENS_ERR_DATA, "/dev/null: the file is empty");
    check_message(f, read_path(f, "/proc/self/mem"), NONSENS_ERR_DATA, "/proc/self/mem: cannot be read");
}

/* Standard input is a pipe here: its size is unknown, and the buffer has to grow. */
static void test_standard_input(void **state)
{
    enum { ROWS = 40000 };
    fixture *f = *state;
    FILE *whole = tmpfile();
    assert_non_null(whole);
    fprintf(whole, "x,y\n");
    for (int i = 0; i < ROWS; i++) {
        fprintf(whole, "%d,%d.5\n", i, -i);
    }
    fflush(whole);
    rewind(whole);
    char command[64];
    int saved = dup(STDIN_FILENO);
    snprintf(command, sizeof command, "cat <&%d", fileno(whole));
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    dup2(fileno(pipe), STDIN_FILENO);
    nonsens_status status = read_path(f, "-");
    dup2(saved, STDIN_FILENO);
    close(saved);
    pclose(pipe);
    fclose(whole);
    assert_int_equal(status, NONSENS_OK);
    assert_int_equal(f->t.rows, ROWS);
    assert_string_equal(f->t.path, "standard input");
    assert_true(f->t.column[0].value[ROWS - 1] == ROWS - 1);
    assert_true(f->t.column[1].value[ROWS - 1] == -(ROWS - 1) - 0.5);
}

/* ---- failing allocations, cancelling, mutations ---------------------------------------------------------------- */

static nonsens_status read_text(fixture *f)
{
    static char text[200000];
    size_t used = (size_t)sprintf(text, "s,x,\"y\"\"z\"\n");
    for (int i = 0; i < 3000; i++) {
        used += (size_t)sprintf(text + used, "\"label \"\"%d\"\"\",%d,%d\n", i, i, -i);
    }
    return parse_bytes(f, "a.csv", text, used, (table_options){.label = "s"});
}

static nonsens_status read_file_bytes(fixture *f)
{
    char path[] = "/tmp/nonsens-table-XXXXXX";
    int descriptor = mkstemp(path);
    assert_int_equal(write(descriptor, "a,b\n1,2\n", 8), 8);
    close(descriptor);
    nonsens_status status = read_path(f, path);
    unlink(path);
    return status;
}

static void test_no_memory(void **state)
{
    fixture *f = *state;
    assert_true(fail_each_allocation(f, read_text) >= 5);
    assert_int_equal(f->t.column[0].label_count, 3000);
    assert_true(fail_each_allocation(f, read_file_bytes) >= 2);
    assert_true(f->t.column[1].value[0] == 2.0);
}

static void test_cancel(void **state)
{
    fixture *f = *state;
    nonsens_context_cancel(f->ctx);
    assert_int_equal(parse(f, "a,b\n1,2\n", plain), NONSENS_CANCELLED);
    assert_int_equal(read_path(f, "/dev/null"), NONSENS_CANCELLED);
}

static void test_mutations(void **state)
{
    enum { TRIES = 6000 };
    fixture *f = *state;
    static const char *const texts[] = {
        "a,b,s\n1,2,x\n3,NA,y\n-1.5e3,,\"z \"\"q\"\"\"\n4,5,\"u\nv\"\n",
        "\357\273\277a;b\r\n1;\"2\"\r\n3;?\r\n\r\n",
        " a  b c\n1 2   3\n4 5 \"6\"\n",
        "a\tb\r1\t2\r\t3\r",
    };
    rng r = rng_new(7, RNG_TEST, 6);
    int good = 0;
    for (int i = 0; i < TRIES; i++) {
        const char *text = texts[i % 4];
        mutate_one(f, &r, "m.csv", text, strlen(text), &good);
    }
    assert_in_range(good, 1, TRIES - 1); /* some stay readable, others do not */
}

/* ---- cells that look like formulas ------------------------------------------------------------------------------- */

static void print_cell(const char *text, char cell[64])
{
    FILE *stream = fmemopen(cell, 64, "w");
    assert_non_null(stream);
    csv_cell_print(stream, "", text);
    fputc('\0', stream);
    assert_int_equal(fclose(stream), 0);
}

static void test_formulas(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"=1+1", "'=1+1"},   {"+x", "'+x"},       {"-x", "'-x"},         {"@SUM(A1)", "'@SUM(A1)"},
        {"\tx", "\"'\tx\""}, {"\rx", "\"'\rx\""}, {"=a,b", "\"'=a,b\""}, {"'=x", "''=x"},
        {"''-x", "'''-x"},   {"-3", "-3"},        {"-3.2", "-3.2"},      {"+1e5", "+1e5"},
        {"-3 ", "\"-3 \""},  {"'-3", "''-3"},     {"-3-4", "'-3-4"},     {"-inf", "'-inf"},
        {"'", "'"},          {"'x", "'x"},        {"x=1", "x=1"},        {"=\"x\"", "\"'=\"\"x\"\"\""},
        {"-", "'-"},         {"#=", "\"#=\""},    {"a;b", "\"a;b\""},
    };
    char cell[64];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        print_cell(cases[k][0], cell);
        assert_string_equal(cell, cases[k][1]);
    }
}

/* Every text of up to four of these characters, as a name and as a label; blanks at either end are never kept. */
static void test_every_text_comes_back(void **state)
{
    static const char letters[] = "'=-+@3.e\",\t\r\n a";
    enum { LETTERS = sizeof letters - 1, LIMIT = 4 };
    fixture *f = *state;
    char text[LIMIT + 1], cell[64], file[256];
    for (int number = 1; number < LETTERS * LETTERS * LETTERS * LETTERS; number++) {
        int length = 0;
        for (int rest = number; rest > 0; rest /= LETTERS) {
            text[length++] = letters[rest % LETTERS];
        }
        text[length] = '\0';
        if (text[0] == ' ' || strchr(" \t", text[length - 1])) {
            continue;
        }
        print_cell(text, cell);
        snprintf(file, sizeof file, "v,%s\n1,%s\n2,z\n", cell, cell);
        must_parse(f, file, (table_options){.label = "#2"});
        assert_string_equal(f->t.column[1].name, text);
        assert_string_equal(f->t.column[1].labels[0], text);
        bool quoted = cell[0] == '"';
        double value;
        bool is_number = number_parse(text, text + length, &value) == text + length;
        assert_true(is_number || !strchr("=+-@\t\r", cell[quoted]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_simple),
        TEST(test_delimiters),
        TEST(test_delimiter_choice),
        TEST(test_line_ends),
        TEST(test_quotes),
        TEST(test_no_header),
        TEST(test_missing),
        TEST(test_text_columns),
        TEST(test_labels),
        TEST(test_find),
        TEST(test_refused_structure),
        TEST(test_refused_names),
        TEST(test_refused_cells),
        TEST(test_shown_text_fits),
        TEST(test_many_columns),
        TEST(test_many_short_rows),
        TEST(test_many_labels),
        TEST(test_long_cells),
        TEST(test_files),
        TEST(test_standard_input),
        TEST(test_no_memory),
        TEST(test_cancel),
        TEST(test_formulas),
        TEST(test_every_text_comes_back),
        TEST(test_wanted_columns),
        TEST(test_first_text_is_kept),
        TEST(test_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
