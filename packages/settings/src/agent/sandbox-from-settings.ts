import { makeDirectories } from '@varve/files';
import type { PermissionRule } from '@varve/agent/confirmation';
import { proxyVariables } from '@varve/llm/network';
import {
  defaultHosts,
  openSandbox,
  profilePolicy,
  sandboxProblem,
  type Sandbox,
  type UpstreamProxy,
} from '@varve/sandbox';
import { withoutUndefined, type Variables } from '@varve/text';
import { SettingsError } from '../error.ts';
import type { Settings } from '../layers/resolve-settings.ts';
import { permissionStore } from '../permissions/permission-store.ts';
import { sandboxRules } from './sandbox-rules.ts';

/** Options of {@link sandboxFromSettings}. */
export interface SandboxSetup {
  readonly settings: Settings;
  /** Directory of the agent, absolute. */
  readonly workspace: string;
  /** Varve's data directory, which is hidden except for long outputs of the conversation. */
  readonly home: string;
  /** Home directory of the user; without it there is no sandbox. */
  readonly userHome?: string | undefined;
  readonly rules: readonly PermissionRule[];
  /** Result of {@link probeSandbox}. */
  readonly problem: string | undefined;
  /** Result of `sandboxProblem` that the caller started earlier; default: {@link probeSandbox} starts it. */
  readonly sandboxProblem?: Promise<string | undefined> | undefined;
  /** Environment of this process, which names the proxy of the network. */
  readonly env: Variables;
  /** Decides about a host that no rule names, once for each. Default: it is refused. */
  readonly askHost?: ((host: string) => Promise<boolean>) | undefined;
}

/** Walls around the programs of one agent. Disposing closes them. */
export interface AgentSandbox extends Disposable {
  /** Absent with the profile `off`. */
  readonly sandbox?: Sandbox;
  /** Walls around servers of the model context protocol, which may reach every host; absent with the profile `off`. */
  readonly servers?: Sandbox;
  /** Sentence about a sandbox that is missing. */
  readonly warnings: readonly string[];
}

/** Resolves to the reason why the sandbox that the settings choose cannot be opened; runs a command in it. */
export async function probeSandbox(
  setup: Pick<SandboxSetup, 'settings' | 'userHome' | 'sandboxProblem'>,
): Promise<string | undefined> {
  return profileOf(setup) === 'off' ? undefined : (setup.sandboxProblem ?? sandboxProblem());
}

/** Without a home directory there is no sandbox. */
function profileOf({ settings, userHome }: Pick<SandboxSetup, 'settings' | 'userHome'>) {
  return userHome === undefined ? 'off' : (settings.get('sandbox.profile') ?? 'off');
}

/**
 * Opens the sandbox that the settings choose.
 *
 * @throws {SettingsError} `invalid` when the profile is set and this system has no sandbox.
 */
export function sandboxFromSettings(setup: SandboxSetup): AgentSandbox {
  const { settings, workspace, home, userHome, rules, problem, askHost } = setup;
  const chosen = profileOf(setup);
  if (chosen === 'off' || userHome === undefined) return withoutSandbox();
  if (problem !== undefined) {
    if (chosen !== 'auto') throw new SettingsError('invalid', `sandbox.profile: ${problem}`);
    return withoutSandbox(`Commands run without a sandbox. ${problem}`);
  }
  const upstream = upstreamProxy(setup.env);
  const { hidden, visible, allowed, denied, ports } = sandboxRules(rules, workspace, userHome);
  const hosts = [...defaultHosts, ...(settings.get('sandbox.hosts') ?? []), ...allowed];
  const policy = profilePolicy(chosen === 'auto' ? 'workspace' : chosen, {
    workspace,
    home: userHome,
    dataDirectories: [home],
    denied: hidden,
    visible,
    network: { allowed: hosts, denied, ports: [...(settings.get('sandbox.ports') ?? []), ...ports] },
  });
  using opened = new DisposableStack();
  const [sandbox, servers] = [policy, { ...policy, network: 'on' as const }].map((each) =>
    opened.adopt(openSandbox(each, { ...(askHost && { askHost }), ...(upstream && { upstream }) }), (started) =>
      started.close(),
    ),
  );
  const owned = opened.move();
  return {
    ...withoutUndefined({ sandbox, servers }),
    warnings: [],
    [Symbol.dispose]: () => owned.dispose(),
  };
}

/** Opens the sandbox as a run does: with the rules of the person. Throws as {@link sandboxFromSettings}. */
export async function openAgentSandbox(setup: Omit<SandboxSetup, 'rules' | 'problem'>): Promise<AgentSandbox> {
  const [problem, rules] = await Promise.all([probeSandbox(setup), personRules(setup)]);
  return sandboxFromSettings({ ...setup, rules, problem });
}

/** Returns the rules of the person for a workspace. */
export async function personRules({
  home,
  workspace,
}: Pick<SandboxSetup, 'home' | 'workspace'>): Promise<readonly PermissionRule[]> {
  return (await permissionStore(home).list(workspace)).map(({ rule }) => rule);
}

/** Returns the proxy that the usual variables name; undefined without one, and for one of another protocol. */
export function upstreamProxy(env: Variables): UpstreamProxy | undefined {
  const { https_proxy: proxy = '' } = proxyVariables(env) ?? {};
  const direct = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  const url = URL.parse(proxy);
  const hosts = direct.split(/[\s,]+/).flatMap((part) => {
    const host = part.replace(/^\*?\./, '').replace(/:\d+$/, '');
    return host === '' ? [] : host === '*' ? ['*'] : [host, `*.${host}`];
  });
  return url?.protocol === 'http:' ? { url, except: [...hosts, 'localhost', '127.0.0.1', '::1'] } : undefined;
}

function withoutSandbox(...warnings: readonly string[]): AgentSandbox {
  return { warnings, [Symbol.dispose]: () => undefined };
}

/** Returns the walls of one conversation, in which the files of its own long outputs are readable. */
export function withOutputs(sandbox: Sandbox, outputs: string): Sandbox {
  return {
    ...sandbox,
    wrap(argv, options) {
      createDirectory(outputs);
      return sandbox.wrap(argv, { ...options, readOnly: [...(options.readOnly ?? []), outputs] });
    },
  };
}

function createDirectory(path: string): void {
  try {
    makeDirectories(path, 0o700);
  } catch {
    // The data directory cannot be written.
  }
}
