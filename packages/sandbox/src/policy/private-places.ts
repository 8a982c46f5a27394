import { existsSync, readdirSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import { realPath } from './real-path.ts';
import { below, credentialPaths, isWithin, listed, settingsPlaces, startupFiles } from './paths.ts';

/** What builds need of these directories. */
const visiblePaths = listed(`
  .config/git, .config/go, .config/fish, .config/mise, .config/nix, .config/ccache, .config/clangd, .config/fontconfig,
  .config/ruff, .config/yamllint, .config/flake8, .config/matplotlib, .local/share/pnpm, .local/share/uv,
  .local/share/mise, .local/share/fnm, .local/share/nvm, .local/share/virtualenv, .local/share/virtualenvs,
  .local/share/pipx, .local/share/pypoetry, .local/share/hatch, .local/share/pdm, .local/share/gem, .local/share/NuGet,
  .local/share/coursier, .local/share/fonts, .local/share/man, .local/state/pnpm, .local/state/nix, .local/state/fnm_multishells
`);

/** Names below a home directory that builds need: caches, tools in several versions, and settings without secrets. */
const visibleNames: ReadonlySet<string> = new Set(
  listed(`
  .cache, .npm, .pnpm-store, .yarn, .yarnrc, .bun, .deno, .cargo, .rustup, .gradle, .m2, .mavenrc, .ivy2, .sbt, .coursier,
  .nvm, .nvmrc, .fnm, .volta, .nodenv, .node-version, .node_modules, .node-gyp, .asdf, .asdfrc, .tool-versions,
  .pyenv, .python-version, .virtualenvs, .conda, .rbenv, .rvm, .ruby-version, .gem, .bundle, .cpan, .cpanm,
  .composer, .phpenv, .sdkman, .jenv, .goenv, .go, .nuget, .dotnet, .templateengine, .ghcup, .cabal, .stack, .opam,
  .elan, .julia, .juliaup, .pub-cache, .flutter, .android, .konan, .swiftpm, .ccache, .hex, .mix,
  .nix-profile, .nix-defexpr, .nltk_data, .keras, .matplotlib, .local, .config, .editorconfig, .inputrc, .terminfo,
  .fonts, .prettierrc, .eslintrc, .eslintrc.json, .eslintrc.js, .clang-format, .clang-tidy, .rubocop.yml, .pylintrc,
  .flake8, .irbrc, .pryrc, .pythonrc, .Rprofile, .gdbinit, .ripgreprc, .ignore, .rgignore
`).concat(startupFiles),
);

/** Names of what is run, below any name of a home directory. */
const visibleParts: readonly string[] = ['bin', 'skills'];

/** Paths of a home directory that a sandbox hides, and those inside that it shows. */
export interface PrivatePlaces {
  readonly hidden: readonly string[];
  readonly visible: readonly string[];
}

/**
 * Returns what a home directory has in addition to what builds need: of names that begin with a dot, and of the
 * directories of settings. Programs and skills are shown everywhere, and what is `allowed`; `kept` are paths that
 * programs write.
 */
export function privatePlaces(home: string, kept: readonly string[], allowed: readonly string[]): PrivatePlaces {
  const names = existsSync(home) ? readdirSync(home).filter((name) => name.startsWith('.') && !isVisible(name)) : [];
  const hidden = below(home, names).filter((path) => {
    const real = realPath(path);
    // A link may lead to anything, also to the home directory.
    return real !== home && isWithin(real, home) && !kept.includes(real);
  });
  return {
    hidden: [...hidden, ...below(home, settingsPlaces)].filter((path) => !allowed.includes(path)),
    visible: [
      ...below(home, visiblePaths),
      ...hidden.flatMap((path) => below(path, visibleParts)),
      ...ownProgram(home),
      ...allowed,
    ],
  };
}

/** Returns the directory of the program that forwards connections, if it would be hidden. */
function ownProgram(home: string): readonly string[] {
  return isPrivate(process.execPath, home) ? [dirname(dirname(process.execPath))] : [];
}

/** Reports whether a path is one of credentials, or of a home directory and nothing that builds need. */
export function isPrivate(path: string, home: string): boolean {
  const inside = relative(home, path);
  if (credentialPaths.some((name) => isWithin(inside, name))) return true;
  const isInPlace = settingsPlaces.some((place) => inside !== place && isWithin(inside, place));
  if (isInPlace) return !visiblePaths.some((name) => isWithin(inside, name) || isWithin(name, inside));
  const [name = '', part = ''] = inside.split(sep);
  return /^\.[^.]/.test(name) && !isVisible(name) && !visibleParts.includes(part);
}

/** Settings of git may include others, such as `.gitconfig-work`. */
function isVisible(name: string): boolean {
  return visibleNames.has(name) || /^\.git(?!-credentials)/.test(name);
}
