import { expect, test } from 'vitest';
import { relativeLinks } from './relative-links.ts';
import { trackedFiles } from './tracked-files.ts';
import { readText } from './workspace.ts';

const files = trackedFiles().filter((file) => !/\.(png|gif|ico|db|gz|zip)$/.test(file));
const sources = files.filter((file) => file.endsWith('.ts'));

test('no source file has more than 400 lines', () => {
  expect(sources.filter((file) => lines(file).length > 400)).toEqual([]);
});

test('AGENTS.md fits on one screen', () => {
  expect(lines('AGENTS.md').length).toBeLessThanOrEqual(100);
});

test('no source file is left unfinished', () => {
  const unfinished = new RegExp(String.raw`\b(${['TO', 'FIX'].join('DO|')}ME|X{3})\b`);
  expect(matching(sources, unfinished)).toEqual([]);
});

test('no source file has Node make directories recursively, which never ends below /proc', () => {
  const shipped = sources.filter((file) => !/\.test\.ts$|\/test\/|^(apps\/bench|examples|tests)\//.test(file));
  expect(shipped.length).toBeGreaterThan(100);
  expect(matching(shipped, /\bmkdir(Sync)?\(.*\brecursive\b/)).toEqual([]);
});

test('no file contains a path of the machine it was written on', () => {
  const folders = ['work', 'root', 'home', 'Users'].join('|');
  expect(matching(files, new RegExp(String.raw`(?<![\w.-])/(${folders})/(?!\$)`))).toEqual([]);
});

test('no file names a package registry', () => {
  expect(matching(files, /\bregistry\.(?:npm|yarn|npmmirror)[\w-]*\.[a-z]{2,}\b|\bnpm\.pkg\.github\b/)).toEqual([]);
  expect(matching(['pnpm-lock.yaml'], /https?:\/\//)).toEqual([]);
});

const decisions = files.filter((file) => /^docs\/decisions\/(?!README)/.test(file));

test('each decision record has a number of its own', () => {
  const numbers = decisions.map((file) => /\/(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1] ?? file);
  expect(numbers.filter((number, index) => !/^\d{4}$/.test(number) || numbers.indexOf(number) !== index)).toEqual([]);
});

test('the list of decisions names each record once', () => {
  const listed = relativeLinks(readText('docs/decisions/README.md')).filter((link) => /^\d{4}-/.test(link));
  expect(listed.toSorted()).toEqual(decisions.map((file) => file.replace('docs/decisions/', '')));
});

function lines(file: string): readonly string[] {
  return readText(file).trimEnd().split('\n');
}

/** Lines that match a pattern, in the form `file:line: text`. */
function matching(among: readonly string[], pattern: RegExp): readonly string[] {
  return among.flatMap((file) =>
    lines(file).flatMap((line, index) =>
      pattern.test(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 120)}`] : [],
    ),
  );
}
