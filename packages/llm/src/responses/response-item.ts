/** Part of a user message or a tool output on the wire. */
export type InputPart =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail: 'auto' };

/**
 * Input item of the Responses protocol, of the types that this package writes.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
export type ResponseItem =
  | { readonly type: 'message'; readonly role: 'user'; readonly content: readonly InputPart[] }
  | {
      readonly type: 'message';
      readonly role: 'assistant';
      /** Purpose of the message in the reply, such as `commentary`; models continue worse without it. */
      readonly phase?: string;
      readonly content: readonly { readonly type: 'output_text'; readonly text: string }[];
    }
  | {
      readonly type: 'reasoning';
      readonly id?: string;
      readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[];
      readonly encrypted_content?: string;
    }
  | {
      readonly type: 'function_call';
      readonly id?: string;
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | {
      readonly type: 'function_call_output';
      readonly call_id: string;
      readonly output: string | readonly InputPart[];
    };
