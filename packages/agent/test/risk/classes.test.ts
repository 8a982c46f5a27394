import { expect, test } from 'vitest';
import { asks } from './asks.ts';

const copies = ['tar cf x', 'scp -r', 'find', '7za a x', 'bsdtar cf x', 'rclone copy', 'aws s3 cp --recursive', 'mv'];
const folders = ['~/.ssh', '~/.gnupg/', '$HOME/.aws', '../../.ssh'];

test.for(copies.flatMap((program) => folders.map((folder) => `${program} ${folder} x`)))(
  'asks about %s, which copies or sends a directory of keys',
  (command) => {
    expect(asks(command)).toBe(true);
  },
);

test.for([
  'docker run -v ~/.ssh:/x alpine ls /x',
  'cd && grep -r key .aws',
  'npm --node-options=--require=./x test',
  'npm config set node-options --require=./x',
  'go build -toolexec "rm -rf" ./...',
  'RUSTDOC=./x cargo doc',
  'RUSTFLAGS="-C linker=./x" cargo build',
  'CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=./x cargo test',
  'CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER=$L cargo build',
])('asks about %s', (command) => {
  expect(asks(command)).toBe(true);
});

const padding = 'x'.repeat(40);
const patterns = [
  '[a-z]',
  '\\w',
  '.',
  '.*',
  '.+d?',
  '(s|n|h)',
  '[[:alpha:]]',
  '^[^x]',
  'sh',
  '(((\\S+)+)+)+',
  // A comparison with these would take time that is exponential in their counts.
  '(.?){99}z',
  '((.?){9}){9}z',
  '((((.?)+)+)+)+z',
  `.|${padding}`,
  '(node|bash|sshd|python|systemd|init|postgres)',
  '[a-zA-Z0-9/._ -][a-zA-Z0-9/._ -]*',
  'x?'.repeat(20),
];
const programs = ['pkill', 'pkill -9 -f', 'killall -r', 'skill -KILL'];

test.for([
  ...programs.flatMap((program) => patterns.map((pattern) => `${program} '${pattern}'`)),
  'pkill -f /',
  'pkill --inverse x',
  'pkill -G 1000',
  'pkill --group staff',
])('asks about %s, which stops unrelated programs', (command) => {
  expect(asks(command)).toBe(true);
});

test.for([
  'node /data/me/project/dist/server.js --port 3000',
  'vite.*--port 5173.*--host 0.0.0.0.*',
  'python -m http.server 8000|node dist/server.js --watch',
  'next dev|vite|webpack serve|react-scripts start|astro dev',
  'uvicorn|gunicorn|celery|flask run|manage.py runserver',
])('does not ask about a long pattern for few programs: %s', (pattern) => {
  expect(asks(`pkill -f '${pattern}'`)).toBe(false);
});
