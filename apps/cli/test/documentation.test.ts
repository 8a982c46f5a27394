import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { commands } from '../src/commands/commands.ts';
import { exitCodes } from '../src/failures/exit-codes.ts';
import { newHome, runVarve } from './run-varve.ts';

const page = await readFile(new URL('../../../docs/cli.md', import.meta.url), 'utf8');

/** Options in the help of a command. */
async function optionsOf(command: string): Promise<readonly string[]> {
  const { stdout } = await runVarve([command, '--help'], { home: await newHome(), columns: 400 });
  return Array.from(stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm), ([, name = '']) => name).filter(
    (name) => name !== '--help',
  );
}

/** Part of the page with the options of a command. */
function sectionOf(command: string): string {
  const sections = page.split(/^### /m).filter((section) => section.startsWith('Options of '));
  return sections.find((section) => section.split('\n')[0]?.includes(`\`${command}\``)) ?? '';
}

test.for(Object.keys(commands))('the page names %s and each of its options', async (command) => {
  expect(page).toContain(`| \`varve ${command}`);
  const options = await optionsOf(command);
  expect(options.filter((option) => !new RegExp(`\`[^\`]*${option}(?![\\w-])`).test(sectionOf(command)))).toEqual([]);
});

test('the page names no option that does not exist', async () => {
  const known = new Set((await Promise.all(Object.keys(commands).map(optionsOf))).flat());
  const named = Array.from(page.matchAll(/^\| `(?:-\w, )?(--[\w-]+)/gm), ([, name = '']) => name);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test('the page and the help name each exit status', async () => {
  const { stdout } = await runVarve(['--help'], { home: await newHome(), columns: 400 });
  for (const code of Object.values(exitCodes)) {
    expect(page).toMatch(new RegExp(`^\\| ${code} `, 'm'));
    expect(stdout).toMatch(new RegExp(`(?:^ {2}|· )${code} \\w`, 'm'));
  }
});

test('the help and the page name the same variables', async () => {
  const { stdout } = await runVarve(['--help'], { home: await newHome(), columns: 400 });
  const [, environment = ''] = stdout.split('Environment:');
  const named = environment.split('Exit status:')[0]?.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? [];
  expect(named.filter((name) => !page.includes(name))).toEqual([]);
});
