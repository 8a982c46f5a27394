import type { AskForServer } from '@varve/tools/mcp';
import type { Choice, Person } from './person.ts';

type ServerQuestion = Parameters<AskForServer>[0];
type Field = ServerQuestion['fields'][number];
type Answer = Awaited<ReturnType<AskForServer>>;

/** Longest list of answers that are offered one by one; of more, one is typed. */
const maxChoices = 20;

/** Asks the person what a server asks for: whether to answer at all, and then for one field after the other. */
export async function answerServer(question: ServerQuestion, person: Person, signal: AbortSignal): Promise<Answer> {
  const { server, message, url, fields } = question;
  if (!person.type) return 'cancel';
  const asked = `The server of tools ${server}`;
  const title = url ? `${asked} asks you to open an address:` : `${asked} asks:`;
  const accepted = url ? `open ${url.origin} in the browser` : fields.length === 0 ? 'yes' : 'answer';
  const refused = url || fields.length > 0 ? 'refuse' : 'no';
  const texts = [message, ...(url ? [url.href] : [])];
  // A key that was meant for something else must not accept.
  const choices: readonly Choice[] = [
    { id: 'n', label: refused, isRefusal: true },
    { id: 'y', label: accepted },
  ];
  const choice = await person.choose({ title, texts, choices }, signal);
  if (choice !== 'y') return choice === 'n' ? 'decline' : 'cancel';
  if (url) person.openAddress?.(url);
  const values: Record<string, Exclude<Answer, string>[string]> = {};
  for (const field of fields) {
    const value = await fieldValue(field, person, signal);
    if (value === 'cancel') return 'cancel';
    if (value.value !== undefined) values[field.name] = value.value;
  }
  if (fields.length === 0) return {};
  const sent = await person.choose({ title: `Send this to ${server}?`, choices: sending }, signal);
  return sent === 'y' ? values : sent === 'n' ? 'decline' : 'cancel';
}

const sending: readonly Choice[] = [
  { id: 'y', label: 'send' },
  { id: 'n', label: 'refuse', isRefusal: true },
];

/** Asks for a field until its value is valid. */
async function fieldValue(field: Field, person: Person, signal: AbortSignal) {
  const label = labelOf(field);
  let problem = '';
  for (;;) {
    const typed = await typedFor(field, problem === '' ? label : `${problem} ${label}`, person, signal);
    if (typed === undefined) return 'cancel';
    const result = field.read(typed);
    if ('value' in result) return result;
    ({ problem } = result);
  }
}

async function typedFor(field: Field, title: string, person: Person, signal: AbortSignal): Promise<string | undefined> {
  const answers = offeredAnswers(field);
  if (answers.length === 0) return person.type?.(title, signal);
  const choices = answers.map(([, label], at) => ({ id: String(at + 1), label }));
  const hasNone = !field.isRequired && field.initial === undefined;
  const none = hasNone ? [{ id: '-', label: 'no answer' }] : [];
  const choice = await person.choose({ title, choices: [...choices, ...none] }, signal);
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
