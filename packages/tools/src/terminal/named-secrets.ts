/**
 * Hands a command those secrets whose names occur in it, in upper or lower case: for the `secrets` option of a terminal. A
 * command that does not name a secret does not have it.
 */
export function namedSecrets(
  secrets: Readonly<Record<string, string>>,
): (command: string) => Readonly<Record<string, string>> {
  return (command) => {
    const text = command.toLowerCase();
    return Object.fromEntries(Object.entries(secrets).filter(([name]) => text.includes(name.toLowerCase())));
  };
}
