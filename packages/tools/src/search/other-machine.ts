import { posix } from 'node:path';
import { shellWord } from '@varve/text';
import { ToolError } from '../contract/error.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Located, Machine } from './machine.ts';
import { passOn, type RipgrepEnd } from './ripgrep.ts';

/** Maximum size of the output of a search: less than a workspace collects. */
const maxBytes = 4 * 1024 * 1024;
/** Tests of a shell, of which the last that succeeds counts. */
const kinds: Readonly<Record<string, Located['kind']>> = { e: 'other', f: 'file', d: 'directory' };

/**
 * Returns the machine of a workspace, which runs the ripgrep on its search path, or the given one. Ripgrep sorts the
 * files there. Its output arrives as text, so that a name with a replacement character counts as one that is not UTF-8.
 */
export function otherMachine({ execute }: Workspace, ripgrep = 'rg'): Machine {
  return {
    order: ['--sortr=modified'],
    async locate(path, roots, signal) {
      const at = posix.resolve(roots[0] ?? '', path);
      const real = [at, ...roots].map((each) => `readlink -f ${shellWord(each)}; printf '\\0'; `);
      const kind = Object.keys(kinds).map((letter) => `[ -${letter} ${shellWord(at)} ] && printf ${letter}; `);
      const { stdout } = await execute([...real, ...kind].join(''), { signal });
      const [first, ...rest] = stdout.split('\0').map((part) => part.replace(/\n$/, ''));
      const letter = rest.pop() ?? '';
      return { real: first === '' ? undefined : first, kind: kinds[letter.slice(-1)], roots: rest.filter(Boolean) };
    },
    async run(run) {
      const words = [ripgrep, '--no-config', '--color=never', ...run.args].map(shellWord).join(' ');
      // The status of a pipe is that of its last program.
      const search = `{ ${words}; printf '\\n%s' "$?" >&2; } | head -c ${maxBytes}`;
      const script = `cd -- ${shellWord(run.directory)} && ${search}`;
      const { stdout, stderr, timedOut } = await execute(script, { timeoutMs: run.timeoutMs, signal: run.signal });
      const isWhole = (await passOn([stdout], run)) && Buffer.byteLength(stdout) < maxBytes;
      if (timedOut) return { end: 'late' };
      return isWhole ? endOf(ripgrep, stderr) : { end: 'stopped' };
    },
    async newest(names, { directory: top, limit }) {
      const named = names.filter((name) => !name.includes('\uFFFD'));
      const paths = named.slice(0, limit).map((name) => posix.join(top, name));
      return { paths, count: named.length, unnamed: names.length - named.length };
    },
  };
}

/** Returns the end of a search whose messages are followed by its status. */
function endOf(ripgrep: string, messages: string): RipgrepEnd {
  const [, message = messages, status] = /^(.*)\n(\d+)$/s.exec(messages.trimEnd()) ?? [];
  if (status === '0' || status === '1') return { end: 'done' };
  if (status === '127') throw new ToolError('unusable', `No ripgrep was found on the other machine, as ${ripgrep}.`);
  return { end: 'done', message: message.trim() || 'ripgrep failed.' };
}
