import { decidingCommands, plainCommands } from './plain-commands.ts';

/** Command that checks the work, and reports by its exit status whether all is right. */
export interface Check {
  readonly kind: 'tests' | 'lint' | 'types' | 'build';
  /** Program, without what starts it. */
  readonly program: string;
  /** Command as it was written, without what starts it. */
  readonly command: string;
}

const scripts = String.raw`(?:npm|pnpm|yarn|bun) (?:run )?`;

/** First words of checks: one is a row. */
const table: readonly (readonly [Check['kind'], string])[] = [
  ['tests', String.raw`${scripts}(?:test|t)(?:[:\w-]*)`],
  ['tests', 'vitest|jest|mocha|ava|tap|node --test|deno test|playwright test|cypress run'],
  ['tests', String.raw`pytest|py\.test|unittest|nose2|tox|nox|manage\.py test`],
  ['tests', 'go test|cargo test|cargo nextest run|swift test|ctest|bats|busted'],
  ['tests', 'mvn test|mvn verify|gradlew? test|gradlew? check|sbt test|dotnet test'],
  ['tests', 'rspec|rake test|rails test|phpunit|pest|mix test|flutter test|dart test|make test|make check'],
  ['lint', `${scripts}lint[:\\w-]*|eslint|oxlint|stylelint|biome (?:check|lint|ci)|prettier (?:.* )?(?:--check|-c)`],
  ['lint', 'ruff(?: check)?|flake8|pylint|black --check|golangci-lint run|go vet|cargo clippy|cargo fmt --check'],
  ['lint', 'rubocop|shellcheck|hadolint|yamllint|ktlint|checkstyle|clang-tidy|deno lint'],
  ['types', String.raw`${scripts}(?:type-?check|types|tsc)(?:[:\w-]*)|tsc|vue-tsc|svelte-check`],
  ['types', 'mypy|pyright|basedpyright|cargo check|deno check|flow check|sorbet'],
  ['build', `${scripts}build[:\\w-]*|vite build|next build|webpack|rollup|go build|cargo build|dotnet build`],
  ['build', 'mvn (?:package|compile|install)|gradlew? (?:build|assemble)|cmake --build|swift build|make(?: all)?$'],
];

const rows = table.map(([kind, words]) => [kind, new RegExp(`^(?:${words})(?= |$)`)] as const);

/** What starts a program: variables, limits of time, package managers and interpreters. */
const starter =
  /^(?:(?:env|\w+=\S*|time|nice|nohup|exec|timeout(?: -\S+)* \S+|(?:npx|bunx|pnpx)(?: -\S+)*|(?:p?npm|yarn|bundle) exec(?: --)?|(?:uv|poetry|pipenv|pdm|hatch|rye) run(?: -\S+)*|(?:\S*\/)?python[\d.]*(?: -m)?) +|[^\s=]*\/(?=\S))/;

/** Options with which such a program checks nothing, or does not end. */
const noCheck = / (?:--watch(?:All)?(?!=false)|--help|-h|--version|--list\w*|--collect-only|--dry-run|--init|--fix)\b/;

/** Returns the check that a command is; undefined for another one, and for a program that is not known. */
function checkOf(text: string): Check | undefined {
  let command = text.trim();
  for (let left = 10; left > 0 && starter.test(command); left--) command = command.replace(starter, '');
  const kind = noCheck.test(command) ? undefined : rows.find(([, row]) => row.test(command))?.[0];
  return kind && { kind, program: /^\S+/.exec(command)?.[0] ?? '', command };
}

/** Checks of a script, and those whose exit status is that of the script. */
export interface ScriptChecks {
  readonly checks: readonly Check[];
  /** All of them passed if the script ended with 0. */
  readonly deciding: readonly Check[];
  /** True if the only one failed if the script ended with another status; a `cd` may be in front of it. */
  readonly isAlone: boolean;
}

/** Maximum number of characters of a script that is read. */
const maxChars = 10_000;

/** Finds the checks of a script, also in one that is not plain: of those the exit status is unknown. */
export function checksOf(typed: string): ScriptChecks {
  const script = typed.slice(0, maxChars);
  const plain = plainCommands(script)?.map(({ words }) => words.join(' '));
  const checks = (plain ?? script.split(/[\n;|&(){}`]+/)).flatMap((part) => checkOf(part) ?? []);
  const commands = checks.length > 0 ? decidingCommands(script).map(({ words }) => words.join(' ')) : [];
  const deciding = commands.flatMap((command) => checkOf(command) ?? []);
  const isAlone = deciding.length === 1 && commands.filter((command) => !command.startsWith('cd ')).length === 1;
  return { checks, deciding, isAlone };
}
