import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parametersFact, toolsetFact } from '@varve/events/facts';
import { redactor } from '@varve/text';
import { digestOf, digestOfJson } from '../log/digest.ts';
import { maskEvent } from '../log/mask-event.ts';
import { maskedDigests, parametersDraft, toolsetDraft } from './request.ts';

const stamp = { id: '00000001', timestamp: '2026-01-01T12:00:00.000000' };
const { value: mask } = redactor(['hush-hush', 'agent', '0000'], { replacement: '<secret-hidden>' });

const name = fc.constantFrom(
  'hush-hush',
  'id',
  'key',
  'type',
  'metadata',
  'data',
  'digests',
  'actions',
  'kind',
  'agent',
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('hush-hush', 'my agent', 'ClientAction_x', 'plain', '', null, true, 0.5),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(name, tie('json'), { maxKeys: 4 }),
  ),
}));
const fields = fc.dictionary(name, json, { maxKeys: 4 });
const tools = fc.array(fc.record({ name, description: name, parameters: fields }), { maxLength: 3 });

test('digests are those of the tools and parameters that the log contains', () => {
  fc.assert(
    fc.property(tools, fields, (offered, parameters) => {
      const toolset = toolsetFact.read(maskEvent(toolsetDraft('', offered).make(stamp), mask));
      const stored = parametersFact.read(maskEvent(parametersDraft('', parameters).make(stamp), mask));
      expect(maskedDigests({ tools: offered, parameters }, mask)).toEqual({
        tools: digestOfJson(toolset?.tools ?? []),
        parameters: digestOfJson(stored?.parameters ?? {}),
      });
    }),
    { numRuns: 500 },
  );
});

test('the digests of one request stay the same', () => {
  const offered = [{ name: 'put', description: 'hush-hush', parameters: { type: 'object', properties: {} } }];
  const digests = maskedDigests({ tools: offered, parameters: { temperature: 0 } }, mask);
  expect(digests).toEqual({
    tools: digestOf('[{"name":"put","description":"<secret-hidden>","parameters":{"type":"object","properties":{}}}]'),
    parameters: digestOf('{"temperature":0}'),
  });
});
