import { expect, test } from 'vitest';
import { readText } from './workspace.ts';

const sentence =
  'Every event is stored before a subscriber receives it and before anything that depends on it starts: ' +
  'a reply before its calls run, their results before the next request is sent.';

test.for(['AGENTS.md', 'docs/architecture.md', 'packages/agent/guarantees.md', 'packages/agent/README.md'])(
  '%s describes with the same sentence when events are stored',
  (path) => {
    expect(readText(path).replaceAll(/\s+/g, ' ')).toContain(sentence);
  },
);

test.for(['README.md', 'docs/parity.md'])('%s promises nothing else about when events are stored', (path) => {
  const other =
    /persist,? then publish|stored? (?:first|before)|at every step|before (?:it|they) (?:is|are) (?:run|executed)|write-ahead/gi;
  const withoutTitles = readText(path)
    .replaceAll(sentence, '')
    .replaceAll(/\[[^\]]*\]\([^)]*\)/g, '');
  expect(withoutTitles.match(other) ?? []).toEqual([]);
});
