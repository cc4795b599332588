#!/usr/bin/python3
"""make_careless.py HEADER OUT - writes the calls of test_careless.c, all derived from the public header.

Each function of the header is called once with valid arguments, and then once for every mistake that a caller can make
in one argument: NULL for a pointer, for an element of a list or for a function of a struct; an empty string in a list;
a count, an index, a stride, a mask or an enum out of range.  The header says what to expect: a pointer or a count that
its comment lists after "May be NULL:" or "May be 0:" is allowed, everything else is an error.

If the tables below do not cover a function, argument or type, the program stops and says what to add.
"""
import re
import sys

# What an integer means, by the name of the argument or struct field.
COUNTS = {'n', 'd', 'rows', 'columns', 'labels', 'count', 'variables', 'size', 'bytes', 'members'}
INDICES = {'x', 'y', 'index', 'variable', 'segment', 'node', 'source', 'distance', 'member'}
STRIDES = {'row_stride', 'column_stride', 'stride'}
# Lists of indices, with values that are wrong in the calls below; and lists whose elements may be any number.
INDEX_LISTS = {'category': ['-1', '2', 'INT32_MAX'], 'given': ['-1', '0', 'INT64_MAX']}
FREE_LISTS = {'segment'}
# Masks and enums, with their wrong values.
CHOICES = {'wanted': ['2'], 'command': ['0', '3', '1u << 30', 'UINT_MAX'], 'commands': ['0'], 'detail': ['4', 'UINT_MAX'],
           'format': ['0', '-1', '99']}

# Valid values, by "function.argument" or by argument.  Their names are defined in test_careless.c.
VALUES = {
    'n': '4', 'd': '2', 'rows': '4', 'columns': '2', 'labels': '2', 'count': '1', 'variables': '3',
    'row_stride': '2', 'column_stride': '1', 'x': '0', 'y': '1', 'index': '0', 'variable': '0', 'segment': '0',
    'node': '0', 'source': '0', 'distance': '0', 'detail': 'NONSENS_TEXT_ALL', 'format': 'NONSENS_GRAPH_DOT',
    'command': 'NONSENS_COMMAND_ICA', 'commands': 'NONSENS_COMMAND_ICA', 'size': 'sizeof graph_text - 1',
    'wanted': '0', 'key': '"seed"', 'value': '"1"', 'name': '"a graph"', 'nonsens_method_find.name': '"lingam"',
    'path': 'output_file', 'column': 'NULL', 'journal': 'NULL', 'sources': 'NULL',
    'fn': 'a_test', 'nonsens_context_set_progress.fn': 'a_progress',
    'nonsens_journal_merge.path': 'merged_file',
    'nonsens_context_set_members.members': 'NULL',
    'nonsens_data_read.path': 'table_file', 'nonsens_graph_read.path': 'graph_file',
    'nonsens_report_write_html.result': 'result_file', 'nonsens_data_read_files.count': '2',
    'nonsens_run_pairs.options': 'options_for_pairs()', 'nonsens_run_explain_all.options': 'options_for_segments()',
    'nonsens_comparison_new.truth': 'another_graph',
    'nonsens_result_write_graph.result': 'a_graph_result', 'nonsens_result_edge_count.result': 'a_graph_result',
    'nonsens_result_edge_at.result': 'a_graph_result', 'nonsens_result_order.result': 'a_graph_result',
    'nonsens_result_write_html.result': 'a_graph_result',
    'nonsens_result_is_unfinished.result': 'a_graph_result',
    'explanations': 'some_explanations',
    'nonsens_result_change_count.result': 'an_explanation', 'nonsens_result_change_at.result': 'an_explanation',
    'nonsens_result_effect_count.result': 'an_effect', 'nonsens_result_effect_at.result': 'an_effect',
    'nonsens_result_quartile_effect_count.result': 'all_effects',
    'nonsens_result_quartile_effect_at.result': 'all_effects',
    'nonsens_result_counterfactual_count.result': 'a_counterfactual',
    'nonsens_result_counterfactual_at.result': 'a_counterfactual',
    'nonsens_result_target_change.result': 'an_explanation',
    'nonsens_result_source_count.result': 'some_sources', 'nonsens_result_source_at.result': 'some_sources',
    'nonsens_result_write_sources.result': 'some_sources', 'nonsens_result_unmixing.result': 'some_sources',
    'nonsens_result_mixing.result': 'some_sources',
}

