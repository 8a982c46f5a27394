/**
 * Removes the dependencies of the web front end: the tests serve its built files, and need nothing that builds them.
 */
export const hooks = {
  readPackage(description) {
    return description.name === '@openhands/agent-canvas'
      ? { ...description, dependencies: {}, optionalDependencies: {}, peerDependencies: {} }
      : description;
  },
};
