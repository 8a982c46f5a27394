import { normalPath, systemPath } from '../../shell/words/paths.ts';
import { hasName, type ShellCommand } from '../../shell/shell-command.ts';

const isContainerTool = hasName('docker', 'podman', 'nerdctl');
/** Options that open the machine to a container, with their values. */
const open =
  /^--(?:privileg.*|(?:pid|ipc|userns|cgroupns)=host|cap-add=(?:all|(?:cap_)?sys_(?:admin|module|ptrace|rawio))|security-opt=.*unconfined|device=\/dev\/(?:[shv]d|xvd|nvme|mmc|loop|dm-|mapper|disk|mem|kmsg).*)$/i;
/** Sockets of the machine's own container engine. */
const engine = /^(?:\/var)?\/run\/(?:docker|podman|containerd)(?:\/|\.sock|$)/;
const separated = /^--(?:pid|ipc|userns|cgroupns|cap-add|security-opt|device|volume|mount)$/;

/** Reports whether a command runs a container with access to the whole machine. */
export function reachesMachine(command: ShellCommand): boolean {
  return isContainerTool(command) && joined(command.args).some((arg) => open.test(arg) || mounts(arg));
}

/** Returns arguments with the values of options attached: `--pid host` as `--pid=host`, `-v x` as `--volume=x`. */
function joined(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => {
    const value = args[at + 1] ?? '';
    if (separated.test(arg)) return [`${arg}=${value}`];
    const [option] = /^-[a-zA-Z]*v/.exec(arg) ?? [];
    if (option === undefined) return [arg];
    return [`--volume=${arg.slice(option.length).replace(/^=/, '') || value}`];
  });
}

function mounts(arg: string): boolean {
  const [, volume] = /^--volume=(.*?):/s.exec(arg) ?? [];
  const [, source] = /^--mount=(?:.*,)?(?:src|source)=([^,]*)/s.exec(arg) ?? [];
  const path = volume ?? source;
  if (path === undefined || !/^[~/]/.test(path)) return false;
  const normal = normalPath(path);
  return systemPath.test(normal) || /^\/Users(?:\/[^/]*)?\/?$/.test(normal) || engine.test(normal);
}
