import type { CliCommand, Commands } from './cli-command.ts';

/** The interactive session: the command without a name. */
export const defaultCommand = async (): Promise<CliCommand> => (await import('./commands/session.ts')).session;

/**
 * All commands in the order of the help: add a file, then its line here. Only the files of the command that was typed
 * are loaded.
 */
export const commands: Commands = {
  run: async () => (await import('./commands/run.ts')).run,
  resume: async () => (await import('./commands/session.ts')).resume,
  ls: async () => (await import('./commands/ls.ts')).ls,
  rename: async () => (await import('./commands/rename.ts')).rename,
  fork: async () => (await import('./commands/rename.ts')).fork,
  rm: async () => (await import('./commands/rm.ts')).rm,
  rewind: async () => (await import('./commands/rewind.ts')).rewind,
  scrub: async () => (await import('./commands/scrub.ts')).scrub,
  gc: async () => (await import('./commands/gc.ts')).gc,
  cp: async () => (await import('./commands/cp.ts')).cp,
  migrate: async () => (await import('./commands/migrate.ts')).migrate,
  backup: async () => (await import('./commands/backup.ts')).backup,
  show: async () => (await import('./commands/show.ts')).show,
  context: async () => (await import('./commands/context.ts')).context,
  condense: async () => (await import('./commands/condense.ts')).condense,
  verify: async () => (await import('./commands/verify.ts')).verify,
  repair: async () => (await import('./commands/repair.ts')).repairCommand,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  import: async () => (await import('./commands/import.ts')).importCommand,
  secret: async () => (await import('./commands/secret.ts')).secret,
  trust: async () => (await import('./commands/trust.ts')).trust,
  permissions: async () => (await import('./commands/permissions.ts')).permissions,
  key: async () => (await import('./commands/key.ts')).key,
  acp: async () => (await import('./commands/acp.ts')).acp,
  'mcp-server': async () => (await import('./commands/mcp-server.ts')).mcpServer,
  serve: async () => (await import('./commands/serve.ts')).serve,
  config: async () => (await import('./commands/config.ts')).config,
  profile: async () => (await import('./commands/profile.ts')).profile,
  mcp: async () => (await import('./commands/mcp.ts')).mcp,
  skill: async () => (await import('./commands/skill.ts')).skill,
  plugin: async () => (await import('./commands/skill.ts')).plugin,
  init: async () => (await import('./commands/init.ts')).init,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  completion: async () => (await import('./commands/completion.ts')).completion,
  demo: async () => (await import('./commands/demo.ts')).demo,
};
