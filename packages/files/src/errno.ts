import { constants } from 'node:os';

/** Returns the system's name of a failed system call's error, such as `EACCES`; undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  const { code, errno } = error as { readonly code: unknown; readonly errno?: unknown };
  return namesByNumber.get(errno) ?? (typeof code === 'string' ? code : undefined);
}

/** Names of the errors for which Node has a number and no name: their `code` is `Unknown system error -122`. */
const namesByNumber = new Map<unknown, string>(
  ['EDQUOT', 'ESTALE', 'EBADMSG', 'ENOLCK'].flatMap((name) => {
    const number = Object.entries(constants.errno).find(([known]) => known === name)?.[1];
    return number === undefined ? [] : [[-number, name]];
  }),
);
