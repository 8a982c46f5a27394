/** Value of a field. */
export type FieldValue = string | number | boolean | string[];

/** Field of a form that a server asks for. Its texts are the server's: nothing of them is trusted. */
export interface ServerField {
  readonly name: string;
  readonly title: string;
  /** May be empty. */
  readonly description: string;
  readonly isRequired: boolean;
  /** True for a list of choices, which commas separate. */
  readonly isList: boolean;
  /** Possible answers, by what is typed for each; absent for free text. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Text that stands for no input; absent if there is none. */
  readonly initial?: string;
  /** Returns the value of what was typed, undefined for none, or the problem with it as a sentence. */
  read(typed: string): { readonly value: FieldValue | undefined } | { readonly problem: string };
}

/** Question of a server to the person: a form, which may have no fields, or an address that the person should open. */
export interface ServerQuestion {
  readonly server: string;
  /** Text of the server. */
  readonly message: string;
  readonly fields: readonly ServerField[];
  readonly url?: URL;
}

/** Decision of the person: the values of the form by field, or none. `cancel` decides nothing. */
export type ServerAnswer = Readonly<Record<string, FieldValue>> | 'decline' | 'cancel';

/** Asks the person. Resolves soon after the signal aborts. */
export type AskForServer = (question: ServerQuestion, signal: AbortSignal) => Promise<ServerAnswer>;
