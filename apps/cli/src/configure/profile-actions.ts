import { llmFields, SettingsError, unknownLlmField, type LlmField, type LlmValues } from '@varve/settings';
import { modelAddress } from '@varve/settings/agent';
import {
  capabilityCache,
  llmValuesOf,
  modelProfiles,
  type ModelProfiles,
  type ModelRole,
} from '@varve/settings/profiles';
import { parseJson } from '@varve/text';
import { commandName } from '../terminal/command-name.ts';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { modelOptions } from '../home/configured-model.ts';
import { settingsFor } from '../home/settings.ts';
import { varveHome } from '../home/varve-home.ts';
import { columnsOf, padded } from '../terminal/columns.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

const roles = ['agent', 'condenser', 'title', 'ask', 'subagent'] as const satisfies readonly ModelRole[];

/** Opens the model profiles of the user. */
export function profilesOf(io: TerminalIo): ModelProfiles {
  return modelProfiles(varveHome(io));
}

interface ProfileRow {
  readonly name: string;
  readonly roles: readonly ModelRole[];
  readonly model?: string;
  readonly baseUrl?: string;
  readonly problem?: string;
}

/** Prints all profiles with their model, address and roles; broken ones with the reason. */
export async function listProfiles({ json }: { readonly json?: true }, io: TerminalIo): Promise<void> {
  const settings = await settingsFor(io);
  const listed = await profilesOf(io).list();
  const rows = listed.map((each): ProfileRow => {
    const used = roles.filter((role) => settings.get(`roles.${role}`) === each.name);
    if ('problem' in each) return { name: each.name, roles: used, problem: each.problem };
    const { model, base_url: baseUrl } = each.record;
    return {
      name: each.name,
      roles: used,
      model: typeof model === 'string' ? model : '',
      // A password in it is an error of the file, which no list shows.
      ...(typeof baseUrl === 'string' && { baseUrl: baseUrl.replace(/\/\/[^/]*@/, '//') }),
    };
  });
  if (json) for (const row of rows) io.stdout.jsonLine(JSON.stringify(row));
  if (json) return;
  const widths = [rows.map(({ name }) => name), rows.map((row) => row.model ?? '')].map((texts) =>
    Math.max(0, ...texts.map(columnsOf)),
  );
  for (const { name, model = '', baseUrl = '', roles: used, problem } of rows) {
    const what = problem === undefined ? `  ${padded(model, widths[1] ?? 0)}  ${baseUrl}` : `  ${problem}`;
    io.stdout.line([
      styled('cyan', padded(name, widths[0] ?? 0)),
      problem === undefined ? what : styled('red', what),
      styled('dim', used.length === 0 ? '' : `  (${used.join(', ')})`),
    ]);
  }
  if (rows.length === 0)
    io.stderr.line(styled('dim', `There are no model profiles: \`${commandName(io)} profile save NAME model=…\`.`));
}

/** Creates a profile, or changes the named fields of it; an empty value removes a field. */
export async function saveProfile(name: string, fields: readonly string[], io: TerminalIo): Promise<void> {
  const profiles = profilesOf(io);
  const before = await profiles.read(name).then(
    (record) => llmValuesOf(record, name),
    (error: unknown) => {
      if (error instanceof SettingsError && error.code === 'missing') return {};
      throw error;
    },
  );
  const values: Partial<Record<LlmField, unknown>> = { ...before };
  for (const field of fields) {
    const [key = '', ...rest] = field.split('=');
    if (!isLlmField(key)) throw new CliError(exitCodes.usage, unknownLlmField(key), 'A field is FIELD=VALUE.');
    const text = rest.join('=');
    if (text === '') delete values[key];
    else values[key] = llmFields[key].schema().safeParse(text).success ? text : jsonOf(text);
  }
  // `save` checks each value.
  await profiles.save(name, values as LlmValues);
  io.stderr.line(styled('dim', `Saved the profile ${name}.`));
}

function isLlmField(key: string): key is LlmField {
  return Object.hasOwn(llmFields, key);
}

function jsonOf(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

/** Makes a profile that of a role. */
export async function useProfile(name: string, role: string, io: TerminalIo): Promise<void> {
  const known = roles.find((roleName) => roleName === role);
  if (!known) throw new CliError(exitCodes.usage, `There is no role "${role}".`, `The roles are ${roles.join(', ')}.`);
  await profilesOf(io).activate(name, known);
  io.stderr.line(styled('dim', `The model of the role ${role} is that of the profile ${name} now.`));
}

/** Queries the server of a profile, or of the configured model, and prints what it reports. */
export async function probeProfile(name: string | undefined, io: TerminalIo): Promise<void> {
  const options = modelOptions(io, { settings: await settingsFor(io), ...(name !== undefined && { profile: name }) });
  const capabilities = await capabilityCache(varveHome(io), options).probe(await modelAddress(options));
  if (Object.keys(capabilities).length === 0)
    io.stderr.line(styled('yellow', 'The server reports nothing about its model.'));
  io.stdout.json(capabilities);
}
