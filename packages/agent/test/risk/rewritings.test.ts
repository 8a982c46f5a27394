import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asks } from './asks.ts';
import { danger, dangers, quoted, rewritings, rewrittenDangers } from './rewritings.ts';

test('a dangerous command in any spelling is asked about', () => {
  fc.assert(
    fc.property(danger, (script) => {
      expect(asks(script)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('each dangerous command in each rewriting is asked about', () => {
  const missed = dangers.flatMap(({ words, to }) => {
    const plain = [
      ...words.map((word) => (/^[\w./:=-]+$/.test(word) ? word : quoted(word))),
      ...(to === undefined ? [] : [`> ${to}`]),
    ].join(' ');
    return rewritings.map((rewrite) => rewrite(plain)).filter((script) => !asks(script));
  });
  expect(missed).toEqual([]);
});

test('statements that delete data are asked about in each way in which a client reads them', () => {
  const clients = [
    'psql',
    'mysql -u me',
    'mariadb',
    'sqlite3 a.db',
    'sudo -u me psql',
    'docker exec -i a psql',
    'env A=1 mysql',
  ];
  const statements = [
    'drop table x',
    'DELETE FROM x;',
    'select 1;\nDROP  DATABASE x;',
    '\\! ls',
    'system ls',
    '.shell ls',
  ];
  const scripts = clients.flatMap((client) =>
    statements.flatMap((sql) => [
      `${client} <<< ${quoted(sql)}`,
      `${client} <<'E'\n${sql}\nE`,
      `{ ${client}; } <<E\n${sql.replaceAll('\\', '\\\\')}\nE`,
      `cat <<'E' | ${client}\n${sql}\nE`,
      `printf '%s' ${quoted(sql)} | tee log | ${client}`,
      `(echo ${quoted(sql)}) | ${client}`,
    ]),
  );
  expect(scripts.filter((script) => !asks(script))).toEqual([]);
  expect(asks("sqlite3 a.db <<'E'\ncreate table x(y);\ninsert into x values ('drop');\nE")).toBe(false);
});

test('a command in the operand of an expansion is asked about, whatever characters are around it', () => {
  const around = ['', 'a/b', "'}'", '}', '{}', '")"', '$(:)}', '$(:)/b', '`:`/', 'a:b', '"]"', String.raw`\)`, "'/'"];
  const operands = [
    (text: string) => `echo \${PWD/${text}/}`,
    (text: string) => `echo "\${PWD//${text}/x}"`,
    (text: string) => `echo \${PWD/#a/${text}}`,
    (text: string) => `echo \${x:-${text}}`,
    (text: string) => `echo "\${x:-'${text}'}"`,
    (text: string) => `echo "\${x%"${text}"}"`,
    (text: string) => `echo \${PWD:${text}0:1}`,
    (text: string) => `echo \${x^${text}}`,
  ];
  const scripts = around.flatMap((odd) =>
    operands.flatMap((operand) => [
      operand(`$(echo ${odd}; /bin/rm -rf x)`),
      operand(`$(/bin/rm -rf x ${odd})`),
      operand(`\`: ${odd.replaceAll('`', String.raw`\``)}; /bin/rm -rf x\``),
    ]),
  );
  expect(scripts.filter((script) => !asks(script))).toEqual([]);
});

test('each way to open the machine to a container is asked about', () => {
  const sources = ['/', '//', '/..', '~', '$HOME', '/etc/', '/data/../usr', '/home', '/var/run/docker.sock', '/root'];
  const mounts = sources.flatMap((source) => [
    `-v ${source}:/x`,
    `-v${source}:/x`,
    `-itv ${source}:/x:ro`,
    `--volume ${source}:/x`,
    `--volume=${source}:/x`,
    `--mount type=bind,target=/x,source=${source}`,
    `--mount=type=bind,src=${source},dst=/x`,
  ]);
  const namespaces = ['--pid', '--ipc', '--userns'].flatMap((option) => [`${option} host`, `${option}=host`]);
  const rights = ['--cap-add ALL', '--cap-add=sys_admin', '--device /dev/sda', '--device=/dev/nvme0', '--privileged'];
  const all = [...mounts, ...namespaces, ...rights].map((option) => `docker run --rm ${option} alpine ls`);
  expect(all.filter((script) => !asks(script))).toEqual([]);
});

test('no rewriting of a dangerous command, composed three deep, lowers its risk below asking', () => {
  fc.assert(
    fc.property(rewrittenDangers(3), (script) => {
      expect(asks(script)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
