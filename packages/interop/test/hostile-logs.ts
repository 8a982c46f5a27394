import fc from 'fast-check';
import type { ForeignFiles } from '../src/index.ts';
import { filesOf, fixtureText } from './fixture.ts';

/** Texts of a valid log of a format, by path. */
export interface Sample {
  readonly format: string;
  readonly name: string;
  readonly texts: Readonly<Record<string, string>>;
}

const sample = (format: string, name: string, text: string): Sample => ({ format, name, texts: { [name]: text } });
const trajectory = fixtureText('v0/every-kind.json');
const records = JSON.parse(trajectory) as readonly unknown[];
const orxhestra = JSON.parse(fixtureText('orxhestra/session.json')) as { readonly events: readonly object[] };
const chat = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look.' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
      ],
    },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '{"a":1}' } }] },
    { role: 'tool', tool_call_id: 'c1', content: 'a.txt' },
    { role: 'assistant', content: 'Done.', reasoning_content: 'Hm.' },
  ],
  tools: [{ type: 'function', function: { name: 'look', description: '', parameters: { type: 'object' } } }],
};
const message = {
  id: 'e1',
  timestamp: '2026-01-02T03:04:05.678901',
  source: 'user',
  llm_message: { role: 'user', content: [{ cache_prompt: false, type: 'text', text: 'Look.' }] },
  kind: 'MessageEvent',
};

/** A valid log of each format that reads texts. */
export const samples: readonly Sample[] = [
  sample('v0', 't.json', trajectory),
  {
    format: 'v0-directory',
    name: 'conversation',
    texts: {
      ...Object.fromEntries(
        records.slice(0, 30).map((record, index) => [`events/${index}.json`, JSON.stringify(record)]),
      ),
      'event_cache/0-25.json': JSON.stringify(records.slice(0, 25)),
      'metadata.json': '{"conversation_id":"abc","title":"Look","created_at":"2026-01-02"}',
    },
  },
  {
    format: 'v1-directory',
    name: 'conversation',
    texts: {
      'events/event-00000-e1.json': JSON.stringify(message),
      'events/0002_user_message.json':
        '{"id":"e2","kind":"user_message","content":"Go.","images":["a"],"parent_id":"e1"}',
      'base_state.json': '{"id":"abc"}',
      'meta.json': '{"title":"Look"}',
    },
  },
  sample('orxhestra', 's.json', fixtureText('orxhestra/session.json')),
  sample('orxhestra', 'events.jsonl', lines(...orxhestra.events).replaceAll('"pwd"', '12345678901234567890')),
  sample('mcpbench', 'log.json', fixtureText('mcpbench/log.json')),
  sample('mcpbench-history', 'a_history.jsonl', fixtureText('mcpbench/history.jsonl')),
  sample(
    'evaluation',
    'output.jsonl',
    lines({ instance_id: 'a', history: records.slice(0, 20) }, { instance_id: 'b', history: [message] }),
  ),
  sample('chat', 'chat.jsonl', lines(chat)),
  ...['session', 'compacted', 'agent-a1b2c3d'].map((name) =>
    sample('claude-code', `${name}.jsonl`, fixtureText(`claude-code/${name}.jsonl`)),
  ),
  sample(
    'codex',
    'rollout.jsonl',
    fixtureText('codex/rollout-2026-03-04T09-00-00-019c8a4c-ed82-79a1-aa28-7738fc5ab61a.jsonl'),
  ),
];

function lines(...values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

const nested = (depth: number): unknown => JSON.parse(`${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`);

/** Values of the wrong type, size or meaning in any place of a record. */
const hostileValues: readonly unknown[] = [
  null,
  true,
  -1,
  0.1,
  1e21,
  Number.MAX_SAFE_INTEGER,
  '',
  '\0\ud800',
  '../../etc/passwd',
  '__proto__',
  '9999-99-99T99:99:99',
  'x'.repeat(100_000),
  [],
  {},
  ['a', 1, null, {}],
  { toString: 1, text: 2, content: [1], type: {}, function: 'a' },
  JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{"b":1}}}'),
  nested(40),
  nested(88),
];

const names =
  'id kind type role action observation args extras cause parentUuid uuid logicalParentUuid constructor __proto__'.split(
    ' ',
  );

/** One change of a JSON value: the numbers choose the place, the value and the key. */
interface Change {
  readonly kind: 'replace' | 'remove' | 'copy' | 'name' | 'repeat';
  readonly at: number;
  readonly value: number;
}

const changes = fc.array(
  fc.record({
    kind: fc.constantFrom<Change['kind']>('replace', 'remove', 'copy', 'name', 'repeat'),
    at: fc.nat(),
    value: fc.nat(),
  }),
  { minLength: 1, maxLength: 4 },
);

/** A change of the text itself. */
const cuts = fc.option(fc.record({ at: fc.nat(), text: fc.constantFrom('', '\0', '{', ']', '"', '\\', '\n') }), {
  freq: 8,
});

/** Any broken or hostile variant of the files of a sample. */
export function arbitraryHostileFiles({ name, texts }: Sample): fc.Arbitrary<ForeignFiles> {
  return fc
    .record({ path: fc.constantFrom(...Object.keys(texts)), changes, cut: cuts })
    .map(({ path, changes: list, cut }) => {
      const text = texts[path] ?? '';
      const isLines = path.endsWith('.jsonl');
      const json: unknown = isLines
        ? text
            .trim()
            .split('\n')
            .map((line): unknown => JSON.parse(line))
        : JSON.parse(text);
      const changed = list.reduce<unknown>(withChange, json);
      const whole =
        isLines && Array.isArray(changed) ? lines(...(changed as readonly unknown[])) : JSON.stringify(changed);
      return filesOf(name, { ...texts, [path]: cut ? whole.slice(0, cut.at % whole.length) + cut.text : whole });
    });
}

function withChange(json: unknown, { kind, at, value }: Change): unknown {
  const places = placesIn(json);
  const place = places[at % places.length];
  if (!place) return hostile(value);
  const { owner, key } = place;
  const other = places[value % places.length];
  if (kind === 'replace') set(owner, key, hostile(value));
  else if (kind === 'name') set(owner, names[value % names.length] ?? 'id', hostile(at));
  else if (kind === 'copy' && other) set(owner, key, structuredClone(other.value));
  else if (kind === 'repeat' && Array.isArray(owner)) owner.splice(Number(key), 0, structuredClone(owner[Number(key)]));
  else if (Array.isArray(owner)) owner.splice(Number(key), 1);
  else Reflect.deleteProperty(owner, key);
  return json;
}

interface Place {
  readonly owner: object;
  readonly key: string;
  readonly value: unknown;
}

function placesIn(json: unknown): readonly Place[] {
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) => [{ owner: json, key, value }, ...placesIn(value)]);
}

function set(owner: object, key: string, value: unknown): void {
  if (Array.isArray(owner)) owner[Number(key) || 0] = value;
  else Object.defineProperty(owner, key, { value, enumerable: true, configurable: true, writable: true });
}

function hostile(index: number): unknown {
  return structuredClone(hostileValues[index % hostileValues.length]);
}
