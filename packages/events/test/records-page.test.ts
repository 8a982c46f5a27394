import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import * as facts from '../src/facts/index.ts';
import { builtinKinds } from '../src/kinds/index.ts';
import * as payloads from '../src/payloads/index.ts';

/** Everything in the folders of definitions, as one text: the docstrings are what the page says of each. */
const sources = ['kinds', 'payloads', 'facts']
  .flatMap((folder) => {
    const url = new URL(`../src/${folder}/`, import.meta.url);
    return readdirSync(url).map((name) => readFileSync(new URL(name, url), 'utf8'));
  })
  .join('\n');

/** The docstring of an export, on one line, without references. */
function docOf(name: string): string {
  const end = sources.search(new RegExp(String.raw` \*/\nexport const ${name}\b`));
  const [doc = ''] = sources.slice(sources.lastIndexOf('/**', end) + 3, end).split('@see');
  return doc
    .replaceAll(/^\s*\*? ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const hidden = 'any JSON';

/** What a field may hold, in few words. */
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
  return schema instanceof z.ZodCustom ? 'object with a `kind`' : hidden;
}

function nameOf([name, schema]: readonly [string, unknown]): string {
  return schema instanceof z.ZodExactOptional ? `\`${name}\`?` : `\`${name}\``;
}

function lineOf([name, schema]: readonly [string, unknown]): string {
  const usual = schema instanceof z.ZodDefault ? `; default \`${JSON.stringify(schema.def.defaultValue)}\`` : '';
  return `- ${nameOf([name, schema])}: ${typeOf(schema)}${usual}`;
}

function section(name: string, notes: string, shape: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(shape).map(lineOf).join('\n');
  return [`### ${name}`, `${docOf(name)}${notes}`, fields].filter((part) => part !== '').join('\n\n');
}

function payloadSections(module: object): readonly string[] {
  return Object.values(module)
    .filter(
      (one): one is payloads.PayloadDefinition<string, z.ZodRawShape> =>
        typeof one === 'object' && one !== null && 'create' in one,
    )
    .toSorted((left, right) => (left.kind < right.kind ? -1 : 1))
    .map(({ kind, fields }) => {
      const { content: _content, is_error: _isError, ...own } = fields.shape;
      return section(kind, '', kind.endsWith('Observation') ? own : fields.shape);
    });
}

function factSections(): readonly string[] {
  return Object.entries(facts)
    .filter(([, one]) => typeof one === 'object' && 'key' in one)
    .map(([name, one]) => `### ${(one as { readonly key: string }).key}\n\n${docOf(name)}`);
}

function page(): string {
  const kinds = builtinKinds.map(({ kind, isForModel, movesHead, fields }) => {
    const notes = [isForModel ? 'The model sees it.' : '', movesHead ? '' : 'It does not move the head of the tree.'];
    return section(kind, notes.map((note) => (note === '' ? '' : ` ${note}`)).join(''), fields);
  });
  return `${[
    '# Records',
    'Every record that a log of varve or of the OpenHands agent SDK holds, field by field, in the order in which it is written. This page is made from the code: `pnpm test packages/events -u` writes it anew. A `?` marks a field that may be missing; a field with a default is always written.',
    '## Events',
    'Every event begins with `id`, `timestamp` (local time with microseconds), `source` (`agent`, `user`, `environment` or `hook`) and `parent_id`?, and ends with its `kind`.',
    ...kinds,
    '## Actions and observations',
    'They stand in the `action` of an `ActionEvent` and the `observation` of an `ObservationEvent`, and end with their `kind`. Every observation begins with `content` (what the model reads) and `is_error`.',
    ...payloadSections(payloads),
    '## Facts',
    'What decides behaviour and has no event kind: a `ConversationStateUpdateEvent` with one of these keys.',
    ...factSections(),
  ].join('\n\n')}\n`;
}

test('docs/records.md tells what there is', async () => {
  await expect(page()).toMatchFileSnapshot('../../../docs/records.md');
});

test('every record on the page is explained', () => {
  const unexplained = page()
    .split('\n### ')
    .slice(1)
    .filter((one) => !/^.+\n\n[A-Z]/.test(one));
  expect(unexplained).toEqual([]);
});