# Valid lists, by the same keys, element by element; each ends at the end of a memory page.
LISTS = {
    'values': ['1.5', '9.0', '2.5', '7.5', '4.0', '8.0', '3.0', '6.0'], 'given': ['2'],
    'nonsens_journal_merge.files': ['journal_file'],
    'category': ['0', '0', '1', '1'],
    'segment': ['7', '7', '8', '8'], 'names': ['"a"', '"b"'], 'label': ['"s"', '"t"'], 'bytes': ['graph_text'],
    'paths': ['table_file', 'second_file'], 'files': ['table_file'],
    'column': ['{"a", numbers, 1}', '{"b", numbers + 4, 1}'],
}

# What a function without a status returns for a NULL object or an index out of range, if the header says so.
NEUTRAL = {'nonsens_result_kind': 'NONSENS_KIND_NONE', 'nonsens_context_message': None, 'nonsens_context_warning': None}
# Functions that may return that value for a valid call, too.
MAY_BE_NEUTRAL = {'nonsens_context_message', 'nonsens_result_reason', 'nonsens_data_note_at', 'nonsens_data_note_count',
                  'nonsens_data_warning_count', 'nonsens_data_warning_at',
                  'nonsens_result_firm', 'nonsens_result_alternative_count', 'nonsens_result_alternative_at',
                  'nonsens_result_opinion_count', 'nonsens_result_opinion_at',
                  'nonsens_result_target_count', 'nonsens_result_target_at', 'nonsens_result_is_unfinished',
                  'nonsens_explains_all'}


def give_up(sentence):
    sys.exit('make_careless.py: ' + sentence)


# ---- the header ----


class Argument:
    def __init__(self, text):
        found = re.fullmatch(r'(.*?)(\w+)', text.strip())
        self.type, self.name = ' '.join(found.group(1).split()), found.group(2)


class Function:
    def __init__(self, comment, returns, name, arguments):
        self.comment, self.name = ' '.join(comment.replace('\n *', '\n').split()), name
        self.returns = ' '.join(returns.split())
        self.arguments = [] if arguments.strip() == 'void' else [Argument(one) for one in arguments.split(',')]
        self.has_status = self.returns == 'nonsens_status'

    def allows(self, words, argument):
        lists = re.findall(words + r': ([\w, ]+)', self.comment)
        return any(argument.name in re.split(r', ', one) for one in lists)

    def find(self, table, argument):
        """Returns the table's entry for the argument: of this function, or else of all functions."""
        return table.get('%s.%s' % (self.name, argument.name), table.get(argument.name))


def read_functions(header):
    pattern = r'(?:/\*((?:(?!\*/).)*)\*/\n)?NONSENS_API ([\w ]+?[ *]+)(\w+)\(([^;]*)\);'
    functions = [Function(comment or '', returns, name, arguments)
                 for comment, returns, name, arguments in re.findall(pattern, header, re.S)]
    if len(functions) != header.count('NONSENS_API ') - header.count('define NONSENS_API '):
        give_up('a declaration of the header cannot be read; write it as the others are')
    return functions


def read_structs(header):
    """Returns for each struct's name its fields as (type, name, comment); functions have the type 'function'."""
    structs = {}
    for body, name in re.findall(r'typedef struct \w+ \{\n(.*?)\n\} (\w+);', header, re.S):
        fields = []
        for text, comment in re.findall(r'([^;]+);[ ]*(?:/\*(.*?)\*/)?', re.sub(r'^\s*/\*.*?\*/\n', '', body,
                                                                             flags=re.S | re.M)):
            pointer = re.search(r'\(\*(\w+)\)', text)
            if pointer:
                fields.append(('function', pointer.group(1), comment))
                continue
            first, *others = text.split(',')
            argument = Argument(first)
            fields += [(argument.type, one.strip(), comment) for one in [argument.name] + others]
        structs[name] = fields
    return structs


# ---- one function ----


