/**
 * Lines of the changelogs: the sentence of each changeset. Updated dependencies are left out, because all packages are
 * released together with the same version.
 *
 * @see https://changesets.dev/guide/changelogs
 */
export default {
  getReleaseLine: async ({ summary }) => `- ${summary.trim().replaceAll('\n', '\n  ')}`,
  getDependencyReleaseLine: async () => '',
};
