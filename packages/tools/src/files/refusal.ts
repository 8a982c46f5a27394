import { constants } from 'node:os';
import { truncateMiddle } from '@varve/text';

/** More than the longest path. */
const maxValueChars = 5000;
const maxNumbers = 100;

/** Reason why a call was not executed, in one or two sentences for the model. */
export interface Refusal {
  readonly refused: string;
}

/** Returns a refusal with this reason. */
export function refuse(reason: string): Refusal {
  return { refused: reason };
}

/** Returns a refusal of the value of one parameter. */
export function refuseParameter(name: string, value: unknown, hint: string): Refusal {
  const all = typeof value === 'string' ? value : JSON.stringify(value);
  const text = truncateMiddle(all, maxValueChars, ({ chars }) => `[${chars} characters left out]`);
  return refuse(`Invalid \`${name}\` parameter: ${text}. ${hint}`);
}

/** Returns a refusal to create what exists. */
export function refuseExisting(path: string): Refusal {
  return refuseParameter('path', path, 'Something is there already, and create does not overwrite.');
}

/** Returns a refusal caused by an error of the operating system. */
export function refuseFailure(doing: string, path: string, error: unknown): Refusal {
  return refuse(`${doing} ${path} failed: ${systemMessage(error)}.`);
}

/**
 * Returns the message of a system error without the system call and the path, which may be that of a temporary file.
 */
export function systemMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node has no name for this error, which is common where home directories are shared.
  if ('errno' in error && error.errno === -constants.errno.EDQUOT) return 'EDQUOT: disk quota exceeded';
  return error.message.replace(/, \w+( '.*)?$/s, '');
}

/** Returns a list of numbers for use in a sentence; at most the first 100. */
export function formatNumbers(numbers: readonly number[]): string {
  const more = numbers.length > maxNumbers ? ' and more' : '';
  return `${numbers.slice(0, maxNumbers).join(', ')}${more}`;
}

/** Returns true if the result of a step is a refusal. */
export function isRefusal(value: object): value is Refusal {
  return 'refused' in value;
}
