/** Bytes of one message for subscribers, encoded once for all of them. */
export interface Frame {
  /** Seq of a stored event, or of the last event before a `synced` mark. Absent for messages that are not stored. */
  readonly seq?: number;
  /** JSON of an event, as clients of the reference expect it; undefined for a mark that they do not know. */
  readonly plain: Buffer | undefined;
  /** `{"seq":17,"event":{…}}`, for clients with a cursor. */
  readonly numbered: Buffer;
  /** Message of a stream of server-sent events, whose id is the seq. */
  readonly serverSent: Buffer;
}

/** Returns the frame of a stored event. */
export function eventFrame(seq: number, text: string): Frame {
  return frame(
    text,
    {
      numbered: () => `{"seq":${seq},"event":${text}}`,
      serverSent: () => `id: ${seq}\ndata: ${dataLines(text)}\n\n`,
    },
    seq,
  );
}

/** Returns the frame of an event that is not in the log, such as a part of a reply. */
export function messageFrame(text: string): Frame {
  return frame(text, {
    numbered: () => `{"event":${text}}`,
    serverSent: () => `data: ${dataLines(text)}\n\n`,
  });
}

/** Returns the mark after which all events are live: every event up to `seq` was sent; -1 for an empty log. */
export function syncedFrame(seq: number): Frame {
  const text = `{"seq":${seq},"synced":true}`;
  const id = seq < 0 ? '' : `id: ${seq}\n`;
  return {
    seq,
    plain: undefined,
    numbered: Buffer.from(text),
    serverSent: Buffer.from(`event: synced\n${id}data: ${text}\n\n`),
  };
}

/** Encodes each form when the first subscriber needs it. */
function frame(plain: string, texts: Readonly<Record<'numbered' | 'serverSent', () => string>>, seq?: number): Frame {
  const known: Partial<Record<'plain' | 'numbered' | 'serverSent', Buffer>> = {};
  return {
    ...(seq !== undefined && { seq }),
    get plain() {
      return (known.plain ??= Buffer.from(plain));
    },
    get numbered() {
      return (known.numbered ??= Buffer.from(texts.numbered()));
    },
    get serverSent() {
      return (known.serverSent ??= Buffer.from(texts.serverSent()));
    },
  };
}

/** A line end in the text of an event is white space between JSON values. */
function dataLines(text: string): string {
  return text.replaceAll(/\r\n|\r|\n/g, '\ndata: ');
}
