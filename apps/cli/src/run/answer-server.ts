import type { AskForServer } from '@varve/tools/mcp';
import { revealHidden } from '@varve/events/text';
import { openBrowser } from '../terminal/open-browser.ts';
import { barredRows } from '../terminal/rows.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Question with answers to choose from. */
export interface ChoiceQuestion {
  readonly title: string;
  /** Rows below the title, of which every character is visible. */
  readonly rows?: readonly string[];
  /** Text of each answer, by the letters that stand for it. */
  readonly choices: Readonly<Record<string, string>>;
}

/** Asks a person, and resolves to undefined if that is not answered, or the signal aborts. */
export interface Asker {
  readonly io: TerminalIo;
  /** Number of columns of the terminal. */
  readonly columns: number;
  /** Returns the letters of the answer. */
  choose(question: ChoiceQuestion, signal: AbortSignal): Promise<string | undefined>;
  /** Returns what is typed. */
  type(title: string, signal: AbortSignal): Promise<string | undefined>;
}

type ServerQuestion = Parameters<AskForServer>[0];
type Field = ServerQuestion['fields'][number];
type Answer = Awaited<ReturnType<AskForServer>>;

/** Longest list of answers that are offered one by one; of more, one is typed. */
const maxChoices = 20;

/** Asks the person what a server asks for: whether to answer at all, and then for one field after the other. */
export async function answerServer(question: ServerQuestion, asker: Asker, signal: AbortSignal): Promise<Answer> {
  const { server, message, url, fields } = question;
  const asked = `The server of tools ${server}`;
  const title = url ? `${asked} asks you to open an address:` : `${asked} asks:`;
  const rows = [message, ...(url ? [url.href] : [])].flatMap((text) => barredRows(revealHidden(text), asker.columns));
  const accepted = url ? `open ${url.origin} in the browser` : fields.length === 0 ? 'yes' : 'answer';
  // A key that was meant for something else must not accept.
  const choices = { n: url || fields.length > 0 ? 'refuse' : 'no', y: accepted };
  const choice = await asker.choose({ title, rows, choices }, signal);
  if (choice !== 'y') return choice === 'n' ? 'decline' : 'cancel';
  if (url) openBrowser(url, asker.io.env);
  const values: Record<string, Exclude<Answer, string>[string]> = {};
  for (const field of fields) {
    const value = await fieldValue(field, asker, signal);
    if (value === 'cancel') return 'cancel';
    if (value.value !== undefined) values[field.name] = value.value;
  }
  if (fields.length === 0) return {};
  const sent = await asker.choose({ title: `Send this to ${server}?`, choices: { y: 'send', n: 'refuse' } }, signal);
  return sent === 'y' ? values : sent === 'n' ? 'decline' : 'cancel';
}

/** Asks for a field until its value is valid. */
async function fieldValue(field: Field, asker: Asker, signal: AbortSignal) {
  const label = labelOf(field);
  let problem = '';
  for (;;) {
    const typed = await typedFor(field, problem === '' ? label : `${problem} ${label}`, asker, signal);
    if (typed === undefined) return 'cancel';
    const result = field.read(typed);
    if ('value' in result) return result;
    ({ problem } = result);
  }
}

async function typedFor(field: Field, title: string, asker: Asker, signal: AbortSignal): Promise<string | undefined> {
  const answers = offeredAnswers(field);
  if (answers.length === 0) return asker.type(title, signal);
  const texts = answers.map(([, text], at) => [String(at + 1), text]);
  const none = field.isRequired || field.initial !== undefined ? [] : [['-', 'no answer']];
  const choice = await asker.choose({ title, choices: Object.fromEntries([...texts, ...none]) }, signal);
  return choice === '-' ? '' : answers[Number(choice) - 1]?.[0];
}

/** Returns the answers that are offered one by one; none if the answer is typed. */
function offeredAnswers({ choices = {}, isList }: Field): readonly (readonly [value: string, text: string])[] {
  const answers = Object.entries(choices);
  return isList || answers.length > maxChoices ? [] : answers;
}

function labelOf(field: Field): string {
  const { title, description, isRequired, isList, initial, choices = {} } = field;
  const answers = offeredAnswers(field).length > 0 ? [] : Object.keys(choices);
  const details = [
    description,
    answers.length === 0 ? '' : `${isList ? 'some' : 'one'} of: ${answers.join(', ')}`,
    initial === undefined ? (isRequired ? '' : 'may be empty') : `default: ${initial}`,
  ].filter((detail) => detail !== '');
  return details.length === 0 ? title : `${title} (${details.join('; ')})`;
}
