import { normalPath } from './paths.ts';

/** Names of open files: absolute ones, and what remains of them in `/dev`, `/dev/fd` and the directories around. */
const streams = /^-$|^\/+(?:dev|proc)\/|(?:^|\/)(?:stdin|fd\/\d+)$|^\d+$/;

/** Reports whether a file is the input of a program or the output of another, in any spelling of its name. */
export function isStream(file: string | undefined): boolean {
  return file !== undefined && streams.test(normalPath(file));
}
