import type { CommandTable } from './command-line.ts';

/** Commands of the program whose output a session shows. The session itself is not one of them. */
export const sessionCommands: CommandTable['commands'] = {
  ls: async () => (await import('./commands/ls.ts')).ls,
  show: async () => (await import('./commands/show.ts')).show,
  context: async () => (await import('./commands/context.ts')).context,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  permissions: async () => (await import('./commands/permissions.ts')).permissions,
  config: async () => (await import('./commands/config.ts')).config,
  mcp: async () => (await import('./commands/mcp.ts')).mcp,
};
