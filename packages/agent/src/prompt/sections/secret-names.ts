/** Returns the section with the names of secrets; undefined without one. Values are never part of a prompt. */
export function secretNames(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const list = names.map((name) => `- $${name}`).join('\n');
  return `# Secrets
These variables are set for a terminal command that names them. Their values are hidden from you; do not try to print them.
${list}`;
}
