import { definitionOf } from '../definitions/settings.ts';
import { settingsOfText } from './document.ts';
import type { Layer, PlacedValue } from './layer.ts';
import { describeOrigin } from './origin.ts';
import type { SettingsFile } from './settings-files.ts';

/**
 * Reads the settings of a project. A repository is written by other people: its file may only contain settings whose
 * scope is `project`, and those whose scope is `trusted-project` if exactly this content is trusted. Others have no
 * effect and are warnings, so that opening a repository neither redirects a key nor weakens a confirmation.
 */
export function projectLayer(file: SettingsFile, isTrusted: boolean): Layer {
  const values = settingsOfText(file.text, { path: file.path, layer: 'project' });
  const isAllowed = ({ key }: PlacedValue): boolean => {
    const { scope } = definitionOf(key);
    return scope === 'project' || (scope === 'trusted-project' && isTrusted);
  };
  return {
    values: values.filter(isAllowed),
    warnings: values
      .filter((value) => !isAllowed(value))
      .map(({ key, origin }) => {
        const reason = definitionOf(key).scope === 'user' ? 'a project cannot set it' : 'the project is not trusted';
        return `${describeOrigin(origin)}: ${key} has no effect: ${reason}.`;
      }),
  };
}
