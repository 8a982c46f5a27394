import { dirname, join } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { importCircles, importGraph, usedFiles } from './import-graph.ts';
import { indexNames } from './index-names.ts';
import { mapCounts, type Counts, type Places } from './ratchets.ts';
import { definesSibling } from './recipes.ts';
import { readText, sourcesOf, subpathsOf, type WorkspacePackage } from './workspace.ts';

/** Programs from which the files in use are counted. */
const mains = ['apps/cli/src/main.ts', 'apps/server/src/main.ts'];

/** Greatest length of a function, in lines. */
const longestFunction = 40;

/** Numbers of packages, and what they count. */
export interface Measured {
  /** Numbers by the folder of the package. */
  readonly counts: Readonly<Record<string, Counts>>;
  readonly places: Places;
}

/** Counts what may only fall in packages, in their sources without `*.test.ts`. */
export function measure(packages: readonly WorkspacePackage[]): Measured {
  const files = packages.flatMap(sourcesOf).filter((file) => !file.endsWith('.test.ts'));
  const texts = new Map(files.map((file) => [file, readText(file)]));
  const graph = importGraph(
    texts,
    new Map(packages.flatMap(subpathsOf).map((entry) => [entry.specifier, entry.source])),
  );
  const used = usedFiles(graph, mains);
  const shipped = files.filter((file) => file.includes('/src/') && !file.includes('/testing/'));
  const lines = (file: string): number => (texts.get(file) ?? '').split('\n').length - 1;
  const places = {
    circles: importCircles(graph).map((circle) => circle.join(' ')),
    unreached: shipped.filter((file) => !used.has(file) && !/\/index\.ts$|^apps\/bench\//.test(file)),
    longFunctions: shipped.flatMap((file) => longFunctions(texts.get(file) ?? '').map((line) => `${file}:${line}`)),
  };
  const countsOf = (pkg: WorkspacePackage): Counts => {
    const isInside = (file: string): boolean => file.startsWith(`${pkg.folder}/`);
    const sum = (among: readonly string[]): number =>
      among.filter(isInside).reduce((all, file) => all + lines(file), 0);
    const names = subpathsOf(pkg)
      .map((entry) => entry.source)
      .map(countedNames);
    const numbers = {
      lines: sum(files.filter((file) => file.includes('/src/'))),
      unreached: sum(places.unreached),
      circles: places.circles.filter(isInside).length,
      longFunctions: places.longFunctions.filter(isInside).length,
      names: names.reduce((all, count) => all + count, 0),
      rootNames: names[0] ?? 0,
    };
    return mapCounts((name) => numbers[name]);
  };
  return { counts: Object.fromEntries(packages.map((pkg) => [pkg.folder, countsOf(pkg)])), places };
}

/** Returns the first lines of the functions of more than 40 lines, closures included. */
export function longFunctions(text: string): readonly number[] {
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
  const long: number[] = [];
  const add = ({ start, end }: { readonly start: number; readonly end: number }): void => {
    if (text.slice(start, end).split('\n').length > longestFunction) long.push(lineAt(start));
  };
  const visitor = new Visitor({ FunctionDeclaration: add, FunctionExpression: add, ArrowFunctionExpression: add });
  visitor.visit(parseSync('function.ts', text).program);
  return long.toSorted((a, b) => a - b);
}

/** Returns the number of names of an entry, without those of things that AGENTS.md has a recipe for. */
function countedNames(index: string): number {
  return indexNames(readText(index)).filter(({ from }) => !definesSibling(readText(join(dirname(index), from)))).length;
}
