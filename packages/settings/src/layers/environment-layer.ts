import type { Variables } from '@varve/text';
import { settingKeys, variablesOf, type SettingKey } from '../definitions/settings.ts';
import type { Layer, PlacedValue } from './layer.ts';
import { nearest } from './nearest.ts';
import { valueOfText } from './parse-value.ts';

/** Variables of varve that are not settings. */
const otherVariables = [
  'VARVE_HOME',
  'VARVE_SCOPED_KEYS',
  'VARVE_SESSION_API_KEY',
  'VARVE_PRIVATE_ENVIRONMENT',
  'VARVE_CONFIG',
  'VARVE_AGENT',
];

/**
 * Reads the settings of an environment. Empty variables are ignored. Some variables of the reference are converted:
 * LLM_API_KEY is the setting `llm.api_key_ref` with a reference to itself. Unknown variables that begin with `VARVE_`
 * are warnings: other programs may use them.
 *
 * @throws {SettingsError} `invalid` for a value of a wrong type; the message names the variable.
 */
export function environmentLayer(env: Variables): Layer {
  const values = settingKeys.flatMap((key): readonly PlacedValue[] => {
    const name = variablesOf(key).find((variable) => env[variable]?.trim());
    if (name === undefined) return convertedVariable(key, env);
    return [{ key, value: valueOfText(key, env[name]?.trim() ?? '', name), origin: { kind: 'variable', name } }];
  });
  return { values, warnings: unknownVariables(env) };
}

/** Variables of the reference whose value is written differently here. */
const converted: readonly {
  readonly name: string;
  readonly key: SettingKey;
  readonly value: (text: string, env: Variables) => unknown;
}[] = [
  { name: 'LLM_API_KEY', key: 'llm.api_key_ref', value: () => 'env:LLM_API_KEY' },
  {
    name: 'LLM_NATIVE_TOOL_CALLING',
    key: 'llm.function_calling',
    value: (text) => (/^(?:0|false|no)$/i.test(text) ? 'mock' : undefined),
  },
  { name: 'OH_CONVERSATIONS_PATH', key: 'store', value: (text) => `dir:${text}` },
  {
    name: 'OH_ALLOW_CORS_ORIGINS_0',
    key: 'server.allowed_origins',
    value: (_first, env) => numberedValues('OH_ALLOW_CORS_ORIGINS', env),
  },
];

/** Returns the values of `NAME_0`, `NAME_1` and so on. */
function numberedValues(name: string, env: Variables): readonly string[] {
  const values: string[] = [];
  for (let next = env[`${name}_0`]; next?.trim(); next = env[`${name}_${values.length}`]) values.push(next.trim());
  return values;
}

function convertedVariable(key: SettingKey, env: Variables): readonly PlacedValue[] {
  return converted.flatMap((variable) => {
    const text = env[variable.name]?.trim() ?? '';
    const value = variable.key === key && text !== '' ? variable.value(text, env) : undefined;
    return value === undefined ? [] : [{ key, value, origin: { kind: 'variable', name: variable.name } as const }];
  });
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
