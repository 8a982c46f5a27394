/** Word of a command; `text` is undefined when it is only known when the command runs. */
export interface ShellWord {
  readonly text: string | undefined;
}

/** Command that another command runs through its arguments: words, a shell script, or unknown. */
export type Carried<Word extends ShellWord> =
  | { readonly kind: 'words'; readonly words: readonly Word[] }
  | { readonly kind: 'script'; readonly source: string }
  | { readonly kind: 'unseen' };

interface Wrapper {
  /** Options that take the next word as their value. */
  readonly valued?: string;
  /** Words between the options and the command. */
  readonly skipped?: number;
}

/** Commands that run the command in their arguments. */
const wrappers: Readonly<Record<string, Wrapper>> = {
  builtin: {},
  busybox: {},
  chroot: { skipped: 1 },
  command: {},
  doas: { valued: 'uC' },
  env: { valued: 'uC' },
  exec: { valued: 'a' },
  ionice: { valued: 'cnp' },
  nice: { valued: 'n' },
  nohup: {},
  setsid: {},
  stdbuf: { valued: 'ioe' },
  sudo: { valued: 'CDghpRrTtUu' },
  time: { valued: 'fo' },
  timeout: { valued: 'ks', skipped: 1 },
  xargs: { valued: 'adEILnPs' },
};

const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish']);
const interpreters = /^(?:python[\d.]*|perl|ruby|node|nodejs|deno|bun|php|lua|awk|gawk)$/;

/** Reports whether a program runs its input or an argument as code. */
export function runsCode(name: string): boolean {
  return shells.has(name) || interpreters.test(name) || name === 'eval' || name === 'source' || name === '.';
}

/** Returns the commands that a command runs through its arguments. */
export function carriedBy<Word extends ShellWord>(name: string, args: readonly Word[]): readonly Carried<Word>[] {
  if (name === 'eval') return [scriptOf(args)];
  if (shells.has(name)) return carriedByShell(args);
  if (interpreters.test(name)) return carriedByInterpreter(name, args);
  if (name === 'find') return carriedByFind(args);
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  return wrapper ? carriedByWrapper(wrapper, args) : [];
}

function carriedByWrapper<Word extends ShellWord>(
  { valued = '', skipped = 0 }: Wrapper,
  args: readonly Word[],
): readonly Carried<Word>[] {
  let at = 0;
  for (; at < args.length; at++) {
    const text = args[at]?.text;
    if (text === undefined) return [{ kind: 'unseen' }];
    if (text === '--') {
      at++;
      break;
    }
    if (/^-S|^--split-string/.test(text)) return [{ kind: 'unseen' }];
    if (/^-[a-zA-Z]$/.test(text) && valued.includes(text.charAt(1))) at++;
    else if (!text.startsWith('-') && !/^\w+=/.test(text)) break;
  }
  const words = args.slice(at + skipped);
  return words.length > 0 ? [{ kind: 'words', words }] : [];
}

/** Reports whether a shell runs its standard input: it has neither a script in its arguments nor a file. */
function carriedByShell(args: readonly ShellWord[]): readonly Carried<never>[] {
  const at = args.findIndex(({ text }) => text !== undefined && /^-\w*c\w*$/.test(text));
  if (at >= 0) return [scriptOf(args.slice(at + 1, at + 2))];
  const first = args.find(({ text }) => text === undefined || !text.startsWith('-'));
  return first?.text === undefined && !args.some(({ text }) => text === '--version') ? [{ kind: 'unseen' }] : [];
}

function carriedByInterpreter(name: string, args: readonly ShellWord[]): readonly Carried<never>[] {
  if (name.endsWith('awk')) return args.some(({ text }) => text?.includes('system(')) ? [{ kind: 'unseen' }] : [];
  const [first] = args;
  const isInline = args.some(({ text }) => text !== undefined && /^-(?:\w*[ce]|E|p|r|-eval|-print)$/.test(text));
  return !first || first.text === undefined || first.text === '-' || isInline ? [{ kind: 'unseen' }] : [];
}

function carriedByFind<Word extends ShellWord>(args: readonly Word[]): readonly Carried<Word>[] {
  return args.flatMap(({ text }, index): Carried<Word>[] => {
    if (text === undefined || !/^-(?:exec|ok)(?:dir)?$/.test(text)) return [];
    const end = args.findIndex((word, at) => at > index && (word.text === ';' || word.text === '+'));
    return [{ kind: 'words', words: args.slice(index + 1, end < 0 ? undefined : end) }];
  });
}

function scriptOf(words: readonly ShellWord[]): Carried<never> {
  const texts = words.flatMap(({ text }) => text ?? []);
  return texts.length < words.length || words.length === 0
    ? { kind: 'unseen' }
    : { kind: 'script', source: texts.join(' ') };
}
