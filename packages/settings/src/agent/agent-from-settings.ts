import { alwaysConfirm, confirmRisky, defineAgent, neverConfirm, type Agent, type AgentOptions } from '@varve/agent';
import {
  type ConfirmationPolicy,
  type PermissionRule,
  confirmationFromSpec,
  ensembleRisk,
  modelRisk,
  shellRisk,
  workspaceRisk,
} from '@varve/agent/confirmation';
import { builtinSubAgents, type SubAgent } from '@varve/agent/delegation';
import { presetPrompt } from '@varve/agent/specs';
import { type ContextFile } from '@varve/skills';
import { CondenserError, condenserFromSpec, condenserKinds, type Condenser } from '@varve/condensers';
import type { Json } from '@varve/events';
import type { LanguageModel } from '@varve/llm';
import { withoutUndefined } from '@varve/text';
import { SettingsError } from '../error.ts';
import type { Settings } from '../layers/resolve-settings.ts';
import { limitsFromSettings, resumedLimits } from './limits-from-settings.ts';
import type { StoredAgentParts } from './stored-agent-parts.ts';
import { startsSubAgents } from './sub-agents.ts';
import { toolsFromSettings, type ToolSetup } from './tools-from-settings.ts';

/** Options of {@link agentFromSettings}. */
export interface AgentSetup extends ToolSetup {
  readonly settings: Settings;
  readonly model: LanguageModel;
  /** Model that summarizes; default the one of the agent. */
  readonly condenserModel?: LanguageModel;
  /** Instructions of the project and the user, for the prompt of a new conversation. */
  readonly contextFiles?: readonly ContextFile[];
  /**
   * Trusted hooks. Absent without any, so that a conversation that was used with hooks is not resumed without them; an
   * empty object resumes it without.
   */
  readonly hooks?: NonNullable<AgentOptions['hooks']>;
  readonly skills?: NonNullable<AgentOptions['skills']>;
  /** Sub-agents; used if the agent has a tool that starts them. Default: the built-in ones. */
  readonly subAgents?: readonly SubAgent[];
  /** Parameters of the requests of a resumed conversation. */
  readonly parameters?: AgentOptions['parameters'];
  readonly signingKey?: NonNullable<AgentOptions['signingKey']>;
  /** Rules of the person for calls, in place of those that are stored with a conversation. */
  readonly rules?: readonly PermissionRule[];
  /**
   * Present for a stored conversation, whose own policy, limits and stuck rules apply unless a flag changes them; those
   * that it lacks are those of the settings.
   */
  readonly resumed?: Pick<StoredAgentParts, 'policy' | 'spec'>;
}

/**
 * Creates the agent that settings describe: tools, condenser, confirmation, limits, rules and the meaning of text.
 *
 * @throws {SettingsError} `invalid` for an unknown tool, and options that the condenser does not accept.
 */
export function agentFromSettings(setup: AgentSetup): Agent {
  const { settings, model, condenserModel, contextFiles = [], parameters, signingKey, resumed, rules } = setup;
  const confirmation = confirmationFor(settings, resumed);
  const secretNames = Object.keys(setup.secrets ?? {});
  const suffix = suffixOf(setup);
  const [concurrency, textReply] = [settings.get('concurrency'), settings.get('text_reply')];
  const tools = toolsFromSettings(settings, setup);
  return defineAgent({
    model,
    tools,
    prompt: presetPrompt(settings.get('tools.preset') ?? 'default', {
      files: contextFiles,
      secretNames,
      ...(suffix !== undefined && { suffix }),
    }),
    condenser: condenserOf(settings, condenserModel),
    ...withoutUndefined({ concurrency, textReply, parameters, signingKey, confirmation, rules }),
    ...withoutUndefined({ hooks: setup.hooks, skills: setup.skills, sandbox: setup.sandbox }),
    ...(startsSubAgents(tools.spec) && { subAgents: setup.subAgents ?? builtinSubAgents }),
    protectedPaths: [setup.home],
    recordsFiles: setup.place === undefined && settings.get('files.record') !== false,
    ...(resumed ? resumedLimits(settings, resumed.spec) : limitsFromSettings(settings)),
  });
}

function suffixOf({ settings, place }: AgentSetup): string | undefined {
  const suffix = settings.get('prompt.suffix');
  if (!place) return suffix;
  const where = `Commands run and files are on another machine. The working directory there is ${place.directory}.`;
  return [where, suffix].filter(Boolean).join('\n\n');
}

function confirmationFor(settings: Settings, resumed: AgentSetup['resumed']): ConfirmationPolicy | undefined {
  const isFlag = settings.entry('confirmation.policy')?.origin.kind === 'flag';
  return resumed?.policy !== undefined && !isFlag ? undefined : confirmationFromSettings(settings);
}

/** Returns the policy that settings choose. */
export function confirmationFromSettings(settings: Settings): ConfirmationPolicy {
  const policy = settings.get('confirmation.policy');
  if (policy === 'never') return neverConfirm();
  if (policy === 'ask') return alwaysConfirm();
  if (policy === 'plan') return confirmationFromSpec({ kind: 'OnlyReading' }, undefined);
  if (policy === 'edits') return confirmationFromSpec({ kind: 'ConfirmAllButEdits' }, undefined);
  const [threshold, confirmUnknown] = [settings.get('confirmation.threshold'), settings.get('confirmation.unknown')];
  return confirmRisky({
    analyzer: ensembleRisk([modelRisk(), shellRisk(), workspaceRisk()]),
    ...withoutUndefined({ threshold, confirmUnknown }),
  });
}

/** The limits of the settings are options of the kinds that have them. */
function condenserOf(settings: Settings, model: LanguageModel | undefined): Condenser {
  const kind = settings.get('condenser.kind') ?? 'llm-summary';
  const limits = withoutUndefined({
    maxEvents: settings.get('condenser.max_events'),
    windowShare: settings.get('condenser.window_share'),
    // Replaced by the model of the role.
    model: model && 'condenser',
  });
  const known = condenserKinds.find((each) => each.kind === kind)?.options().shape ?? {};
  const accepted = Object.entries(limits).filter(([name]) => Object.hasOwn(known, name));
  const spec: Json = { kind, ...Object.fromEntries(accepted), ...settings.get('condenser.options') };
  try {
    return condenserFromSpec(spec, model ? { model: () => model } : {});
  } catch (error) {
    if (!(error instanceof CondenserError)) throw error;
    throw new SettingsError('invalid', `condenser: ${error.message}`, { cause: error });
  }
}
