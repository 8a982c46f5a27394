/** Packages whose dependencies are not installed, with the kinds of them. */
const unused = {
  // The tests serve the built files of the web front end, and need nothing that builds them.
  '@openhands/agent-canvas': ['dependencies', 'optionalDependencies', 'peerDependencies'],
  // The rules run in oxlint: of ESLint they use types only.
  'eslint-plugin-regexp': ['peerDependencies'],
  '@eslint-community/eslint-utils': ['peerDependencies'],
};

/** Condition by which this repository runs sources, which packages do not contain. */
const sourceCondition = '@varve/source';

function withoutSources(exports) {
  if (typeof exports !== 'object' || exports === null) return exports;
  const entries = Object.entries(exports).filter(([name]) => name !== sourceCondition);
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutSources(value)]));
}

export const hooks = {
  readPackage(description) {
    const kinds = Object.hasOwn(unused, description.name) ? unused[description.name] : [];
    return { ...description, ...Object.fromEntries(kinds.map((kind) => [kind, {}])) };
  },
  beforePacking(manifest) {
    return manifest.exports ? { ...manifest, exports: withoutSources(manifest.exports) } : manifest;
  },
};
