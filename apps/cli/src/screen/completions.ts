import {
  CombinedAutocompleteProvider,
  type AutocompleteItem,
  type AutocompleteProvider,
  type AutocompleteSuggestions,
} from '@earendil-works/pi-tui';
import { safeText } from '@varve/events/text';

/** Command that is completed after a slash, or resource of a server after `@`. */
export interface Completion {
  readonly name: string;
  readonly description: string;
  readonly argument?: string;
}

/** Sources of the completions. */
export interface CompletionSources {
  /** Returns the directory whose files are completed after `@`. */
  readonly directory: () => string;
  /** Returns the commands for a text after a slash. */
  readonly commandsFor: (typed: string) => Promise<readonly Completion[]>;
  /** Returns the resources of servers for a text after `@`. */
  readonly resourcesFor: (typed: string) => Promise<readonly Completion[]>;
}

/** Most resources that are offered. */
const maxResources = 20;

/** Word after `@` that is typed, or text in quotes. */
const mention = /(?:^|\s)@("[^"]*|[^\s"]*)$/;

/** Completes commands, and files and resources after `@`. */
export function completionsOf({ directory, commandsFor, resourcesFor }: CompletionSources): AutocompleteProvider {
  const files = (): AutocompleteProvider => new CombinedAutocompleteProvider([], directory());
  return {
    async getSuggestions(lines, row, column, options) {
      const before = (lines[row] ?? '').slice(0, column);
      const command = /^\s*\/(\S*)$/.exec(before)?.[1];
      if (command !== undefined && !options.force) {
        const commands = (await commandsFor(command)).map(commandItem);
        return new CombinedAutocompleteProvider(commands, directory()).getSuggestions(lines, row, column, options);
      }
      const word = mention.exec(before)?.[1];
      if (word === undefined) return safely(await files().getSuggestions(lines, row, column, options));
      const resources = itemsOf(await resourcesFor(word), word);
      // Without its sign the word is the path of a file.
      const line = `${before.slice(0, -word.length - 1)}${word}`;
      const path = await files().getSuggestions([line], 0, line.length, { ...options, force: true });
      const named = safely(path)?.items.map((item) => ({ ...item, value: `@${item.value}` })) ?? [];
      const items = [...resources, ...named];
      // Enter sends what is complete.
      return items.length === 1 && items[0]?.value === `@${word}` ? null : { items, prefix: `@${word}` };
    },
    applyCompletion(lines, row, column, item, prefix) {
      // More may have been typed since the suggestions were made.
      const typed = mention.exec((lines[row] ?? '').slice(0, column))?.[1];
      const word = typed === undefined || !prefix.startsWith('@') ? prefix : `@${typed}`;
      return files().applyCompletion(lines, row, column, item, word);
    },
    shouldTriggerFileCompletion: (...where) => files().shouldTriggerFileCompletion?.(...where) ?? true,
  };
}

function commandItem({ name, description, argument }: Completion) {
  return {
    name,
    description: safeText(description),
    ...(argument !== undefined && { argumentHint: safeText(argument) }),
  };
}

/** Names of files that would not be safe on a screen are left out. */
function safely(found: AutocompleteSuggestions | null): AutocompleteSuggestions | null {
  return found && { ...found, items: found.items.filter(({ value }) => safeText(value) === value) };
}

/** Names that cannot be typed as one word, or would not be safe on a screen, are left out. */
function itemsOf(resources: readonly Completion[], typed: string): readonly AutocompleteItem[] {
  return resources
    .filter(
      ({ name }) => name.toLowerCase().includes(typed.toLowerCase()) && /^\S+$/.test(name) && safeText(name) === name,
    )
    .slice(0, maxResources)
    .map(({ name, description }) => ({ value: `@${name}`, label: name, description: safeText(description) }));
}
