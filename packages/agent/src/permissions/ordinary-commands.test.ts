import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { decisionOf } from '../testing/decision-of.ts';

const workspace = mkdtempSync(join(tmpdir(), 'varve-ordinary-'));
afterAll(() => rmSync(workspace, { recursive: true }));

const decision = (rule: string, command: string) => decisionOf(`deny ${rule}`, command, workspace);

const message = `git commit -m "$(cat <<'EOF'\nFix the parser\n\nIt failed on "$x" and C:\\x.\nEOF\n)"`;
const rules = ['path **/.env', 'path .env', 'path ./.env', 'path secrets/**', 'path **/secrets/**', 'path ~/.ssh/**'];

test.for(
  [
    'npm test; echo "exit: $?"',
    'npm test; echo "exit=$?"',
    'npm test | tee log; echo "exit ${PIPESTATUS[0]}"',
    'echo "count: $(ls | wc -l)"; echo "NODE_ENV=$NODE_ENV" "== $i =="',
    'echo "$PATH" | tr ":" "\\n"',
    '[ -z "$CI" ] || [ -d node_modules ] || npm install',
    'kill "$PID"; sleep "$N"; printf "%s\\n" "$line"',
    'while read -r line; do echo "$line"; done < list.txt',
    'start=$(date +%s); make; end=$(date +%s); echo "took $((end - start))s"',
    'make -j$(nproc)',
    'PORT=3001; curl -s "http://localhost:$PORT/api/users"',
    'curl -s "http://localhost:$PORT/api" -H "Authorization: Bearer $TOKEN"',
    'curl -s "http://localhost:${PORT:-3000}/health"',
    `curl -s -o /dev/null -w '%{http_code}\\n' http://localhost:8080/`,
    `curl -d '{"name":"a"}' http://localhost:3000/api`,
    'wget -qO- "http://localhost:$PORT/api"; /usr/bin/test -d "$X"',
    'for i in $(seq 1 9); do curl -s http://localhost:3000/items/$i; done',
    'for i in {1..30}; do echo "run $i"; done',
    'rm -f *.log build/*.o',
    'for f in src/*.ts; do head -5 "$f"; done',
    'for f in *.png; do convert "$f" "${f%.png}.jpg"; done',
    `awk '{sum += $1} END {print $2}' data.csv | sort -u`,
    `sed -n '/function parse/,/^}/p' src/x.ts; sed 's/"\\(.*\\)"/\\1/' f`,
    `grep -rn "parse(" src --include='*.ts'; grep -oP '(?<=version: )\\S+' f`,
    `rg "foo\\(.*\\)" -g '*.ts'; git grep -n render -- '*.ts'`,
    `git ls-files '*.ts' | wc -l; git tag -l 'v1.*'; ps aux | grep '[n]ode'`,
    'git diff "$(git merge-base main HEAD)"..HEAD --stat',
    message,
  ].flatMap((command) => rules.map((rule) => [command, rule] as const)),
)('%s is not asked about for a deny rule for %s', ([command, rule]) => {
  expect(decision(rule, command)).toBeUndefined();
});

test.for(['npm test; echo "exit: $?"', 'for i in 1 2; do echo "run $i of $(ls | wc -l)"; done'])(
  '%s is not asked about for a deny rule for a kind of files',
  (command) => {
    expect(decision('path *.pem', command)).toBeUndefined();
    expect(decision('path *.pem', 'echo *$?')).toBe('ask');
  },
);

test.for(['echo "$X" "$(date)"', message, 'for i in 1 2; do kill "$i"; done'])(
  '%s is not asked about for a deny rule for a command or a host',
  (command) => {
    expect(decision('command git push', command)).toBeUndefined();
    expect(decision('host example.com', command)).toBeUndefined();
  },
);

test.for([
  'cat "$X"',
  'echo $X',
  'kill $X',
  'printf %s $X*',
  'cat "a$X"',
  'dd "i$X"',
  'wc -l "${a[@]}" "${!b}"',
  'echo "${a[@]}" ${x:-"$@"}',
  './test "$X"',
  'curl -s http://localhost:$PORT/api',
  'curl -sO "https://example.com/$X"',
  'curl -s --remote-name "https://example.com/$X"',
  'wget "https://example.com/$X"',
  'curl "$URL"',
  'curl "file://$X" -H "$X"',
  'curl -d "a: $X" http://localhost',
  'node x "http://localhost:$PORT"',
  'echo "$X" | xargs cat',
  'cat < "$X"',
  'cat < "src/$X"',
  'echo x > "src/$X.log"',
  'echo x > "out/$X"; cat $(cat <<EOF\n$X\nEOF\n)',
  'cat $(date +%n$X)',
])('%s may name files of a deny rule', (command) => {
  for (const rule of ['path **/.env', 'path ~/.ssh/**', 'path .env']) expect(decision(rule, command), rule).toBe('ask');
});
