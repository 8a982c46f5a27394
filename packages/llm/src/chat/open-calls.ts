import { objectScanner } from '@varve/text';

/** A call whose pieces are still arriving. */
export interface OpenCall {
  /** Index among the calls of the reply. */
  readonly position: number;
  readonly index: number | undefined;
  id: string | undefined;
  name: string;
  readonly pieces: string[];
  /** Detects the end of the JSON object in the pieces. */
  readonly end: ReturnType<typeof objectScanner>;
  extraContent: unknown;
  isAnnounced: boolean;
}

/** Calls of a reply that is still arriving, found by id or index in constant time. */
export interface OpenCalls {
  readonly all: readonly OpenCall[];
  begin(id: string | undefined, index: number | undefined): OpenCall;
  /** Sets the id of a call that started without one. */
  identify(call: OpenCall, id: string): void;
  withIndex(index: number): OpenCall | undefined;
  /** Returns the newest call with an id and an index. Where the call or the piece has no index, the id suffices. */
  withId(id: string, index: number | undefined): OpenCall | undefined;
}

/** Creates an empty set of open calls. */
export function openCalls(): OpenCalls {
  const all: OpenCall[] = [];
  const byIndex = new Map<number, OpenCall>();
  /** The newest call by id, and by id and index. */
  const byId = new Map<string, OpenCall>();
  const byBoth = new Map<string, OpenCall>();
  const identify = (call: OpenCall, id: string): void => {
    call.id = id;
    for (const [map, key] of [[byId, id] as const, [byBoth, bothKey(id, call.index)] as const]) {
      if ((map.get(key)?.position ?? -1) < call.position) map.set(key, call);
    }
  };
  return {
    all,
    identify,
    begin(id, index) {
      const call: OpenCall = {
        position: all.length,
        index,
        id: undefined,
        name: '',
        pieces: [],
        end: objectScanner(),
        extraContent: undefined,
        isAnnounced: false,
      };
      all.push(call);
      if (index !== undefined) byIndex.set(index, call);
      if (id !== undefined) identify(call, id);
      return call;
    },
    withIndex: (index) => byIndex.get(index),
    withId(id, index) {
      if (index === undefined) return byId.get(id);
      const [same, without] = [byBoth.get(bothKey(id, index)), byBoth.get(bothKey(id, undefined))];
      return (same?.position ?? -1) > (without?.position ?? -1) ? same : without;
    },
  };
}

function bothKey(id: string, index: number | undefined): string {
  return `${index ?? ''} ${id}`;
}
