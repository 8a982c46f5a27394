import { RequestError, type SessionConfigOption } from '@agentclientprotocol/sdk';
import { modelProfiles } from '@varve/settings/profiles';
import { varveHome } from '../home/varve-home.ts';
import type { RunOptions } from '../opening/run-options.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Returns the model of a session: the one that it began with, or a model profile of the person. */
export function sessionModel(first: string, { model, baseUrl }: RunOptions, io: TerminalIo) {
  let current = first;
  const names = async (): Promise<readonly string[]> => {
    const profiles = (await modelProfiles(varveHome(io)).list()).map(({ name }) => name);
    const isOffered = model !== undefined || current === first;
    return [...new Set([...(isOffered ? [first] : []), ...profiles])];
  };
  return {
    /** Returns the option for the editor. */
    async option(): Promise<SessionConfigOption> {
      const options = (await names()).map((value) => ({ value, name: value }));
      return { id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: current, options };
    },
    /** Returns options with another model. @throws {RequestError} for one that is not offered. */
    async choose(name: string, options: RunOptions): Promise<RunOptions> {
      if (!(await names()).includes(name))
        throw RequestError.invalidParams({ value: name }, `There is no model profile ${name}.`);
      if (name === current) return options;
      current = name;
      const { model: _model, baseUrl: _baseUrl, profile: _profile, ...others } = options;
      // The first one is chosen again by the flags of the command.
      if (name !== first || model === undefined) return { ...others, profile: name };
      return { ...others, model, ...(baseUrl !== undefined && { baseUrl }) };
    },
  };
}
export type SessionModel = ReturnType<typeof sessionModel>;
