import { killRound, type KillTarget } from './kill-round.ts';

/** So many processes write, each to a conversation of its own, and are killed, at the same time. */
const lanes = 4;

/** Kills of one conversation; then a new one is begun, because each round reads all of it. */
const killsPerLog = 10;

/** Kills `rounds` processes that write to one store, four at a time, and checks after each what is there. */
export async function killRounds(store: Omit<KillTarget, 'id'>, rounds: number): Promise<void> {
  const lane = async (first: number): Promise<void> => {
    for (let round = first; round < rounds; round += lanes) {
      const id = `c${first}-${Math.floor(round / lanes / killsPerLog)}`;
      await killRound({ ...store, id }, 1 + ((round * 17) % 47));
    }
  };
  await Promise.all(Array.from({ length: lanes }, async (_, first) => lane(first)));
}
