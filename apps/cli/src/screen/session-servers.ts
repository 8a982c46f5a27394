import { safeText } from '@varve/events/text';
import type { PreparedAgent } from '@varve/settings/agent';
import type { Completion } from './completions.ts';
import type { CommandFor } from './command-for.ts';
import type { Screen } from './screen.ts';
import type { PromptOrder } from './session-runs.ts';

type Offers = NonNullable<PreparedAgent['offers']>;
type Listed = Awaited<ReturnType<Offers['list']>>;
type Prompt = Listed['prompts'][number];

/** Command that sends a prompt of a server. */
type PromptCommand = CommandFor<{
  readonly screen: Screen;
  readonly sendPrompt: (prompt: PromptOrder) => Promise<void>;
}>;

/** Returns true for a name that can be typed as one word, and is safe on a screen. */
function isTypable(name: string): boolean {
  return /^[^\s/]+$/.test(name) && safeText(name) === name;
}

/**
 * Returns the resources and prompts of the servers of a session. Servers start when an entry of theirs is first typed.
 *
 * @param offersOf - Returns what the servers offer; without `mayStart` undefined if they do not run.
 */
export function sessionServers(offersOf: (mayStart: boolean) => Promise<Offers | undefined>, signal: AbortSignal) {
  let listed: Listed = { resources: [], prompts: [] };
  // A failure leaves the lists as they are: the same one ends the next message, which needs the servers.
  const list = async (mayStart: boolean): Promise<void> => {
    const offers = await offersOf(mayStart);
    if (offers) listed = await offers.list(signal);
  };
  const listFor = async (typed: string): Promise<void> => {
    const isNamed = typed.includes(':');
    const listing = list(isNamed).catch(() => undefined);
    if (isNamed) await listing;
  };
  const commands = (): readonly PromptCommand[] =>
    listed.prompts.map((prompt) => commandOf(prompt)).filter(({ name }) => isTypable(name));
  return {
    /** Prompts that were listed last as commands, `SERVER:PROMPT`. */
    get commands() {
      return commands();
    },
    /** Returns the commands for a text after `/`: waits for the servers if it names one. */
    async commandsFor(typed: string): Promise<readonly PromptCommand[]> {
      await listFor(typed);
      return commands();
    },
    /** Returns the resources for a text after `@`, as `commandsFor` does. */
    async resourcesFor(typed: string): Promise<readonly Completion[]> {
      await listFor(typed);
      return listed.resources.map(({ server, uri, description }) => ({ name: `${server}:${uri}`, description }));
    },
  };
}

function commandOf(prompt: Prompt): PromptCommand {
  const { server, name, description, arguments: named } = prompt;
  const argument = named.map((each) => (each.isRequired ? each.name : `[${each.name}]`)).join(' ');
  return {
    name: `${server}:${name}`,
    description: description === '' ? 'a prompt of a server of tools' : description,
    ...(argument !== '' && { argument }),
    async run(session, typed) {
      const values = valuesOf(prompt, typed);
      const missing = named.filter((each) => each.isRequired && values[each.name] === undefined);
      if (missing.length > 0) {
        session.screen.print(`Type what is missing: /${server}:${name} ${argument}`, 'yellow');
        return;
      }
      await session.sendPrompt({ server, name, values });
    },
  };
}

/** Returns the arguments by name: one word each, and the rest of the text for the last one. */
function valuesOf({ arguments: named }: Prompt, typed: string): Readonly<Record<string, string>> {
  const words = typed.split(/\s+/).filter((word) => word !== '');
  const last = named.length - 1;
  const values = named.map(({ name }, at) => [name, at === last ? words.slice(at).join(' ') : (words[at] ?? '')]);
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}
