import type { CliCommand, Commands } from '../command-line/cli-command.ts';

/** The interactive session: the command without a name. */
export const defaultCommand = async (): Promise<CliCommand> => (await import('./session.ts')).session;

/**
 * All commands in the order of the help: add a file, then its line here. Only the files of the command that was typed
 * are loaded.
 */
export const commands: Commands = {
  run: async () => (await import('./run.ts')).run,
  resume: async () => (await import('./session.ts')).resume,
  ls: async () => (await import('./ls.ts')).ls,
  rename: async () => (await import('./rename.ts')).rename,
  fork: async () => (await import('./fork.ts')).fork,
  rm: async () => (await import('./rm.ts')).rm,
  rewind: async () => (await import('./rewind.ts')).rewind,
  bisect: async () => (await import('./bisect.ts')).bisect,
  scrub: async () => (await import('./scrub.ts')).scrub,
  gc: async () => (await import('./gc.ts')).gc,
  cp: async () => (await import('./cp.ts')).cp,
  migrate: async () => (await import('./migrate.ts')).migrate,
  backup: async () => (await import('./backup.ts')).backup,
  show: async () => (await import('./show.ts')).show,
  find: async () => (await import('./find.ts')).find,
  context: async () => (await import('./context.ts')).context,
  cost: async () => (await import('./cost.ts')).cost,
  condense: async () => (await import('./condense.ts')).condense,
  verify: async () => (await import('./verify.ts')).verify,
  repair: async () => (await import('./repair.ts')).repairCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  import: async () => (await import('./import.ts')).importCommand,
  secret: async () => (await import('./secret.ts')).secret,
  trust: async () => (await import('./trust.ts')).trust,
  permissions: async () => (await import('./permissions.ts')).permissions,
  key: async () => (await import('./key.ts')).key,
  acp: async () => (await import('./acp.ts')).acp,
  'mcp-server': async () => (await import('./mcp-server.ts')).mcpServer,
  serve: async () => (await import('./serve.ts')).serve,
  server: async () => (await import('./server.ts')).server,
  config: async () => (await import('./config.ts')).config,
  profile: async () => (await import('./profile.ts')).profile,
  mcp: async () => (await import('./mcp.ts')).mcp,
  skill: async () => (await import('./skill.ts')).skill,
  plugin: async () => (await import('./skill.ts')).plugin,
  init: async () => (await import('./init.ts')).init,
  doctor: async () => (await import('./doctor.ts')).doctor,
  completion: async () => (await import('./completion.ts')).completion,
  demo: async () => (await import('./demo.ts')).demo,
};
