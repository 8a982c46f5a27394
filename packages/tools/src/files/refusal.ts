import { truncateMiddle } from '@varve/text';

/** More than the longest path. */
const longestValue = 5000;
const mostNumbers = 100;

/** Why a command was not carried out, as one or two sentences for the model. */
export interface Refusal {
  readonly refused: string;
}

/** A refusal with this reason. */
export function refuse(reason: string): Refusal {
  return { refused: reason };
}

/** A refusal because of the value of one parameter. */
export function refuseParameter(name: string, value: unknown, hint: string): Refusal {
  const all = typeof value === 'string' ? value : JSON.stringify(value);
  const shown = truncateMiddle(all, longestValue, ({ chars }) => `[${chars} characters left out]`);
  return refuse(`Invalid \`${name}\` parameter: ${shown}. ${hint}`);
}

/** A refusal because of what the operating system said. */
export function refuseFailure(doing: string, path: string, error: unknown): Refusal {
  return refuse(`${doing} ${path} failed: ${systemMessage(error)}.`);
}

/** The system's own words without the call and the path, which may be that of a temporary file. */
export function systemMessage(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, \w+( '.*)?$/s, '') : String(error);
}

/** Numbers in a sentence: the first hundred of them. */
export function formatNumbers(numbers: readonly number[]): string {
  const more = numbers.length > mostNumbers ? ' and more' : '';
  return `${numbers.slice(0, mostNumbers).join(', ')}${more}`;
}

/** Whether a call was refused. */
export function isRefusal(value: object): value is Refusal {
  return 'refused' in value;
}
