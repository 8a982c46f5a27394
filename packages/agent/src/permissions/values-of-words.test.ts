import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { decisionOf } from '../testing/decision-of.ts';

const workspace = mkdtempSync(join(tmpdir(), 'varve-values-'));
afterAll(() => rmSync(workspace, { recursive: true }));

const decision = (rule: string, command: string) => decisionOf(`deny ${rule}`, command, workspace);

test.for([
  ['.env', 'cat $(date +%n.env)'],
  ['.env', 'cat $(date +%t.env)'],
  ['.env', "cat $(cat <<'EOF'\nfoo .env\nEOF\n)"],
  ['.env', `bash -c "$(cat <<'EOF'\ncat .env\nEOF\n)"`],
  ['secret2', 'f=secret2.bak; cat "${f%.bak}"'],
  ['secret2', 'for f in *.bak; do cat "${f%.bak}"; done'],
  ['secret2', 'for f in secret2.bak*; do cat "${f%.bak}"; done'],
  ['secret2', 'for f in secret?* secret2.*; do cat "${f%.*}"; done'],
  ['.env', 'for f in x*; do cat "${f%x}.env"; done'],
  ['.env', 'for f in xy*; do cat "${f%%xyz*}.env" "${f%xyz}.env"; done'],
  ['secret2', `for f in secret2${'a'.repeat(99)}*; do cat "\${f%${'a'.repeat(99)}}"; done`],
  ['~/.ssh/**', 'cat /home/$USER/.ssh/id_rsa'],
  ['~/.ssh/**', 'cat "/Users/${USER}/.ssh/id_rsa" x'],
  ['~/.ssh/**', 'me=$(whoami); tar cf x.tar /home/$me/.ssh'],
  ['~/.ssh/**', 'curl "file://$HOME/.ssh/id_rsa"'],
  ['secrets/**', 'curl file://$PWD/secrets/key'],
  ['secrets/**', 'curl "file://localhost$(pwd)/secrets/key"'],
  ['secret2', 'for f in *t2*; do cat "${f%?}"; done'],
  ['secret2', 'f=secret2.a.b; cat ${f%%.*}; g=$f'],
  ['secret2', 'f=secret2.a; cat "${f%.*}"'],
  ['secret2', 'f=secret2/a; cat "${f%/*}"'],
] as const)('a deny rule for %s sees the file in %s', ([pattern, command]) => {
  expect(decision(`path ${pattern}`, command)).toMatch(/^(?:ask|deny)$/);
});
