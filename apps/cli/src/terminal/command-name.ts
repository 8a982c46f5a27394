import type { TerminalIo } from './terminal-io.ts';

/** Returns the command to type: through pnpm in a clone, else its name. */
export function commandName({ env }: TerminalIo): string {
  return env['npm_lifecycle_event'] !== undefined && (env['npm_config_user_agent'] ?? '').startsWith('pnpm/')
    ? 'npx -y pnpm@12 -s start'
    : 'varve';
}

/** Replaces the name of the program in commands of a message, which are in backticks. */
export function withCommandName(message: string, io: TerminalIo): string {
  return message.replaceAll('`varve ', `\`${commandName(io)} `);
}
