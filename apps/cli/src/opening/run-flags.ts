import { isSettingKey, unknownKey, valueOfText, type FlagValue, type SettingKey } from '@varve/settings';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import type { RunOptions } from './run-options.ts';

/** Options of `varve run` that are settings. */
const flags = {
  model: ['llm.model', '--model'],
  baseUrl: ['llm.base_url', '--base-url'],
  functionCalling: ['llm.function_calling', '--function-calling'],
  profile: ['roles.agent', '--profile'],
  agentProfile: ['agent_profile', '--agent-profile'],
  confirm: ['confirmation.policy', '--confirm'],
  sandbox: ['sandbox.profile', '--sandbox'],
  workspaceServer: ['workspace.server', '--workspace-server'],
  textReply: ['text_reply', '--text-reply'],
  tools: ['tools.only', '--tools'],
  env: ['shell.environment', '--env'],
  sign: ['signing.enabled', '--sign'],
  maxSteps: ['budget.steps', '--max-steps'],
} as const satisfies Partial<Record<keyof RunOptions, readonly [key: SettingKey, flag: string]>>;

/**
 * Returns the settings in the options of `varve run`. With `--resume`, `--max-steps` limits the run and not the
 * conversation, so it is no setting.
 *
 * @throws {CliError} `usage` for an unknown key in `--set`; {@link SettingsError} `invalid` for a wrong value.
 */
export function flagsOf(options: RunOptions): readonly FlagValue[] {
  const named = Object.entries(flags).flatMap(([option, [key, flag]]): readonly FlagValue[] => {
    const value = options[option as keyof typeof flags];
    const isForRun = option === 'maxSteps' && options.resume !== undefined;
    return value === undefined || isForRun ? [] : [{ key, value, flag }];
  });
  // A later --set is stronger than an earlier one.
  return [...named, ...(options.set ?? []).toReversed().map(settingIn)];
}

function settingIn(text: string): FlagValue {
  const [key = '', ...value] = text.split('=');
  if (value.length === 0) throw new CliError(exitCodes.usage, `--set ${text} has no value.`, 'It is --set KEY=VALUE.');
  if (!isSettingKey(key)) {
    throw new CliError(exitCodes.usage, `--set: ${unknownKey(key)}.`, '`varve config schema` describes all keys.');
  }
  return { key, value: valueOfText(key, value.join('='), '--set'), flag: '--set' };
}
