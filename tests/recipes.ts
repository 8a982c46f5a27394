/** Files that a thing of one kind changes. */
export interface Recipe {
  /** Files of things of this kind, and what a file contains that defines one. */
  readonly files: string;
  readonly defines: RegExp;
  /** Files that list all of them. */
  readonly lists: readonly string[];
}

/** Recipes of AGENTS.md, by the first cell of their rows. */
export const recipes: Readonly<Record<string, Recipe>> = {
  'event kind': {
    files: 'packages/events/src/kinds/*.ts',
    defines: /^export const \w+ = defineEvent\(/m,
    lists: ['packages/events/src/kinds/builtin-kinds.ts', 'packages/events/src/kinds/index.ts'],
  },
  fact: {
    files: 'packages/events/src/facts/*.ts',
    defines: /^export const \w+ = defineFact\(/m,
    lists: ['packages/events/src/facts/index.ts'],
  },
  projection: {
    files: 'packages/events/src/projections/*.ts',
    defines: /^export (?:const|function) \w+Projection\b/m,
    lists: ['packages/events/test/state-projections.ts', 'packages/events/src/projections/index.ts'],
  },
  'model wrapper': {
    files: 'packages/llm/src/wrappers/*.ts',
    defines: /^export function .*\): ModelWrapper \{/m,
    lists: ['packages/llm/src/wrappers/index.ts', 'packages/llm/src/wrappers/wrappers.test.ts'],
  },
  condenser: {
    files: 'packages/condensers/src/*.ts',
    defines: /defineCondenserKind\(/,
    lists: ['packages/condensers/src/index.ts', 'packages/condensers/src/registry/condenser-kinds.ts'],
  },
  tool: {
    files: 'packages/tools/src/**/*.ts',
    defines: /return defineBuiltinTool\(/,
    lists: [
      'packages/tools/src/index.ts',
      'packages/tools/src/specs/tool-kinds.ts',
      'packages/tools/test/tool-contract.test.ts',
    ],
  },
  command: {
    files: 'apps/cli/src/commands/*.ts',
    defines: /^export const \w+: CliCommand = /m,
    lists: ['apps/cli/src/commands/commands.ts'],
  },
  route: {
    files: 'packages/server/src/http/*/*.ts',
    defines: /^export const \w+Routes\b/m,
    lists: ['packages/server/src/http/routes.ts'],
  },
};

const siblings = [
  ...Object.values(recipes).map(({ defines }) => defines),
  /^export const \w+ = define(?:Action|Observation)\(/m,
];

/** Returns whether a file defines one of a list of similar things, which may be as long as there are such things. */
export function definesSibling(text: string): boolean {
  return siblings.some((defines) => defines.test(text));
}
