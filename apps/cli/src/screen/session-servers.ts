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

/** Resources and prompts of the servers of a session. Servers start when an entry of theirs is first typed. */
export class SessionServers {
  readonly #offers: (mayStart: boolean) => Promise<Offers | undefined>;
  readonly #signal: AbortSignal;
  #listed: Listed = { resources: [], prompts: [] };

  /** @param offers - Returns what the servers offer; without `mayStart` undefined if they do not run. */
  constructor(offers: (mayStart: boolean) => Promise<Offers | undefined>, signal: AbortSignal) {
    this.#offers = offers;
    this.#signal = signal;
  }

  /** Returns the prompts that were listed last as commands, `SERVER:PROMPT`. */
  get commands(): readonly PromptCommand[] {
    return this.#listed.prompts.map((prompt) => commandOf(prompt)).filter(({ name }) => isTypable(name));
  }

  /** Returns the commands for a text after `/`: waits for the servers if it names one. */
  async commandsFor(typed: string): Promise<readonly PromptCommand[]> {
    await this.#listFor(typed);
    return this.commands;
  }

  /** Returns the resources for a text after `@`, as {@link commandsFor} does. */
  async resourcesFor(typed: string): Promise<readonly Completion[]> {
    await this.#listFor(typed);
    return this.#listed.resources.map(({ server, uri, description }) => ({ name: `${server}:${uri}`, description }));
  }

  async #listFor(typed: string): Promise<void> {
    const isNamed = typed.includes(':');
    const listing = this.#list(isNamed);
    if (isNamed) await listing;
  }

  /** A failure leaves the lists as they are: it is reported with the message that needs the servers. */
  async #list(mayStart: boolean): Promise<void> {
    try {
      const offers = await this.#offers(mayStart);
      if (offers) this.#listed = await offers.list(this.#signal);
    } catch {
      // The same failure ends the next message.
    }
  }
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
