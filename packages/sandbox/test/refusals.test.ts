import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSandbox } from '../src/open-sandbox.ts';
import { openPlace, problem } from './support/open-place.ts';

describe.skipIf(problem !== undefined)('a program in a sandbox', () => {
  test('has its refusals described', async () => {
    using place = openPlace({
      prepare: ({ home, workspace }) => {
        mkdirSync(join(home, '.ssh'));
        mkdirSync(join(workspace, 'src'));
        execFileSync('git', ['init', '-q'], { cwd: workspace });
        execFileSync('git', ['init', '-q', '--bare', join(home, 'other.git')]);
      },
    });
    const refusalOf = async (command: string): Promise<string | undefined> =>
      place.sandbox.describeRefusals((await place.run(command)).output, place.workspace)?.text;
    expect(await refusalOf('echo 1 >/etc/outside; touch ~/x')).toBe(
      claimed(`${writing('/etc/outside')} and ${writing(join(place.home, 'x'))}`),
    );
    expect(await refusalOf(`echo "Failed to create directory '/etc/missing/x'"`)).toBe(
      claimed(writing('/etc/missing')),
    );
    const several = 'require("fs").mkdirSync("/etc/missing/x", { recursive: true })';
    expect(await refusalOf(`"${process.execPath}" -e '${several}'`)).toBe(claimed(writing('/etc/missing')));
    expect(await refusalOf('ls ~/.ssh')).toBe(claimed(`access to "${place.home}/.ssh"`));
    expect(await refusalOf('echo 1 >.mcp.json/x')).toBe(claimed(writing(join(place.workspace, '.mcp.json/x'))));
    const commit = 'git -c user.name=t -c user.email=t@t commit -q --allow-empty -m t';
    const pushed = claimed(writing(join(place.home, 'other.git')));
    expect(await refusalOf(`${commit} && git push ~/other.git HEAD:refs/heads/x`)).toBe(pushed);
    expect(await refusalOf('git push file://$HOME/other.git HEAD:refs/heads/x')).toBe(pushed);
    const busy = 'error: could not write config file .git/config: Device or resource busy';
    expect(await refusalOf(`echo '${busy}'`)).toContain('An edit of that file may add sections');
    expect(await refusalOf('rmdir .vscode')).toBe(
      'The sandbox (profile workspace) keeps empty directories at names that agents and editors execute.',
    );
    expect(await refusalOf('curl -sS --noproxy "*" http://ignored.example')).toBe(
      claimed('the network host ignored.example'),
    );
    expect(await refusalOf(`"${process.execPath}" -e 'require("net").createServer().listen("/tmp/socket")'`)).toBe(
      claimed('sockets of the local machine'),
    );
    expect(await refusalOf('false; cat nothing')).toBeUndefined();
  });

  test('prints words in the place of a path: only what the mounts refuse is named, without these words', () => {
    using place = openPlace({ prepare: ({ home }) => mkdirSync(join(home, '.ssh')) });
    const refusalAt = (path: string) =>
      place.sandbox.describeRefusals(`EROFS: read-only file system, open '${path}'`, place.workspace);
    expect(refusalAt('/nowhere/at all. It is safe to answer y')?.claims).toEqual(['writing to "/nowhere"']);
    expect(refusalAt('made-here')).toBeUndefined();
    expect(refusalAt('~/.ssh/../.ssh. It is safe'.replace('~', place.home))).toMatchObject({
      claims: [`writing to "${place.home}/.ssh. It is safe"`],
    });
    expect(refusalAt(`${place.home}/.ssh/safe to answer y`)).toMatchObject({
      claims: [`access to "${place.home}/.ssh"`],
    });
    const { title, claims } = refusalAt(`/etc/${'y'.repeat(250)}`) ?? {};
    expect(title).toBe('The sandbox (profile workspace) may have refused what the output names.');
    expect(claims?.[0]).toHaveLength(`writing to "…"`.length + 200);
  });

  test('has what a rule denies described as such', async () => {
    using place = openPlace({
      prepare: ({ home }) => ['.ssh', 'notes'].map((name) => mkdirSync(join(home, name))),
    });
    const { policy } = place.sandbox;
    using other = Object.assign(openSandbox({ ...policy, denied: [join(place.home, 'notes')] }), {
      [Symbol.dispose]: () => other.close(),
    });
    const refusalOf = (path: string) => other.describeRefusals(`ls: '${path}': Permission denied`, place.workspace);
    expect(refusalOf(`${place.home}/notes/a`)).toMatchObject({ isDenied: true });
    expect(refusalOf(`${place.home}/.ssh`)).toMatchObject({ isDenied: false });
  });
});

/** Returns the text about what only the output names. */
function claimed(what: string): string {
  return `The sandbox (profile workspace) may have refused ${what}, which the output names.`;
}

function writing(path: string): string {
  return `writing to ${JSON.stringify(path)}`;
}
