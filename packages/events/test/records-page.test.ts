import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import * as facts from '../src/facts/index.ts';
import { builtinKinds } from '../src/kinds/index.ts';
import { definedPayloads } from './definitions.ts';

/** Sources of all definitions: their docstrings are the descriptions on the page. */
const sources = ['kinds', 'payloads', 'facts']
  .flatMap((folder) => {
    const url = new URL(`../src/${folder}/`, import.meta.url);
    return readdirSync(url).map((name) => new URL(name, url));
  })
  .concat(new URL('foreign-payloads.ts', import.meta.url))
  .map((url) => readFileSync(url, 'utf8'))
  .join('\n');

/** Returns the docstring of an export on one line, without references. */
function docOf(name: string): string {
  const end = sources.search(new RegExp(String.raw` \*/\nexport const ${name}\b`));
  const [doc = ''] = sources.slice(sources.lastIndexOf('/**', end) + 3, end).split('@see');
  return doc
    .replaceAll(/^\s*\*? ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Describes the values of a field. */
function typeOf(schema: unknown): string {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodExactOptional) return typeOf(schema.unwrap());
  if (schema instanceof z.ZodString) return 'text';
  if (schema instanceof z.ZodNumber) return schema.isInt ? 'whole number' : 'number';
  if (schema instanceof z.ZodBoolean) return 'true or false';
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => `\`${option}\``).join(', ');
  if (schema instanceof z.ZodLiteral) return `\`${String(schema.value)}\``;
  if (schema instanceof z.ZodArray) return `list of: ${typeOf(schema.element)}`;
  if (schema instanceof z.ZodRecord) return `object of any keys, ${typeOf(schema.valueType)}`;
  if (schema instanceof z.ZodUnion) return schema.options.map(typeOf).join(' or ');
  if (schema instanceof z.ZodObject) return `{ ${Object.entries(schema.shape).map(nameOf).join(', ')} }`;
  return schema instanceof z.ZodCustom ? 'object with a `kind`' : 'any JSON';
}

function nameOf([name, schema]: readonly [string, unknown]): string {
  return schema instanceof z.ZodExactOptional ? `\`${name}\`?` : `\`${name}\``;
}

function lineOf([name, schema]: readonly [string, unknown]): string {
  const usual = schema instanceof z.ZodDefault ? `; default \`${JSON.stringify(schema.def.defaultValue)}\`` : '';
  return `- ${nameOf([name, schema])}: ${typeOf(schema)}${usual}`;
}

/** Returns the section of the record `title`, described by the docstring of the constant `name`. */
function section(title: string, name: string, notes: string, shape: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(shape).map(lineOf).join('\n');
  return [`### ${title}`, `${docOf(name)}${notes}`, fields].filter((part) => part !== '').join('\n\n');
}

function payloadSections(): readonly string[] {
  return definedPayloads
    .toSorted((left, right) => (left.kind < right.kind ? -1 : 1))
    .map(({ kind, fields }) => {
      const { content: _content, is_error: _isError, ...ownFields } = fields.shape;
      return section(kind, kind, '', kind.endsWith('Observation') ? ownFields : fields.shape);
    });
}

function factSections(): readonly string[] {
  return Object.entries(facts).flatMap(([name, definition]) => {
    if (typeof definition !== 'object') return [];
    return [section(definition.key, name, '', definition.schema instanceof z.ZodObject ? definition.schema.shape : {})];
  });
}

function page(): string {
  const kinds = builtinKinds.map(({ kind, isForModel, movesHead, fields }) => {
    const notes = [isForModel ? 'The model sees it.' : '', movesHead ? '' : 'It does not move the head of the tree.'];
    return section(kind, kind, notes.map((note) => (note === '' ? '' : ` ${note}`)).join(''), fields);
  });
  return `${[
    '# Records',
    paragraph(
      'Every record that a log of varve or of the OpenHands agent SDK contains, field by field, in written order.',
      'The page is generated: `pnpm test packages/events -u` rewrites it.',
      'A `?` marks a field that may be absent; a field with a default is always written.',
    ),
    '## Events',
    paragraph(
      'Every event starts with `id`, `timestamp` (local time with microseconds), `source` (`agent`, `user`,',
      '`environment` or `hook`) and `parent_id`?, and ends with its `kind`.',
    ),
    ...kinds,
    '## Actions and observations',
    paragraph(
      'Values of `action` in an `ActionEvent` and of `observation` in an `ObservationEvent`. They end with their `kind`.',
      'Every observation starts with `content` (the text for the model) and `is_error`.',
    ),
    ...payloadSections(),
    '## Facts',
    'Records that decide behaviour and have no event kind: a `ConversationStateUpdateEvent` with one of these keys.',
    ...factSections(),
  ].join('\n\n')}\n`;
}

function paragraph(...lines: readonly string[]): string {
  return lines.join('\n');
}

test('docs/records.md describes every record', async () => {
  await expect(page()).toMatchFileSnapshot('../../../docs/records.md');
});

test('every record on the page has a description', () => {
  const undescribed = page()
    .split('\n### ')
    .slice(1)
    .filter((record) => !/^.+\n\n[A-Z]/.test(record));
  expect(undescribed).toEqual([]);
});
