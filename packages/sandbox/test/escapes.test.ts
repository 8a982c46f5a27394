import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSandbox } from '../src/open-sandbox.ts';
import { privateDirectory } from '../src/private-directory.ts';
import { openPlace, problem } from './support/open-place.ts';

const git = (directory: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: directory, encoding: 'utf8' });

/** Creates a repository with one commit. */
function repository(directory: string): void {
  mkdirSync(directory, { recursive: true });
  git(directory, 'init', '-q');
  writeFileSync(join(directory, 'file'), '1');
  git(directory, 'add', '.');
  git(directory, 'commit', '-qm', 'first');
}

describe.skipIf(problem !== undefined)('a program in a sandbox', () => {
  test('writes to the workspace and not outside of it', async () => {
    using place = openPlace({ prepare: ({ home }) => writeFileSync(join(home, 'notes'), '') });
    await place.run(
      'rm -rf ~/notes ~; echo 1 >inside; echo 1 >"$ROOT/outside"; echo 1 >/etc/outside; echo 1 >>~/.bashrc',
    );
    const names = [
      join(place.workspace, 'inside'),
      join(place.home, 'notes'),
      join(place.home, '.bashrc'),
      join(place.root, 'outside'),
      '/etc/outside',
    ];
    expect(names.map((name) => existsSync(name))).toEqual([true, true, false, false, false]);
  });

  test('does not reach the private files of other shells and sandboxes, which are temporary files', async () => {
    const directory = mkdtempSync(join(privateDirectory(), 'varve-other-'));
    writeFileSync(join(directory, 'secrets'), 'THE KEY');
    using place = openPlace({ temporary: [tmpdir()] });
    using _ = openPlace();
    const { output } = await place.run(
      `cat '${directory}/secrets'; echo evil >>'${directory}/secrets'; ls '${privateDirectory()}'; touch '${tmpdir()}/shared' && echo shared`,
    );
    expect(output).not.toMatch(/THE KEY|varve-sandbox/);
    expect(output).toContain('shared\n');
    expect(readFileSync(join(directory, 'secrets'), 'utf8')).toBe('THE KEY');
  });

  test('writes nothing with the profile for reading', async () => {
    using place = openPlace({ profile: 'read-only' });
    const { code } = await place.run('echo 1 >inside');
    expect([code, existsSync(join(place.workspace, 'inside'))]).toEqual([1, false]);
  });

  test('reads no credentials, neither by their name nor by that of a link', async () => {
    using place = openPlace({
      prepare({ home, root, workspace }) {
        mkdirSync(join(home, '.ssh'));
        writeFileSync(join(home, '.ssh/id_rsa'), 'THE KEY');
        mkdirSync(join(root, 'elsewhere'));
        writeFileSync(join(root, 'elsewhere/credentials'), 'THE KEY');
        symlinkSync(join(root, 'elsewhere'), join(home, '.aws'));
        writeFileSync(join(home, '.npmrc'), 'THE KEY');
        symlinkSync(join(home, '.npmrc'), join(workspace, 'link'));
      },
    });
    const { output } = await place.run(
      'cat ~/.ssh/id_rsa ~/.aws/credentials "$ROOT/elsewhere/credentials" ~/.npmrc link; ls ~/.ssh; cp -r ~ copy; cat copy/.npmrc; ln ~/.npmrc hard; cat hard; mv ~/.ssh moved; rmdir ~/.ssh; grep -rs "THE KEY" ~ "$ROOT"',
    );
    expect(output).not.toContain('THE KEY');
  });

  test('writes to caches, but not to what shells start from there', async () => {
    const prompt = '.cache/p10k-instant-prompt-me.zsh';
    using place = openPlace({
      prepare({ home }) {
        mkdirSync(join(home, '.cache/gitstatus'), { recursive: true });
        writeFileSync(join(home, prompt), '');
      },
    });
    await place.run(
      `cd ~; echo evil >>${prompt}; mv -f /dev/null ${prompt}; echo evil >.cache/gitstatus/gitstatusd; mkdir .cache/pip; echo 1 >.cache/pip/file`,
    );
    expect(readFileSync(join(place.home, prompt), 'utf8')).toBe('');
    expect(['gitstatus/gitstatusd', 'pip/file'].map((name) => existsSync(join(place.home, '.cache', name)))).toEqual([
      false,
      true,
    ]);
  });

  test('does not write through a link out of the workspace', async () => {
    using place = openPlace({ prepare: ({ home, workspace }) => symlinkSync(home, join(workspace, 'out')) });
    await place.run('echo 1 >out/file; echo 1 >"out/../other"; ln -s "$ROOT" new; echo 1 >new/file');
    expect(['home/file', 'file', 'other'].filter((name) => existsSync(join(place.root, name)))).toEqual([]);
  });

  test('commits, but changes neither hooks nor the configuration of git', async () => {
    using place = openPlace({ prepare: ({ workspace }) => repository(workspace) });
    const { output } = await place.run(`
      git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second && git log --oneline | wc -l
      echo evil >.git/hooks/pre-commit; git config core.hooksPath /tmp; git config --worktree core.hooksPath /tmp
      mv .git .git2; mkdir -p .git/hooks; rm -rf .git/hooks; mv .git/hooks .git/other; rm .git/config; mv .git/config .git/c`);
    expect(output).toMatch(/^2\n/);
    expect(existsSync(join(place.workspace, '.git2'))).toBe(false);
    expect(existsSync(join(place.workspace, '.git/hooks/pre-commit'))).toBe(false);
    expect(git(place.workspace, 'config', '--list')).not.toContain('hookspath');
  });

  test('commits in a worktree, but does not change hooks of its repository', async () => {
    using place = openPlace({
      prepare({ root, workspace }) {
        repository(join(root, 'main'));
        git(join(root, 'main'), 'worktree', 'add', '-q', '-b', 'other', join(workspace, 'tree'));
      },
    });
    using tree = openPlace({ workspace: join(place.workspace, 'tree') });
    const { output } = await tree.run(`
      git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second && git log --oneline | wc -l
      echo evil >"${place.root}/main/.git/hooks/pre-commit"; git config core.hooksPath /tmp; echo 1 >"${place.root}/main/file"
      rm .git; echo "gitdir: /tmp" >.git; echo /tmp >"$(git rev-parse --git-dir)/commondir"`);
    expect(output).toMatch(/^2\n/);
    expect(existsSync(join(place.root, 'main/.git/hooks/pre-commit'))).toBe(false);
    expect(readFileSync(join(place.root, 'main/file'), 'utf8')).toBe('1');
    expect(readFileSync(join(tree.workspace, '.git'), 'utf8')).toContain(place.root);
  });

  test('leads git to no other directory, neither here nor in other worktrees', async () => {
    using place = openPlace({
      prepare({ root, workspace }) {
        repository(workspace);
        git(workspace, 'worktree', 'add', '-q', '-b', 'other', join(root, 'other'));
        mkdirSync(join(workspace, 'evil'));
        for (const name of ['objects', 'refs', 'HEAD', 'config', 'worktrees'])
          cpSync(join(workspace, '.git', name), join(workspace, 'evil', name), { recursive: true });
        git(workspace, 'config', '-f', 'evil/config', 'core.fsmonitor', `touch "${root}/ran"; false`);
      },
    });
    await place.run(
      `for one in .git .git/worktrees/other; do rm -f $one/commondir; echo "$PWD/evil" >$one/commondir; mv -f evil/HEAD $one/commondir; done
      mv .git/worktrees/other other2; mv .git/worktrees old; mkdir -p .git/worktrees/other; cp -r other2/. old/other/. .git/worktrees/other; echo "$PWD/evil" >.git/worktrees/other/commondir`,
    );
    for (const directory of [place.workspace, join(place.root, 'other')])
      expect(git(directory, 'log', '--format=%s')).toBe('first\n');
    git(place.workspace, 'status');
    git(join(place.root, 'other'), 'status');
    expect(existsSync(join(place.root, 'ran'))).toBe(false);
    place.sandbox.close();
    expect(existsSync(join(place.workspace, '.git/commondir'))).toBe(false);
  });

  test('changes neither files nor hooks that the configuration of git names', async () => {
    using place = openPlace({
      prepare({ workspace }) {
        repository(workspace);
        writeFileSync(join(workspace, 'common.gitconfig'), '[core]\n');
        git(workspace, 'config', 'include.path', '../common.gitconfig');
        mkdirSync(join(workspace, '.husky/_'), { recursive: true });
        git(workspace, 'config', 'core.hooksPath', '.husky/_');
      },
    });
    await place.run(
      'git config -f common.gitconfig core.fsmonitor evil; echo evil >>common.gitconfig; mv .husky h2; mkdir -p .husky/_; echo evil >.husky/_/pre-commit',
    );
    expect(existsSync(join(place.workspace, '.husky/_/pre-commit'))).toBe(false);
    expect(readFileSync(join(place.workspace, 'common.gitconfig'), 'utf8')).toBe('[core]\n');
  });

  test('gains no access to a repository that a file of the workspace names', async () => {
    using place = openPlace({
      prepare({ root, workspace }) {
        repository(join(root, 'other'));
        writeFileSync(join(workspace, '.git'), `gitdir: ${join(root, 'other/.git')}\n`);
      },
    });
    await place.run('echo evil >"$ROOT/other/.git/refs/heads/evil"');
    expect(existsSync(join(place.root, 'other/.git/refs/heads/evil'))).toBe(false);
  });

  test('creates no file that agents execute, and leaves nothing of the wall', async () => {
    const names = ['.varve', '.agents', '.mcp.json', '.vscode'];
    using place = openPlace({ prepare: ({ workspace }) => mkdirSync(join(workspace, '.claude')) });
    const { output } = await place.run(
      `for name in ${names.join(' ')} .claude; do echo 1 >$name; mkdir $name; echo 1 >$name/file; rmdir $name; mv $name x; done; git init -q; git add -A; git status --short`,
    );
    const created = (): string[] => [...names, 'x'].filter((name) => existsSync(join(place.workspace, name)));
    expect(output).not.toContain('.mcp.json\n');
    expect(existsSync(join(place.workspace, '.varve/file'))).toBe(false);
    place.sandbox.close();
    expect(created()).toEqual([]);
    expect(existsSync(join(place.workspace, '.claude'))).toBe(true);
  });

  test('keeps its walls when another sandbox of the workspace is closed, which cleans up after killed ones', async () => {
    using place = openPlace({ prepare: ({ workspace }) => writeFileSync(join(workspace, 'a'), '') });
    const other = openSandbox(place.sandbox.policy);
    const { program, args, env } = other.wrap(['/bin/sh', '-c', 'echo; read x; echo 1 >.mcp.json'], {
      directory: place.workspace,
      env: {},
    });
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    await once(child.stdout, 'data');
    await place.run('true');
    place.sandbox.close();
    child.stdin.end('\n');
    await once(child, 'close');
    expect(existsSync(join(place.workspace, '.mcp.json/..'))).toBe(true);
    other.close();
    expect(existsSync(join(place.workspace, '.mcp.json'))).toBe(false);
  });

  test('reaches neither networks nor sockets of services', async () => {
    using place = openPlace();
    const socket = join(place.workspace, 'service');
    await using server = createServer((client) => client.end('SERVICE'));
    await once(server.listen(socket), 'listening');
    await using local = createServer((client) => client.end('SERVICE'));
    await once(local.listen(0, '127.0.0.1'), 'listening');
    const address = local.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { output } = await place.run(`
      exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3
      getent hosts example.com || echo no name
      echo x >/dev/udp/192.0.2.1/53 || echo no datagram
      (exec 3<>/dev/tcp/192.0.2.1/80) || echo no connection
      python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect("service"); print(s.recv(9))' || echo no socket
      python3 -c 'import socket; s = socket.socket(40)' || echo no machine socket
      for type in DGRAM RAW STREAM SEQPACKET; do python3 -c "import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_$type); print('pair of $type')"; done
      ls -A /run | wc -l`);
    for (const line of ['no name', 'no datagram', 'no connection', 'no socket', 'no machine socket'])
      expect(output).toContain(line);
    expect(output).not.toContain('SERVICE');
    expect(output.match(/pair of .*/g)).toEqual(['pair of STREAM', 'pair of SEQPACKET']);
    expect(output).toMatch(/0\n$/);
  });

  test('uses its own local network, child processes and pipes', async () => {
    using place = openPlace();
    const { output } = await place.run(`
      "${process.execPath}" -e "require('http').createServer((q, r) => r.end('ok')).listen(8123, () => require('child_process').fork('-e', ['process.send(1)'], { execArgv: [] }))
        .once('listening', async () => { console.log(await (await fetch('http://127.0.0.1:8123')).text()); process.exit() })" 2>/dev/null
      seq 3 | sort -r | head -1`);
    expect(output).toBe('ok\n3\n');
  });

  test('has no capabilities, namespaces or other processes', async () => {
    using place = openPlace();
    const { output } = await place.run(`
      grep -E 'CapEff|NoNewPrivs' /proc/self/status | tr -d '\\t\\n'; echo
      unshare -Ur true 2>/dev/null || echo no namespace
      ls -d /proc/[0-9]* | wc -l
      cat /proc/${process.pid}/environ 2>/dev/null || echo no process
      kill -0 ${process.pid} 2>/dev/null || echo no signal
      mount -t tmpfs x /mnt 2>/dev/null || echo no mount
      mount -o remount,rw / 2>/dev/null || echo no remount
      keyctl show 2>/dev/null || echo no keys
      (: >>/proc/sys/kernel/core_pattern) 2>/dev/null || echo no setting
      find /proc /sys -maxdepth 3 -writable -type f -not -path '/proc/[0-9]*' 2>/dev/null | wc -l`);
    expect(output).toContain('CapEff:0000000000000000NoNewPrivs:1');
    for (const line of ['no namespace', 'no process', 'no signal', 'no mount', 'no remount', 'no keys', 'no setting'])
      expect(output).toContain(line);
    expect(Number(/^\d+$/m.exec(output)?.[0])).toBeLessThan(10);
    expect(output).toMatch(/^0\n$/m);
  });

  test('inherits no descriptors', async () => {
    using place = openPlace({ prepare: ({ root }) => writeFileSync(join(root, 'open'), 'OPEN FILE') });
    const fd = openSync(join(place.root, 'open'), 'r');
    const { output } = await place.run('cat <&7; ls /proc/self/fd | wc -l', {}, [
      'ignore',
      'pipe',
      'pipe',
      fd,
      fd,
      fd,
      fd,
      fd,
    ]);
    closeSync(fd);
    expect(output).not.toContain('OPEN FILE');
    expect(output).toMatch(/4\n$/);
  });

  test('gains nothing from a program with the rights of its owner', async () => {
    using place = openPlace();
    const { output } = await place.run('su -c "echo 1 >/etc/outside" 2>&1; passwd -d root; cat /etc/shadow');
    expect(output).not.toMatch(/^root:/m);
    expect(existsSync('/etc/outside')).toBe(false);
  });

  test('has writable directories inside of others and of hidden ones', async () => {
    using place = openPlace({
      prepare: ({ root }) => mkdirSync(join(root, 'secret/tree/deep'), { recursive: true }),
    });
    const { root } = place;
    using sandbox = Object.assign(
      openSandbox({
        ...place.sandbox.policy,
        writable: [join(root, 'secret/tree'), '/tmp'],
        readOnly: [join(root, 'secret/tree/deep')],
        hidden: [join(root, 'secret')],
      }),
      { [Symbol.dispose]: () => sandbox.close() },
    );
    const { program, args, env } = sandbox.wrap(
      ['/bin/sh', '-c', 'echo 1 >file; echo 1 >deep/file; ls ..; ls -A /tmp >/dev/null && echo listed'],
      { directory: join(root, 'secret/tree'), env: { PATH: '/bin' } },
    );
    const child = spawn(program, args, { env });
    child.stdout.setEncoding('utf8');
    const pieces = await child.stdout.toArray();
    expect(pieces.join('')).toBe('listed\n');
    expect(['file', 'deep/file'].map((name) => existsSync(join(root, 'secret/tree', name)))).toEqual([true, false]);
  });

  test('ends with the process that started it, also in its own session', async () => {
    using place = openPlace();
    const { program, args, env } = place.sandbox.wrap(
      ['/bin/bash', '-c', `(setsid bash -c 'trap "" TERM HUP; echo ready; exec sleep 98765' &); sleep 98765`],
      { directory: place.workspace, env: { PATH: '/bin:/usr/bin' } },
    );
    const parent = spawn(
      process.execPath,
      [
        '-e',
        `const [p, a] = JSON.parse(process.argv[1]); require('child_process').spawn(p, a, { stdio: 'inherit', detached: true })`,
        JSON.stringify([program, args]),
      ],
      { env: { ...env, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'ignore'] },
    );
    await once(parent.stdout, 'data');
    parent.kill('SIGKILL');
    // The pipe closes when the last program that has it is gone.
    await once(parent.stdout.resume(), 'close');
  });

  test('leaves programs in the background that end with it', async () => {
    using place = openPlace();
    const { code, output } = await place.run('setsid sleep 98765 & echo started');
    expect([code, output]).toEqual([0, 'started\n']);
  });
});
