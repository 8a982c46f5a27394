import type { Redirection, SyntaxNode } from 'unbash';
import { limits } from './limits.ts';

/** Programs that run statements of their input. */
const clients = new Set(['mariadb', 'mongosh', 'mysql', 'psql', 'redis-cli', 'sqlite3']);
/** Statements that run a program. */
const programs = /^[^\S\n\r\u2028\u2029]*(?:\\+!|\.(?:shell|system)\b|system\s)/m;

/** Returns the texts of here-documents and here-strings. */
export function textsOf(redirections: readonly Redirection[]): readonly string[] {
  return redirections.flatMap((one) => {
    if (one.type === 'HereDoc') return [one.body.text.slice(0, limits.input)];
    return one.type === 'HereString' && one.target ? [one.target.value.slice(0, limits.input)] : [];
  });
}

/** Returns the texts that a node redirects into its commands. */
export function inputOf(node: SyntaxNode): readonly string[] {
  return node.type === 'Command' || node.type === 'Redirected' ? textsOf(node.redirects) : [];
}

/** Reports whether a program runs statements of its input. */
export function runsStatements(name: string): boolean {
  return clients.has(name);
}

/** Reports whether texts, as the input of a program, run other programs. */
export function startsPrograms(name: string, texts: readonly string[]): boolean {
  return clients.has(name) && texts.some((text) => programs.test(text));
}
