import { endianness } from 'node:os';

/** Numbers of the kernel for one kind of processor. */
interface Architecture {
  /** `AUDIT_ARCH_…` of the kernel. */
  readonly audit: number;
  readonly socket: number;
  readonly socketPair: number;
  /** `io_uring_setup`, by which a program could open sockets unseen, and the keys of the user's session. */
  readonly refused: readonly number[];
}

const architectures: Readonly<Record<string, Architecture>> = {
  x64: { audit: 0xc000003e, socket: 41, socketPair: 53, refused: [425, 248, 249, 250] },
  arm64: { audit: 0xc00000b7, socket: 198, socketPair: 199, refused: [425, 217, 218, 219] },
};

/** Families of sockets that stay usable: IPv4, IPv6, and netlink, which lists network interfaces. */
const socketFamilies = [2, 10, 16];

/** Types of pairs of sockets that stay usable: one of datagrams reaches any socket of the local machine. */
const [stream, sequencedPackets] = [1, 5];

const load = 0x20;
const and = 0x54;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const finish = 0x06;
const allow = 0x7fff0000;
const fail = 0x00050001; // EPERM
const kill = 0x80000000;
const x32 = 0x40000000;

/**
 * Returns a filter of system calls that refuses sockets of the local machine and of virtual machines, which a read-only
 * file system does not stop. Undefined for an unknown processor.
 */
export function seccompProgram(architecture: string = process.arch): Buffer | undefined {
  const numbers = architectures[architecture];
  if (numbers === undefined || endianness() !== 'LE') return undefined;
  const { audit, socket, socketPair, refused } = numbers;
  type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];
  const families = socketFamilies.map((family, index): Instruction => [
    jumpIfEqual,
    socketFamilies.length - index,
    0,
    family,
  ]);
  const calls = refused.map((call, index): Instruction => [jumpIfEqual, refused.length - index, 0, call]);
  const program: readonly Instruction[] = [
    [load, 0, 0, 4],
    [jumpIfEqual, 1, 0, audit],
    [finish, 0, 0, kill],
    [load, 0, 0, 0],
    [jumpIfAtLeast, 0, 1, x32],
    [finish, 0, 0, kill],
    [jumpIfEqual, calls.length + 3, 0, socket],
    [jumpIfEqual, calls.length + families.length + 5, 0, socketPair],
    ...calls,
    [finish, 0, 0, allow],
    [finish, 0, 0, fail],
    [load, 0, 0, 16],
    ...families,
    [finish, 0, 0, fail],
    [finish, 0, 0, allow],
    [load, 0, 0, 24],
    [and, 0, 0, 0xf],
    [jumpIfEqual, 2, 0, stream],
    [jumpIfEqual, 1, 0, sequencedPackets],
    [finish, 0, 0, fail],
    [finish, 0, 0, allow],
  ];
  return Buffer.concat(program.map(instruction));
}

function instruction([code, ifTrue, ifFalse, value]: readonly [number, number, number, number]): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}
