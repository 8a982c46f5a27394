/** Returns the name of the command in a file of a directory, by its path in the directory; undefined for others. */
export function commandFileIn(path: string): string | undefined {
  return /^\.(?:varve|claude)\/commands\/(?<name>[a-z0-9][\w-]{0,63})\.md$/i.exec(path)?.groups?.['name'];
}
