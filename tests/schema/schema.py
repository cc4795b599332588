"""Checks values against a folder's JSON Schemas (draft 2020-12); knows only the keywords that docs/schema uses."""
import json
import os
import re

DRAFT = 'https://json-schema.org/draft/2020-12/schema'
WORDS = {'$schema', '$id', 'title', 'description'}  # they say nothing about values
LISTS = {'anyOf'}
MAPS = {'properties', '$defs'}
SINGLE = {'items', 'additionalProperties'}
PLAIN = {'$ref', 'type', 'enum', 'const', 'required', 'minItems', 'maxItems', 'minimum', 'maximum', 'pattern'}


class Unknown(Exception):
    """The schema uses something that this file does not know."""


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


TYPES = {'null': lambda v: v is None,
         'boolean': lambda v: isinstance(v, bool),
         'string': lambda v: isinstance(v, str),
         'number': is_number,
         'integer': lambda v: is_number(v) and v == int(v),
         'array': lambda v: isinstance(v, list),
         'object': lambda v: isinstance(v, dict)}


def equal(a, b):
    """In JSON 1 and 1.0 are equal, and 1 and true are not."""
    if is_number(a) and is_number(b):
        return a == b
    return type(a) is type(b) and a == b


def read(folder):
    """Returns {address: schema} for every file of the folder."""
    found = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith('.json'):
            with open(os.path.join(folder, name), encoding='utf-8') as file:
                schema = json.load(file)
            found[schema.get('$id', name)] = schema
    return found


class Schemas:
    """The schemas of a folder, by address."""

    def __init__(self, schemas):
        self.schemas = schemas
        for address, schema in schemas.items():
            self.know(schema, address)

    def know(self, schema, address):
        """Fails on an unknown keyword, type or reference."""
        if isinstance(schema, bool):
            return
        for key, value in schema.items():
            if key in MAPS or key in LISTS:
                for inner in value.values() if key in MAPS else value:
                    self.know(inner, address)
            elif key in SINGLE:
                self.know(value, address)
            elif key not in WORDS | PLAIN:
                raise Unknown('%s: keyword "%s"' % (address, key))
        for name in self.types(schema):
            if name not in TYPES:
                raise Unknown('%s: type "%s"' % (address, name))
        if '$ref' in schema:
            self.find(schema['$ref'], address)

    @staticmethod
    def types(schema):
        named = schema.get('type', [])
        return [named] if isinstance(named, str) else named

    def find(self, reference, address):
        """Returns (schema, its file's address) for FILE#/a/b or #/a/b."""
        file, _, pointer = reference.partition('#')
        if file:
            address = address.rsplit('/', 1)[0] + '/' + file
        schema = self.schemas.get(address)
        for step in pointer.split('/')[1:]:
            schema = schema.get(step) if isinstance(schema, dict) else None
        if schema is None:
            raise Unknown('%s: "%s" leads nowhere' % (address, reference))
        return schema, address

    def faults(self, value, address):
        """Returns what is wrong with a value, one sentence each."""
        return list(self.check(self.schemas[address], value, address, '$'))

    def check(self, schema, value, address, path):
        if isinstance(schema, bool):
            if not schema:
                yield '%s must not be there' % path
            return
        yield from self.check_value(schema, value, path)
        if '$ref' in schema:
            inner, file = self.find(schema['$ref'], address)
            yield from self.check(inner, value, file, path)
        if 'anyOf' in schema:
            tried = [list(self.check(one, value, address, path)) for one in schema['anyOf']]
            if all(tried):
                yield '%s fits no choice: %s' % (path, '; or '.join(faults[0] for faults in tried))
        if isinstance(value, dict):
            yield from self.check_object(schema, value, address, path)
        if isinstance(value, list):
            yield from self.check_array(schema, value, address, path)

    @staticmethod
    def check_value(schema, value, path):
        shown = json.dumps(value)[:60]
        types = Schemas.types(schema)
        if types and not any(TYPES[name](value) for name in types):
            yield '%s is %s, not of type %s' % (path, shown, ' or '.join(types))
        if 'enum' in schema and not any(equal(value, one) for one in schema['enum']):
            yield '%s is %s, none of %s' % (path, shown, json.dumps(schema['enum']))
        if 'const' in schema and not equal(value, schema['const']):
            yield '%s is %s, not %s' % (path, shown, json.dumps(schema['const']))
        if is_number(value) and not schema.get('minimum', value) <= value <= schema.get('maximum', value):
            yield '%s is %s, out of range' % (path, shown)
        if isinstance(value, str) and not re.search(schema.get('pattern', ''), value):
            yield '%s is %s, which does not match %s' % (path, shown, schema['pattern'])

    def check_object(self, schema, value, address, path):
        properties = schema.get('properties', {})
        for key in schema.get('required', ()):
            if key not in value:
                yield '%s has no "%s"' % (path, key)
        for key, inner in value.items():
            if key in properties:
                yield from self.check(properties[key], inner, address, '%s.%s' % (path, key))
            elif schema.get('additionalProperties', True) is False:
                yield '%s has "%s", which the schema does not know' % (path, key)
            else:
                yield from self.check(schema.get('additionalProperties', True), inner, address, '%s.%s' % (path, key))

    def check_array(self, schema, value, address, path):
        if not schema.get('minItems', 0) <= len(value) <= schema.get('maxItems', len(value)):
            yield '%s has %d items' % (path, len(value))
        for index, inner in enumerate(value):
            yield from self.check(schema.get('items', True), inner, address, '%s[%d]' % (path, index))
