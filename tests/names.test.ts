import { expect, test } from 'vitest';
import { indexNames } from './index-names.ts';
import { readText, subpathsOf, workspacePackages } from './workspace.ts';

/** The names of the design page, which programs that were written for it import from `@varve/compat`. */
const documentedElsewhere = ['Conversation', 'ConversationState'];

test('no name is public in two packages, except those that another system documents', () => {
  const owners = workspacePackages()
    .filter(({ folder }) => folder.startsWith('packages/'))
    .flatMap((pkg) => {
      const names = subpathsOf(pkg).flatMap(({ source }) => indexNames(readText(source)).map(({ name }) => name));
      return [...new Set(names)];
    });
  const twice = owners.filter((name, index) => owners.indexOf(name) !== index);
  expect(twice.toSorted()).toEqual(documentedElsewhere);
});
