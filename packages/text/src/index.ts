export {
  coerceFields,
  coerceText,
  parseJson,
  type Coerced,
  type CoerceOptions,
  type WrittenValue,
} from './json/coerce.ts';
export {
  additionalProperties,
  allowsNull,
  alternativesOf,
  commonKeywords,
  isSchema,
  mapSubschemas,
  narrowSchema,
  propertiesOf,
  resolveSchema,
  typesOf,
  type JsonSchema,
} from './json/json-schema.ts';
export { escapeControls } from './json/escape-controls.ts';
export { didKeyOf, publicKeyInDid } from './did-key.ts';
export { exceededJsonLimit, type JsonLimits } from './json/exceeded-json-limit.ts';
export { globMatcher, splitGlob, type GlobMatcher, type GlobOptions } from './glob-matcher.ts';
export { isLoopback } from './is-loopback.ts';
export { mapStrings } from './json/map-strings.ts';
export { endOfObject, objectScanner, type ObjectScanner, type ScanOptions } from './json/object-scanner.ts';
export { publicVariables, type Variables } from './redaction/public-variables.ts';
export {
  redactor,
  type Mask,
  type RedactionStream,
  type Redactor,
  type RedactorOptions,
} from './redaction/redactor.ts';
export { redactSecretFields } from './redaction/secret-fields.ts';
export { truncateMiddle, type OmittedText, type TextEnds } from './truncate-middle.ts';
