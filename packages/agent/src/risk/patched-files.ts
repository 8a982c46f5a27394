/** Returns the files that a patch names. */
export function patchedFiles(patch: string): readonly string[] {
  // The tool trims a path of all white space too, and a name with a blank in front is another one.
  return [...patch.matchAll(/^\s*\*\*\*\s*(?:(?:Add|Update|Delete) File|Move to):(.*)$/gim)].map(([, file = '']) =>
    file.trim(),
  );
}
