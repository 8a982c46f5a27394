import { errnoOf } from '@varve/files';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EEXIST: 'it exists already',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'its file system is read-only',
  ENOSPC: 'no space is left',
  EDQUOT: 'the quota leaves no space',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links lead nowhere',
};

/** Describes why a file that the user named cannot be read or written. Rethrows an error that is not of the system. */
export function fileProblem(path: string, action: 'read' | 'written', error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) throw error;
  const code = errnoOf(error) ?? String(error.code);
  return `${path} cannot be ${action}: ${reasons[code] ?? code}.`;
}
