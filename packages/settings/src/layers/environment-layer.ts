import type { Variables } from '@varve/text';
import { isSettingKey, settingKeys, variablesOf } from '../definitions/settings.ts';
import type { Layer, PlacedValue } from './layer.ts';
import { nearest } from './nearest.ts';
import { valueOfText } from './parse-value.ts';

/** Variables of varve that are not settings. */
const otherVariables = ['VARVE_HOME', 'VARVE_SESSION_API_KEY', 'VARVE_PRIVATE_ENVIRONMENT', 'VARVE_CONFIG'];

/**
 * Reads the settings of an environment. Empty variables are ignored. LLM_API_KEY is the setting `llm.api_key_ref` with
 * a reference to itself. Unknown variables that begin with `VARVE_` are warnings: other programs may use them.
 *
 * @throws {SettingsError} `invalid` for a value of a wrong type; the message names the variable.
 */
export function environmentLayer(env: Variables): Layer {
  const values = settingKeys.flatMap((key): readonly PlacedValue[] => {
    const name = variablesOf(key).find((variable) => env[variable]?.trim());
    if (name === undefined) return ownKey(key, env);
    return [{ key, value: valueOfText(key, env[name]?.trim() ?? '', name), origin: { kind: 'variable', name } }];
  });
  return { values, warnings: unknownVariables(env) };
}

function ownKey(key: string, env: Variables): readonly PlacedValue[] {
  if (key !== 'llm.api_key_ref' || !isSettingKey(key) || !env['LLM_API_KEY']?.trim()) return [];
  return [{ key, value: 'env:LLM_API_KEY', origin: { kind: 'variable', name: 'LLM_API_KEY' } }];
}

function unknownVariables(env: Variables): readonly string[] {
  const known = [...settingKeys.flatMap(variablesOf), ...otherVariables];
  return Object.keys(env)
    .filter((name) => name.startsWith('VARVE_') && !known.includes(name))
    .flatMap((name) => {
      const similar = nearest(name, known);
      return similar === undefined ? [] : [`The variable ${name} is no setting; the nearest is ${similar}.`];
    });
}
