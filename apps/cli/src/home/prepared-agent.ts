import { nativeModels } from '@varve/llm/kit';
import type { LanguageModel } from '@varve/llm';
import type { Settings } from '@varve/settings';
import { prepareAgent, type PreparedAgent, type ResumedHooks, type StoredAgentParts } from '@varve/settings/agent';
import type { AskForServer, McpServer } from '@varve/tools/mcp';
import { withoutUndefined } from '@varve/text';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { modelFailure, noticesFor } from './configured-model.ts';
import { storeUrl } from './open-configured-store.ts';
import { pluginSkills } from './plugin-skills.ts';
import { secretsOf } from './secrets.ts';
import { readSigningKey } from './signing-key.ts';
import { userHome, varveHome } from './varve-home.ts';

/** Request for the agent of a run. */
export interface AgentRequest {
  readonly settings: Settings;
  readonly workspace: string;
  /** The option `--store`. */
  readonly store: string | undefined;
  readonly stored: StoredAgentParts | undefined;
  /** Model in place of that of the settings. */
  readonly model?: LanguageModel | undefined;
  /** The option `--hooks`. */
  readonly hooks: ResumedHooks | undefined;
  /** Decides about a host that no rule of the sandbox names; default: it is refused. */
  readonly askHost?: ((host: string) => Promise<boolean>) | undefined;
  /** Asks the person what a server asks for; default: servers are not offered that. */
  readonly askForServer?: AskForServer | undefined;
  /** Servers of an editor, as they are. */
  readonly clientServers?: Readonly<Record<string, McpServer>> | undefined;
}

/**
 * Prepares the agent of a run, and reports in sentences what a person should know about its calls.
 *
 * @throws {CliError} `usage` without a key, and for an unknown provider; {@link SettingsError} as `prepareAgent`.
 */
export async function preparedAgent(
  { settings, workspace, store, stored, model, hooks, askHost, askForServer, clientServers }: AgentRequest,
  io: TerminalIo,
  report: (line: string) => void,
): Promise<PreparedAgent> {
  const signingKey = settings.get('signing.enabled') ? await readSigningKey(io) : undefined;
  // A conversation in memory cannot be resumed, so it needs no undo history on disk.
  const keepsHistory = (await storeUrl(io, store)) !== 'memory:';
  try {
    return await prepareAgent({
      settings,
      workspace,
      home: varveHome(io),
      userHome: userHome(io),
      env: io.env,
      secrets: secretsOf(io),
      now: () => Date.now(),
      notices: noticesFor(report),
      native: nativeModels((name) => import(name), report),
      keepsHistory,
      skillDirectories: await pluginSkills(settings, io),
      onNotice: report,
      ...withoutUndefined({ model, askHost, askForServer, clientServers, signingKey, stored, resumedHooks: hooks }),
      ...(io.sandboxProblem && { sandboxProblem: io.sandboxProblem }),
    });
  } catch (error) {
    throw modelFailure(error, settings, stored);
  }
}
