export { CodedError } from './coded-error.ts';
export { coerceFields, coerceText } from './json/coerce.ts';
export {
  additionalProperties,
  allowsNull,
  alternativesOf,
  commonKeywords,
  isJsonObject,
  mapSubschemas,
  narrowSchema,
  pointerKeys,
  propertiesOf,
  resolveSchema,
  schemaAt,
  type JsonSchema,
} from './json/json-schema.ts';
export { didKeyOf, publicKeyInDid } from './did-key.ts';
export { exceededJsonLimit, type JsonLimits } from './json/exceeded-json-limit.ts';
export { globMatcher, splitGlob } from './glob-matcher.ts';
export { isLoopback } from './is-loopback.ts';
export { literalReader } from './json/literals.ts';
export { mapStrings } from './json/map-strings.ts';
export { readModelJson } from './json/model-json.ts';
export { endOfObject, objectScanner } from './json/object-scanner.ts';
export { modelJsonLimits, parseJson } from './json/parse-json.ts';
export { publicVariables, type Variables } from './redaction/public-variables.ts';
export { redactor, type Mask, type RedactionStream, type Redactor } from './redaction/redactor.ts';
export { redactSecretFields } from './redaction/secret-fields.ts';
export { withoutPassword } from './redaction/without-password.ts';
export { shellWord } from './shell-word.ts';
export { truncateMiddle, type OmittedText } from './truncate-middle.ts';
export { withoutUndefined, type Defined } from './without-undefined.ts';
