import { dirname, join } from 'node:path';
import { parseSync } from 'rolldown/utils';

/** Imports of one source file. */
export interface FileImports {
  /** Files that it imports, of types too, with the names; undefined for all names. */
  readonly imports: readonly { readonly file: string; readonly names: readonly string[] | undefined }[];
  /** Files from which it exports names of others. */
  readonly reExports: readonly { readonly file: string; readonly name: string; readonly local: string }[];
}

/** Imports of all source files, by file. */
export type ImportGraph = ReadonlyMap<string, FileImports>;

/** Reads the imports of files. Entries are the source files of import specifiers like `@varve/events/kinds`. */
export function importGraph(texts: ReadonlyMap<string, string>, entries: ReadonlyMap<string, string>): ImportGraph {
  return new Map([...texts].map(([file, text]) => [file, importsOfFile(file, text, entries)]));
}

/** Returns the circles of imports between files, each with its files sorted; types count like values. */
export function importCircles(graph: ImportGraph): readonly (readonly string[])[] {
  const reachable = new Map([...graph.keys()].map((file) => [file, reachableFrom(graph, file)]));
  const circles = [...graph.keys()].map((file) =>
    [...(reachable.get(file) ?? [])].filter((other) => reachable.get(other)?.has(file)).toSorted(),
  );
  return circles.filter((circle, index) => {
    const [first] = circle;
    return first !== undefined && [...graph.keys()][index] === first;
  });
}

/** Returns the files that programs use, by the names that they import: an index leads only to the imported names. */
export function usedFiles(graph: ImportGraph, mains: readonly string[]): ReadonlySet<string> {
  const used = new Set<string>();
  const visit = (file: string): void => {
    if (used.has(file)) return;
    used.add(file);
    const { imports = [], reExports = [] } = graph.get(file) ?? {};
    for (const imported of imports) {
      const all = graph.get(imported.file)?.reExports.map(({ name }) => name) ?? [];
      for (const name of imported.names ?? all) visit(definingFile(graph, imported.file, name));
      if (imported.names === undefined || imported.names.length === 0) visit(imported.file);
    }
    if (!file.endsWith('/index.ts')) for (const { name } of reExports) visit(definingFile(graph, file, name));
  };
  for (const main of mains) visit(main);
  return used;
}

function importsOfFile(file: string, text: string, entries: ReadonlyMap<string, string>): FileImports {
  const { module } = parseSync(file, text);
  const resolve = (specifier: string): readonly string[] => {
    const resolved = specifier.startsWith('.') ? join(dirname(file), specifier) : entries.get(specifier);
    return resolved === undefined ? [] : [resolved];
  };
  const imports = module.staticImports.flatMap(({ moduleRequest, entries: names }) =>
    resolve(moduleRequest.value).map((to) => ({ file: to, names: names.map(({ importName }) => importName.name) })),
  );
  const dynamic = module.dynamicImports.flatMap(({ start, end, moduleRequest }) =>
    resolve(text.slice(moduleRequest.start + 1, moduleRequest.end - 1)).map((to) => ({
      file: to,
      names: namesOfDynamicImport(text.slice(0, start), text.slice(end)),
    })),
  );
  const reExports = module.staticExports
    .flatMap((exported) => exported.entries)
    .flatMap(({ moduleRequest, exportName, importName }) =>
      moduleRequest === null
        ? []
        : resolve(moduleRequest.value).map((to) => ({
            file: to,
            name: exportName.name ?? '',
            local: importName.name ?? '',
          })),
    );
  return {
    imports: [...imports, ...dynamic].map(({ file: to, names }) => ({
      file: to,
      names: names?.every((name) => name !== null) ? names : undefined,
    })),
    reExports,
  };
}

/** Returns the names of `const { a } = await import(…)` and `(await import(…)).a`; undefined for other forms. */
function namesOfDynamicImport(before: string, after: string): readonly string[] | undefined {
  const destructured = /\{([^{}]*)\}\s*=\s*await\s*$/.exec(before)?.[1];
  if (destructured !== undefined) return destructured.split(',').flatMap((name) => name.trim().split(':')[0] || []);
  const member = /^\)\.(\w+)/.exec(after)?.[1];
  return member === undefined ? undefined : [member];
}

/** Returns the file that defines a name which another one exports. */
function definingFile(graph: ImportGraph, file: string, name: string): string {
  const from = graph.get(file)?.reExports.find((each) => each.name === name);
  return from === undefined ? file : definingFile(graph, from.file, from.local);
}

function reachableFrom(graph: ImportGraph, file: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (from: string): void => {
    const { imports = [], reExports = [] } = graph.get(from) ?? {};
    for (const { file: to } of [...imports, ...reExports]) {
      if (seen.has(to)) continue;
      seen.add(to);
      visit(to);
    }
  };
  visit(file);
  return seen;
}