class Calls:
    """The calls of one function: declarations of its arguments, and the mistakes, each a case of a switch."""

    def __init__(self, function, structs):
        self.function, self.structs = function, structs
        self.declarations, self.after, self.cases = [], [], []
        self.add('VALID', 'valid arguments', '')
        for argument in function.arguments:
            self.take(argument)

    def add(self, expected, mistake, statement):
        self.cases.append((expected, mistake, statement))

    def declare(self, text, *arguments):
        self.declarations.append(text % arguments)

    def refuse(self, mistake, statement, neutral=True):
        expected = 'REFUSED' if self.function.has_status else 'NEUTRAL' if neutral else 'ANYTHING'
        self.add(expected, mistake, statement)

    def null(self, argument):
        if self.function.allows('May be NULL', argument):
            self.add('VALID', argument.name + ' is NULL', argument.name + ' = NULL;')
        else:
            self.refuse(argument.name + ' is NULL', argument.name + ' = NULL;')

    def value(self, argument):
        value = self.function.find(VALUES, argument)
        if value is None:
            give_up('%s: what is a valid %s? Add it to VALUES' % (self.function.name, argument.name))
        return value

    def take(self, a):
        is_list = a.type.startswith('const ') and self.function.find(LISTS, a) is not None and a.type != 'const char *'
        if a.name == 'ctx':
            self.take_context(a)
        elif a.type == 'void *':
            self.declare('void *%s = NULL;', a.name)
        elif is_list or (a.name, a.type) == ('bytes', 'const char *'):
            self.take_list(a)
        elif re.fullmatch(r'nonsens_\w+ \*\*', a.type):
            self.take_out(a)
        elif re.fullmatch(r'(const )?nonsens_\w+ \*', a.type):
            self.take_object(a)
        elif a.type in ('double *', 'int *', 'int64_t *'):
            self.declare('%s%s_place = 0, *%s = &%s_place;', a.type[:-1], a.name, a.name, a.name)
            self.null(a)
        elif a.type == 'const char **':
            self.declare('const char *%s_place = NULL, **%s = &%s_place;', a.name, a.name, a.name)
            self.after.append('judge_out(status, %s_place);' % a.name)
            self.null(a)
        elif a.type == 'const char *' or a.type.endswith('_fn'):
            self.take_text(a)
        elif a.type in ('int64_t', 'size_t', 'unsigned', 'int') or a.name in CHOICES:
            self.take_integer(a)
        else:
            give_up('%s: arguments of the type %s are new; write how they are made' % (self.function.name, a.type))

    def take_context(self, a):
        is_free = self.function.name.endswith('_free')
        self.declare('nonsens_context *ctx = %s;',
                     'k == 0 ? nonsens_context_new() : NULL' if is_free else 'new_context()')
        self.add('NO_CONTEXT' if self.function.has_status else 'NEUTRAL', 'ctx is NULL', 'ctx = NULL;')

    def take_object(self, a):
        kind = a.type.replace('const ', '').rstrip('* ')
        if self.function.name == kind + '_free':
            self.declare('%s *%s = k == 0 ? new_%s() : NULL;', kind, a.name, kind[len('nonsens_'):])
            self.add('ANYTHING', a.name + ' is NULL', '')
            return
        value = self.function.find(VALUES, a)
        if value is None and kind == 'nonsens_options':
            command = re.findall(r'options of (NONSENS_COMMAND_\w+)', self.function.comment)
            value = 'options_of(%s)' % (command[0] if command else 'NONSENS_COMMAND_DISCOVER')
        self.declare('%s%s = %s;', a.type, a.name, value or 'a_' + kind[len('nonsens_'):])
        self.null(a)

    def take_out(self, a):
        kind = a.type.rstrip('* ')
        self.declare('%s *%s_place = NULL, **%s = &%s_place;', kind, a.name, a.name, a.name)
        self.after += ['judge_out(status, %s_place);' % a.name, '%s_free(%s_place);' % (kind, a.name)]
        self.null(a)

    def take_text(self, a):
        value = self.value(a)
        self.declare('%s%s%s = %s;', a.type, '' if a.type[-1] == '*' else ' ', a.name, value)
        if value != 'NULL' or not self.function.allows('May be NULL', a):
            self.null(a)
        if a.type == 'const char *':
            self.add('ANYTHING', a.name + ' is empty', a.name + ' = "";')

    def take_list(self, a):
        element = a.type[len('const '):-1].strip() if a.type != 'const char *const *' else 'const char *'
        items = self.function.find(LISTS, a)
        if element == 'char':
            self.declare('const char *%s = guarded(%s, sizeof %s - 1);', a.name, items[0], items[0])
            self.null(a)
            return
        space = '' if element[-1] == '*' else ' '
        self.declare('%s%s%s_items[] = {%s};', element, space, a.name, ', '.join(items))
        self.declare('%s%s*%s = guarded(%s_items, sizeof %s_items);', element, space, a.name, a.name, a.name)
        self.null(a)
        for k in range(len(items)):
            self.take_element(a, '%s[%d]' % (a.name, k), element, items[k])

    def take_element(self, a, place, element, item):
        if element in self.structs:
            for field in self.structs[element]:
                self.take_field(place, *field)
        elif element == 'const char *' and item != 'NULL':
            self.refuse(place + ' is NULL', place + ' = NULL;', neutral=False)
            self.refuse(place + ' is empty', place + ' = "";', neutral=False)
        elif element == 'double':
            self.refuse(place + ' is not a number', place + ' = NAN;', neutral=False)
        elif a.name in INDEX_LISTS:
            self.mistakes(place, INDEX_LISTS[a.name])
        elif item != 'NULL' and a.name not in FREE_LISTS:
            give_up('%s: what may stand in %s? Add it to INDEX_LISTS or FREE_LISTS' % (self.function.name, a.name))

    def take_field(self, place, kind, name, comment):
        place += '.' + name
        if kind == 'function' or (kind.endswith('*') and kind != 'void *'):
            allowed = 'May be NULL' in (comment or '')
            self.add('VALID' if allowed else 'REFUSED', place + ' is NULL', place + ' = NULL;')
        if kind == 'const char *':
            self.add('REFUSED', place + ' is empty', place + ' = "";')
        elif name in STRIDES:
            self.mistakes(place, ['INT64_MAX', 'INT64_MIN'])
        elif name in COUNTS:
            self.mistakes(place, ['-1', '0', 'INT_MAX'])
        elif name in INDICES:
            self.mistakes(place, ['-1', 'INT_MAX'])
        elif kind in ('int', 'int64_t', 'unsigned'):
            give_up('what is %s? Add it to COUNTS, INDICES or STRIDES' % place)

    def mistakes(self, place, values):
        for value in values:
            self.refuse('%s is %s' % (place, value), '%s = %s;' % (place, value))

    def take_integer(self, a):
        self.declare('%s %s = %s;', a.type, a.name, self.value(a))
        if a.name in CHOICES:
            self.mistakes(a.name, CHOICES[a.name])
        elif a.name in COUNTS:
            self.take_count(a)
        elif a.name in INDICES:
            self.mistakes(a.name, ['SIZE_MAX'] if a.type == 'size_t' else ['-1', 'INT64_MAX', 'INT64_MIN'])
        elif a.name in STRIDES:
            self.mistakes(a.name, ['INT64_MAX', 'INT64_MIN'])
        else:
            give_up('%s: what is %s? Add it to COUNTS, INDICES, STRIDES or CHOICES' % (self.function.name, a.name))

    def take_count(self, a):
        if self.function.allows('May be 0', a):
            self.add('VALID', a.name + ' is 0', a.name + ' = 0;')
        else:
            self.mistakes(a.name, ['0'])
        above = '(%s)NONSENS_MAX_COUNT + 1' % a.type
        self.mistakes(a.name, [above, 'SIZE_MAX'] if a.type == 'size_t' else ['-1', above, 'INT64_MAX', 'INT64_MIN'])

    # ---- as C ----

    def judge(self):
        """Returns the statements that make the call and judge its result."""
        f = self.function
        call = '%s(%s)' % (f.name, ', '.join(a.name for a in f.arguments))
        if f.has_status:
            return ['nonsens_status status = %s;' % call, 'judge_status(ctx, status);'] + self.after
        if f.returns == 'void':
            return [call + ';', 'judge_nothing();']
        maybe = 'true' if f.name in MAY_BE_NEUTRAL else 'false'
        if f.name in NEUTRAL and NEUTRAL[f.name] is None:
            return ['judge_pointer(%s, true, false);' % call]
        if f.name == 'nonsens_context_new':
            return ['nonsens_context *made = %s;' % call, 'judge_pointer(made, false, true);',
                    'nonsens_context_free(made);']
        if f.returns.endswith('*'):
            return ['judge_pointer(%s, %s, true);' % (call, maybe)]
        if f.returns == 'double':
            return ['judge_number(%s);' % call]
        return ['judge_integer((int64_t)%s, %s, %s);' % (call, NEUTRAL.get(f.name, '0'), maybe)]

    def write(self):
        f = self.function
        lines = ['static bool call_%s(int k)' % f.name, '{', '    if (k >= %d) {' % len(self.cases),
                 '        return false;', '    }'] + ['    ' + line for line in self.declarations]
        lines += ['    switch (k) {']
        for k, (expected, mistake, statement) in enumerate(self.cases):
            lines += ['    case %d:' % k, '        expect(%s, "%s", "%s");' % (expected, f.name, mistake)]
            lines += ['        ' + statement] if statement else []
            lines += ['        break;']
        lines += ['    }'] + ['    ' + line for line in self.judge()] + ['    return true;', '}', '']
        return lines


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        header = file.read()
    functions, structs = read_functions(header), read_structs(header)
    lines = ['/* Written by make_careless.py. */', '']
    for function in functions:
        lines += Calls(function, structs).write()
    lines += ['static const struct function {', '    const char *name;', '    bool (*call)(int k);', '} FUNCTION[] = {']
    lines += ['    {"%s", call_%s},' % (f.name, f.name) for f in functions] + ['};', '']
    with open(sys.argv[2], 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines))


main()
