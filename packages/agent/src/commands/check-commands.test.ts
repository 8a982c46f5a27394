import { expect, test } from 'vitest';
import { checksOf } from './check-commands.ts';

/** The kind of a check, `?` if the exit status is not known, and `!` if a failure is that of the check. */
function read(script: string): string {
  const { checks, deciding, isAlone } = checksOf(script);
  const isDeciding = (command: string): boolean => deciding.some((each) => each.command === command);
  return checks.map(({ kind, command }) => kind + (isDeciding(command) ? (isAlone ? '!' : '') : '?')).join(' ');
}

test.for([
  ['npm test', 'tests!'],
  ['npm run test:unit -- --run', 'tests!'],
  ['cd web && CI=1 timeout 300 npx -y vitest run src/a.test.ts', 'tests!'],
  ['./node_modules/.bin/jest --ci 2>&1', 'tests!'],
  ['.venv/bin/python -m pytest -q', 'tests!'],
  ['uv run pytest -x', 'tests!'],
  ['python3 manage.py test', 'tests!'],
  ['cargo test --all', 'tests!'],
  ['go test ./...', 'tests!'],
  ['./gradlew test', 'tests!'],
  ['bash -c "pytest -q"', 'tests?'],
  ['npm run lint && npm test', 'lint tests'],
  ['npm ci && npm test', 'tests'],
  ['make && make test', 'build tests'],
  ['npm test; echo done', 'tests?'],
  ['echo start; npm test', 'tests!'],
  ['npm test | tail -20', 'tests?'],
  ['npm test || true', 'tests?'],
  ['npm test &', 'tests?'],
  ['OUT=$(pytest -q); echo "$OUT"', 'tests?'],
  ['for d in a b; do\n(cd $d; npm test)\ndone', 'tests?'],
  ['npx tsc --noEmit', 'types!'],
  ['ruff check .', 'lint!'],
  ['prettier --check .', 'lint!'],
  ['pnpm build', 'build!'],
  ['git commit -m "Fix (tsc errors); npm test"', ''],
  ['echo npm test', ''],
  ['cat vitest.config.ts', ''],
  ['eslint --fix src', ''],
  ['pytest --collect-only', ''],
  ['npm install test', ''],
  ['./run-everything.sh', ''],
  ['timeout 5 sleep 10', ''],
] as const)('%s', ([script, expected]) => {
  expect(read(script)).toBe(expected);
});
