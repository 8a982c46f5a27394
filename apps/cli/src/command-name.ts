import type { TerminalIo } from './terminal-io.ts';

/** How the person can type the command again: from a clone through pnpm, else by its name. */
export function commandName({ env }: TerminalIo): string {
  return env['npm_lifecycle_event'] !== undefined && (env['npm_config_user_agent'] ?? '').startsWith('pnpm/')
    ? 'npx -y pnpm@12 start'
    : 'varve';
}
