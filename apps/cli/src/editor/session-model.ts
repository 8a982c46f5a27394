import { RequestError, type SessionConfigOption } from '@agentclientprotocol/sdk';
import { modelProfiles } from '@varve/settings/profiles';
import { varveHome } from '../home/varve-home.ts';
import type { RunOptions } from '../opening/run-options.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Model of a session: the one that it began with, or a model profile of the person. */
export class SessionModel {
  readonly #io: TerminalIo;
  readonly #first: string;
  /** Flags of the command, by which the first one can be chosen again. */
  readonly #flags: Pick<RunOptions, 'model' | 'baseUrl'>;
  #current: string;

  constructor(name: string, { model, baseUrl }: RunOptions, io: TerminalIo) {
    this.#io = io;
    this.#first = name;
    this.#flags = { ...(model !== undefined && { model }), ...(baseUrl !== undefined && { baseUrl }) };
    this.#current = name;
  }

  /** Returns the option for the editor. */
  async option(): Promise<SessionConfigOption> {
    const options = (await this.#names()).map((value) => ({ value, name: value }));
    return { id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: this.#current, options };
  }

  /** Returns options with another model. @throws {RequestError} for one that is not offered. */
  async choose(name: string, options: RunOptions): Promise<RunOptions> {
    if (!(await this.#names()).includes(name))
      throw RequestError.invalidParams({ value: name }, `There is no model profile ${name}.`);
    if (name === this.#current) return options;
    this.#current = name;
    const { model: _model, baseUrl: _baseUrl, profile: _profile, ...others } = options;
    return name === this.#first && this.#flags.model !== undefined
      ? { ...others, ...this.#flags }
      : { ...others, profile: name };
  }

  async #names(): Promise<readonly string[]> {
    const profiles = (await modelProfiles(varveHome(this.#io)).list()).map(({ name }) => name);
    const isOffered = this.#flags.model !== undefined || this.#current === this.#first;
    return [...new Set([...(isOffered ? [this.#first] : []), ...profiles])];
  }
}
