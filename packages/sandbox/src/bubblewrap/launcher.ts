import { portsPath } from '../proxy/open-ports.ts';

/** Descriptors that the launcher opens; all above those of the program are closed first. */
export const descriptors = { seccomp: 20, toProxy: 21, fromProxy: 22 };

/** Port inside of a sandbox on which the forwarder listens. */
export const proxyPort = 3128;

/**
 * Code of bash that closes inherited descriptors, opens the files of the sandbox and becomes bubblewrap. Arguments: the
 * highest descriptor to keep, the filter, two pipes or empty words, and the command.
 */
export const outerLauncher = `keep=$1 filter=$2 to=$3 from=$4; shift 4
for fd in /dev/fd/*; do fd=\${fd##*/}; if [ "$fd" -gt "$keep" ]; then eval "exec $fd>&-"; fi; done
exec ${descriptors.seccomp}<"$filter" || exit 126
if [ -n "$to" ]; then exec ${descriptors.toProxy}>"$to" ${descriptors.fromProxy}<"$from" || exit 126; fi
exec "$@"`;

/**
 * Code of bash that starts the forwarder inside of the sandbox, waits until it listens, and becomes the program. The
 * forwarder has its own session and environment, so that neither keys nor signals for the program reach it. Arguments:
 * the programs `env`, `setsid` and Node, the code of the forwarder, and the command.
 */
export const innerLauncher = `env=$1 setsid=$2 node=$3 code=$4; shift 4
ready=$("$env" -i "$setsid" "$node" -e "$code" </dev/null 2>/dev/null &)
exec ${descriptors.toProxy}>&- ${descriptors.fromProxy}<&-
exec "$@"`;

/**
 * Program of Node that forwards connections to ports inside of the sandbox over two pipes to the proxy
 * outside: that of the proxy, and those of services of this machine. It creates no socket of the local machine, which
 * the filter refuses. Closing its output means that it listens.
 */
export const forwarder = `
const { closeSync, openSync } = require('node:fs'), { connect } = require('node:http2'), { createServer, Socket } = require('node:net'), { Duplex } = require('node:stream');
const readable = new Socket({ fd: ${descriptors.fromProxy}, readable: true, writable: false });
const writable = new Socket({ fd: ${descriptors.toProxy}, readable: false, writable: true });
const session = connect('http://proxy', { createConnection: () => Duplex.from({ readable, writable }) });
session.on('error', () => process.exit()).on('close', () => process.exit());
const listen = (port, path) => createServer({ allowHalfOpen: true }, (socket) => {
  const stream = session.request({ ':method': 'POST', ':path': path }, { endStream: false });
  socket.on('error', () => stream.close()).pipe(stream);
  stream.on('error', () => socket.destroy()).on('close', () => socket.destroySoon()).pipe(socket);
}).listen(port, '127.0.0.1');
const opened = session.request({ ':method': 'POST', ':path': '${portsPath}' }, { endStream: false });
opened.on('error', () => {}).on('data', (text) => {
  for (const port of String(text).split('\\n').filter(Boolean)) listen(Number(port), '/' + port).on('error', () => {});
}).once('data', () => {
  listen(${proxyPort}, '/').on('listening', () => { closeSync(1); openSync('/dev/null', 'w'); });
});
`;
