import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TerminalAction } from '@varve/events/payloads';
import { countingTool } from '../../testing/counting-tool.ts';
import { shellRisk } from '../shell-risk.ts';
import { shellRules } from './shell-rules.ts';
import { unknownKinds } from '../../shell/words/unknowns.ts';

const tool = countingTool().tool();
const list = readFileSync(new URL('../../../../../docs/risky-commands.md', import.meta.url), 'utf8');

test.for(shellRules)(
  'the examples of $id match it and are in the list of rules',
  ({ id, risk, description, examples }) => {
    expect(examples).not.toEqual([]);
    for (const command of examples) {
      const verdict = shellRisk().assess({ tool, action: TerminalAction.create({ command }), risk: 'LOW' });
      expect(verdict?.reasons).toContainEqual(expect.objectContaining({ rule: id, risk }));
    }
    expect(list).toContain(`- \`${id}\`: ${description}. ${examples.map((example) => `\`${example}\``).join(', ')}\n`);
  },
);

test.for(Object.entries(unknownKinds))('%s is in the list of rules', ([id, description]) => {
  expect(list).toContain(`- \`${id}\`: ${description}.`);
});

test('ids are unique', () => {
  expect(new Set(shellRules.map(({ id }) => id)).size).toBe(shellRules.length);
});
