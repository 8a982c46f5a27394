import type { OptionList } from '../words/options.ts';

/** Description of a command that runs the command in its arguments. */
export interface Wrapper {
  readonly options: OptionList;
  /** Number of operands between the options and the command. */
  readonly operands?: number;
  /** True if `NAME=value` may precede the command. */
  readonly assigns?: boolean;
  /** Options whose value is a script. */
  readonly scripts?: readonly string[];
  /** Options whose value is the directory in which the command runs. */
  readonly directories?: readonly string[];
  /** Options with which nothing runs. */
  readonly queries?: readonly string[];
  /** `script` if a shell runs the joined arguments, `none` if only options contain commands; default: the words. */
  readonly rest?: 'script' | 'none';
  /** True if arguments are added from the input. */
  readonly reads?: boolean;
  /** True if the command without arguments starts a shell. */
  readonly isShell?: boolean;
}

/** Commands that run the command in their arguments. An option that is not listed makes the command unknown. */
export const wrappers: Readonly<Record<string, Wrapper>> = {
  builtin: { options: '' },
  busybox: { options: '' },
  toybox: { options: '' },
  caffeinate: { options: '-d -i -m -s -u -t: -w:' },
  chroot: { options: '--groups: --userspec: --skip-chdir', operands: 1, isShell: true },
  chrt: { options: '-b -f -i -m -o -r -R -v -a -T: -P: -D: -p --batch --fifo --idle --other --rr', operands: 1 },
  command: { options: '-p -v -V', queries: ['-v', '-V'] },
  dbus_run_session: { options: '--dbus-daemon: --config-file:' },
  doas: { options: '-L -n -s -u: -C: -a:' },
  env: {
    options:
      '-i -0 -v -u: -C: -a: -S: --ignore-environment --null --debug --unset: --chdir: --argv0: --split-string: --block-signal? --default-signal? --ignore-signal? --list-signal-handling',
    assigns: true,
    scripts: ['-S', '--split-string'],
    directories: ['-C', '--chdir'],
  },
  exec: { options: '-c -l -a:' },
  fakeroot: { options: '-u -l: -s: -i: -b: --lib: --faked: --unknown-is-real', isShell: true },
  flock: {
    options:
      '-s -x -e -u -n -o -F -w: -E: -c: --shared --exclusive --unlock --nonblock --close --no-fork --timeout: --wait: --conflict-exit-code: --command: --verbose',
    operands: 1,
    scripts: ['-c', '--command'],
  },
  ionice: { options: '-c: -n: -t --class: --classdata: --ignore' },
  nice: { options: '-n: --adjustment: -0 -1 -2 -3 -4 -5 -6 -7 -8 -9' },
  nohup: { options: '' },
  nsenter: {
    options: '-a -t: -m? -u? -i? -n? -p? -U? -C? -r? -w? -F -S: -G: --all --target: --mount? --pid? --net? --no-fork',
    isShell: true,
  },
  numactl: { options: '-i: -m: -N: -C: -l --interleave: --membind: --cpunodebind: --physcpubind: --localalloc' },
  parallel: {
    options:
      '-0 -k -X -m -u -q -v -t -j: -P: -n: -N: -I: -a: -C: -d: -L: --jobs: --keep-order --null --halt: --max-args: --max-procs: --arg-file: --colsep: --delimiter: --progress --bar --eta --dry-run --ungroup --quote --verbose --tag --line-buffer --will-cite --no-notice --results: --timeout: --retries: --joblog: --load: --memfree: --delay:',
    rest: 'script',
    reads: true,
    isShell: true,
  },
  pkexec: { options: '--user: --disable-internal-agent --keep-cwd', isShell: true },
  prlimit: { options: '-p: -n? -u? -v? -c? -d? -f? --pid: --nofile? --nproc? --as? --core? --cpu?' },
  runuser: {
    options: '-u: -c: -l -m -p -s: -g: --user: --command: --login',
    scripts: ['-c', '--command'],
    isShell: true,
  },
  script: {
    options:
      '-a -e -f -q -c: -E: -I: -O: -B: -T: -t? -m: -o: --append --return --flush --quiet --command: --log-in: --log-out: --log-io: --force',
    rest: 'none',
    scripts: ['-c', '--command'],
    isShell: true,
  },
  setsid: { options: '-c -f -w --ctty --fork --wait' },
  ssh: {
    options:
      '-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y -B: -b: -c: -D: -E: -e: -F: -I: -i: -J: -L: -l: -m: -O: -o: -p: -Q: -R: -S: -W: -w:',
    operands: 1,
    rest: 'script',
    isShell: true,
  },
  sshpass: { options: '-p: -f: -d: -P: -e -v' },
  stdbuf: { options: '-i: -o: -e: --input: --output: --error:' },
  strace: {
    options:
      '-f -ff -c -C -d -D -h -i -k -n -q -qq -r -t -tt -ttt -T -v -V -x -xx -y -yy -z -Z -a: -b: -e: -E: -I: -o: -O: -p: -P: -s: -S: -u: -U: -X:',
  },
  su: {
    options: '-l -m -p -P -f -c: -s: -g: -G: -w: --login --pty --preserve-environment --command: --shell: --group:',
    rest: 'none',
    scripts: ['-c', '--command'],
    isShell: true,
  },
  sudo: {
    options:
      '-A -b -B -E -e -H -h? -i -K -k -l -N -n -P -S -s -V -v -C: -D: -g: -p: -R: -r: -T: -t: -U: -u: --askpass --background --bell --preserve-env? --edit --set-home --login --remove-timestamp --reset-timestamp --list --no-update --non-interactive --preserve-groups --stdin --shell --validate --version --close-from: --chdir: --group: --host: --prompt: --chroot: --role: --type: --command-timeout: --other-user: --user:',
    assigns: true,
    directories: ['-D', '--chdir'],
    queries: ['-l', '--list', '-v', '--validate', '-K', '-k', '-V', '--version', '--remove-timestamp'],
  },
  systemd_run: {
    options:
      '-p: -u: -t -P -q -G -d -S -E: -M: --user --system --scope --unit: --property: --pty --pipe --wait --quiet --collect --setenv: --slice: --uid: --gid: --working-directory: --same-dir --description: --no-block',
    directories: ['--working-directory'],
  },
  taskset: { options: '-a -c -p --all-tasks --cpu-list --pid', operands: 1 },
  time: { options: '-a -p -v -q -V -f: -o: --append --portability --verbose --quiet --format: --output:' },
  timeout: {
    options: '-f -p -v -k: -s: --foreground --preserve-status --verbose --kill-after: --signal:',
    operands: 1,
  },
  unbuffer: { options: '-p' },
  unshare: {
    options:
      '-m? -u? -i? -n? -p? -U? -C? -T? -f -r -c -S: -G: -R: -w: --mount? --uts? --ipc? --net? --pid? --user? --fork --map-root-user --map-current-user --mount-proc?',
    isShell: true,
  },
  watch: {
    options:
      '-b -c -C -d? -e -g -p -r -t -w -x -n: -q: -s: --beep --color --no-color --differences? --errexit --chgexit --precise --no-title --no-wrap --exec --interval: --equexit:',
    rest: 'script',
  },
  xargs: {
    options:
      '-0 -o -p -r -t -x -e? -i? -l? -a: -d: -E: -I: -J: -L: -n: -P: -R: -s: -S: --null --open-tty --interactive --no-run-if-empty --verbose --exit --arg-file: --delimiter: --eof? --replace? --max-lines? --max-args: --max-procs: --max-chars: --process-slot-var: --show-limits',
    reads: true,
  },
};

/** Returns the description of a command that runs another one. */
export function wrapperOf(name: string): Wrapper | undefined {
  const key = name.replaceAll('-', '_');
  return Object.hasOwn(wrappers, key) ? wrappers[key] : undefined;
}
