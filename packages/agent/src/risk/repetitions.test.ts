import { expect, test } from 'vitest';
import { TerminalAction } from '@varve/events/payloads';
import { countingTool } from '../testing/counting-tool.ts';
import { shellRisk } from './shell-risk.ts';

const tool = countingTool().tool();
const risk = shellRisk();
const riskOf = (command: string) =>
  risk.assess({ tool, action: TerminalAction.create({ command }), risk: 'LOW' })?.risk;

/** Commands around a text that patterns read. */
const commands = [
  "NODE_OPTIONS='?' node x",
  "PATH='?' x",
  "x='?'; let $x",
  "sed '?' f",
  String.raw`sed '\x?' f`,
  "awk '?' f",
  "docker '?'",
  'docker ?',
  "docker-compose '?'",
  "aws '?'",
  "gh '?'",
  "gsutil '?'",
  "kubectl '?'",
  "npx '?'",
  "python '?'",
  "curl '?' x.org",
  "tar '?'",
  "cat '?'",
  "rm '?'",
  "git push '?'",
  "git -c '?=x' log",
  "make '?' -f '?'",
  "'bash?' x",
  'psql <<E\n?\nE',
  '$(grep ?) x',
  'cat {?}',
  "pkill '?'",
];

/** Texts that patterns read in many ways if two of their parts match the same characters. */
const units = [
  's--trace-o--no-warnings--no-warning',
  '--no-warnings ',
  '//\\\\\t',
  '//\\\\I',
  '\\aba',
  '\\\\',
  'buildx ',
  'compose down -v--vol',
  's3 sync --delet',
  'api -X',
  'rsync -',
  'replace --force',
  'prisma db push --force',
  '-m twine upload',
  '.ssh/',
  'proc/',
  '*9',
  '--form=',
  'print ',
  '[(',
  '{',
  ',',
  '.',
  '0',
  'fo',
  'd',
  '/',
  '\n',
  ' ',
];

test.each(commands)('repetitions of every kind in "%s" are read in one way only', (command) => {
  const texts = units.flatMap((unit) => [16, 32].map((count) => unit.repeat(count)));
  const endings = ['', '\n', '/x', '\u0000'];
  const risks = texts.flatMap((text) => endings.map((end) => riskOf(command.replaceAll('?', () => text + end))));
  expect(risks).not.toContain(undefined);
});
