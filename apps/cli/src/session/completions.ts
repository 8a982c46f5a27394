import { CombinedAutocompleteProvider, type AutocompleteProvider } from '@earendil-works/pi-tui';
import { safeText } from '@varve/events/text';

/** Command that is completed after a slash. */
export interface Completion {
  readonly name: string;
  readonly description: string;
  readonly argument?: string;
}

/** Completes commands, and files of a directory after `@`. */
export function completionsOf(commands: readonly Completion[], directory: string): AutocompleteProvider {
  const completions = commands.map(({ name, description, argument }) => ({
    name,
    description: safeText(description),
    ...(argument !== undefined && { argumentHint: safeText(argument) }),
  }));
  return new CombinedAutocompleteProvider(completions, directory);
}
