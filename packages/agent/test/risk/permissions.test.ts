import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TerminalAction } from '@varve/events/payloads';
import { reviewCalls } from '../../src/confirmation/gate.ts';
import { neverConfirm } from '../../src/confirmation/policies.ts';
import { withRules } from '../../src/confirmation/with-rules.ts';
import type { PermissionRule } from '../../src/permissions/permission-rule.ts';
import { countingTool } from '../../src/testing/counting-tool.ts';
import { dangers, quoted, rewritings } from './rewritings.ts';

const tool = countingTool().tool();

/** Commands that occur in the rewritings, so that only the rewritten command is not allowed. */
const allowed = 'ls echo cat cd diff find git true bash sh'.split(' ');

function runs(rules: readonly PermissionRule[], command: string): boolean {
  const gate = { policy: withRules(neverConfirm(), rules), protectedPaths: [] };
  const [reviewed] = reviewCalls(gate, [
    { tool, action: TerminalAction.create({ command }), risk: 'LOW', workspace: '/w/x' },
  ]);
  return reviewed?.review.asks !== true && reviewed?.review.denies !== true;
}

function isAllowed(rules: readonly PermissionRule[], command: string): boolean {
  const review = withRules(neverConfirm(), rules).review({
    tool,
    action: TerminalAction.create({ command }),
    risk: 'LOW',
    workspace: '/w/x',
  });
  return review.rule?.startsWith('allow') === true;
}

const commands = ['git push origin main', 'rm x', 'npm publish', 'curl http://x.example', 'deploy --now'];
const rewritten = fc
  .tuple(fc.constantFrom(...commands), fc.array(fc.constantFrom(...rewritings), { maxLength: 2 }))
  .map(([command, steps]) => ({ command, script: steps.reduce((text, rewrite) => rewrite(text), command) }));

test('no rewriting of a denied command runs without a question, whatever the policy is', () => {
  fc.assert(
    fc.property(rewritten, ({ command, script }) => {
      const words = command.split(' ').slice(0, 2).join(' ');
      expect(runs([{ decision: 'deny', on: 'command', pattern: words }], script), script).toBe(false);
    }),
    { numRuns: 100 },
  );
});

test('each rewriting of a denied command is denied or asked about', () => {
  const rules = [{ decision: 'deny', on: 'command', pattern: 'deploy' }] as const;
  expect(rewritings.map((rewrite) => rewrite('deploy --now')).filter((script) => runs(rules, script))).toEqual([]);
});

test('allow rules for everything around a command do not cover it in any rewriting', () => {
  const rules = allowed.map((pattern) => ({ decision: 'allow', on: 'command', pattern }) as const);
  const others = dangers.filter(({ words }) => !allowed.includes(words[0] ?? ''));
  const scripts = [...others.map(({ words }) => words.map(quoted).join(' ')), 'deploy --now'].flatMap((danger) =>
    rewritings.map((rewrite) => rewrite(danger)),
  );
  expect(scripts.filter((script) => isAllowed(rules, script))).toEqual([]);
});
