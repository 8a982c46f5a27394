import type { ModelParameters } from '../model-request.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { WireCache } from './wire-form.ts';

/** Capabilities of a model and its server that decide how content is sent. */
export interface ContentSettings {
  readonly vision: boolean;
  readonly dialect: Dialect;
}

/** Settings of a wire request, apart from the request itself. */
export interface WireSettings extends ContentSettings {
  readonly model: string;
  readonly stream: boolean;
  /** The model at its address. Opaque data is returned to this origin only; the model's name when absent. */
  readonly origin?: string;
  /** Defaults for parameters that the request leaves out. */
  readonly parameters?: ModelParameters;
  /** Wire forms of messages and tools, shared by requests with the same protocol, model, vision and dialect. */
  readonly cache?: WireCache;
}

/** Returns true when images are sent; otherwise {@link omittedImages} takes their place. */
export function sendsImages({ vision, dialect }: ContentSettings): boolean {
  return vision && dialect.parts;
}

/** Note in place of images that are not sent. */
export function omittedImages(count: number): string {
  return `(${countOfImages(count)} left out: this model reads text only.)`;
}

/** `1 image`, `2 images`. */
export function countOfImages(count: number): string {
  return count === 1 ? '1 image' : `${count} images`;
}

/** The `tool_choice` field. `auto` is the default and is left out, because some servers reject the field. */
export function wireToolChoice(
  { toolChoice }: ModelParameters,
  { without }: Dialect,
): { readonly tool_choice?: 'none' | 'required' } {
  const isSent = toolChoice && toolChoice !== 'auto' && !without.includes('tool_choice');
  return isSent ? { tool_choice: toolChoice } : {};
}
