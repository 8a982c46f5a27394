import { readOptions } from '../words/options.ts';
import type { ShellWords } from '../words/shell-word.ts';

/** A git command without the options in front of it. */
export interface GitCommand {
  readonly name: string;
  /** False for an alias, and for a name that is only known when the command runs. */
  readonly isKnown: boolean;
  readonly args: ShellWords;
  /** Settings of `-c`. */
  readonly settings: readonly string[];
  readonly directories: readonly string[];
}

const options =
  '-v -h -p -P -C: -c: --version --help --html-path --paginate --no-pager --bare --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --git-dir: --work-tree: --namespace: --super-prefix: --attr-source: --list-cmds:';

/** Commands of git that do not run a program of their arguments or of an alias. */
const commands = new Set(
  'add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout checkout-index cherry cherry-pick clean clone commit commit-graph commit-tree config count-objects describe diff diff-files diff-index diff-tree difftool fast-export fetch filter-branch for-each-ref format-patch fsck gc grep hash-object help index-pack init lfs log ls-files ls-remote ls-tree maintenance merge merge-base merge-file merge-tree mktree mv name-rev notes pack-refs prune pull push range-diff read-tree rebase reflog remote repack replace rerere reset restore rev-list rev-parse revert rm send-email shortlog show show-branch show-ref sparse-checkout stash status submodule switch symbolic-ref tag update-index update-ref var version whatchanged worktree write-tree'.split(
    ' ',
  ),
);

/** Settings that name no program. */
const harmless =
  /^(?:user|color|column|advice|i18n|status|init|branch|push|pull|fetch|commit|tag|merge|rebase|log|blame|grep|index|pack|gc|safe|protocol|transfer|feature|http|lfs|format|apply|stash|rerere|submodule)\.(?!.*(?:command|helper|program|proxy|uploadpack|receivepack|template|tool|driver|path|vcs|cmd|\bext\b|update$))|^core\.(?:quotepath|autocrlf|eol|ignorecase|filemode|symlinks|longpaths|abbrev|safecrlf|excludesfile|bare|compression|untrackedcache|preloadindex|commentchar)$|^(?:diff\.(?:renames|algorithm|context|colormoved|noprefix|mnemonicprefix)|merge\.conflictstyle)$/i;

/** Programs that a setting may name. */
const harmlessValues = /^(?:cat|less|true|:|false|)$/;

/** Returns the git command; undefined if an option in front of it is not known. */
export function gitCommand(args: ShellWords): GitCommand | undefined {
  const read = readOptions(args, options);
  if (!read) return undefined;
  const word = args[read.at];
  const name = word ? (word.text ?? '') : 'version';
  const values = (option: string): readonly string[] =>
    read.options.flatMap((one) => (one.name === option ? (one.value ?? '') : []));
  return {
    name,
    isKnown: commands.has(name) && word?.isOneOf !== true,
    args: args.slice(read.at + 1),
    settings: values('-c'),
    directories: [...values('-C'), ...values('--work-tree')],
  };
}

/** Returns the words of a git command that name a program which git runs. */
export function programsOfGit({ name, args, settings }: GitCommand): readonly string[] {
  const found = settings.filter(
    (setting) => !isHarmless(setting.split('=', 1)[0] ?? '', setting.replace(/^[^=]*=/, '')),
  );
  const texts = args.map(({ text, shown }) => text ?? shown);
  const [first = ''] = texts;
  const has = (pattern: RegExp): readonly string[] => texts.filter((text) => pattern.test(text));
  const unsafe: Readonly<Record<string, RegExp>> = {
    bisect: /^run$/,
    clone: /^(?:-u|--up\w*-pack|--upload|-c|--config|--template)|^ext::/,
    config: /^$/,
    difftool: /^(?:-x|--extc)/,
    fetch: /^--upl|^ext::/,
    'filter-branch': /^--.*-filter/,
    grep: /^(?:-O|--open)/,
    archive: /^--(?:exec|remote)/,
    'ls-remote': /^--(?:upl|exec)|^ext::/,
    pull: /^--upl|^ext::/,
    push: /^--(?:rec|exec)|^ext::/,
    rebase: /^(?:-[a-zA-Z]*x|--ex(?:e|ec)?(?:=|$))/,
    remote: /^ext::/,
    submodule: /^foreach$|^ext::/,
    'send-email': /^--.*(?:cmd|server)/,
  };
  const pattern = Object.hasOwn(unsafe, name) ? unsafe[name] : undefined;
  if (name === 'config') return [...found, ...programsOfConfig(args)];
  if (name === 'lfs' && first === 'install') return found;
  return [...found, ...(pattern ? has(pattern) : [])];
}

/** Options of `git config` in front of the key. */
const configOptions = '-f: --file: --blob: --type: --default: --comment: -t: --value: --url: -l -z -e --*';

function programsOfConfig(args: ShellWords): readonly string[] {
  const words = args.map(({ text, shown, isOneOf }) => ({ text: text ?? shown, isOneOf: isOneOf === true }));
  const texts = words.map(({ text }) => text);
  const alternative = words.findIndex(({ isOneOf }) => isOneOf);
  // After the key, a word is a value, even if it is the name of an action or begins with a hyphen.
  const sure = (alternative < 0 ? texts : texts.slice(0, alternative)).map((text) => ({ text, shown: text }));
  const read = readOptions(sure, configOptions);
  const isRead = read?.options.some(({ name }) => /^(?:--get|--list|-l$|--unset|--show|--remove)/.test(name));
  if (isRead || /^(?:get|list|unset)$/.test(sure[read?.at ?? -1]?.text ?? '')) return [];
  const [first = '', ...value] = texts.filter((text) => !text.startsWith('-') && text !== 'set');
  if (texts.some((text) => /^(?:-e|--edit|edit)$/.test(text))) return ['--edit'];
  if (value.length === 0) return [];
  // One of several words may be the key.
  const keys = [first, ...value.filter((text) => alternative >= 0 && /^\w[\w-]*\.\S+$/.test(text))];
  return keys.filter((key) => !isHarmless(key, value.join(' ')));
}

function isHarmless(key: string, value: string): boolean {
  return harmless.test(key) || harmlessValues.test(value);
}
