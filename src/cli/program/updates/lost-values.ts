import { isSecretName } from '../../../contract/values/redact.ts'
import { stringifyJson } from '../../../node/json.ts'
import { isMasked, redactSecrets } from '../secrets/masked-values.ts'
import { textDifference } from './text-difference.ts'

/** Number of characters above which a text is shown as a difference. */
const maxLength = 2000

export interface LostValue {
  /** Where the value is: `tools/book.yaml: headers.X-Key`. */
  readonly path: string
  readonly lost: unknown
  /** The value that replaces it. */
  readonly replacement: unknown
  /** How the replacement is described (default: `becomes`). */
  readonly verb?: string
}

/**
 * Describes a value that is overwritten, in full: what is not printed here cannot be seen again. Long texts are shown as
 * a difference. Secrets are named and not shown.
 */
export function lostValueLines({ path, lost, replacement, verb = 'becomes' }: LostValue): string[] {
  const name = path.split(/[.: ]/).at(-1) ?? path
  const [before, after] = [fullText(lost), fullText(replacement)]
  // Texts that are the same without their secrets differ in a secret.
  if (before === after || isSecretName(name) || isMasked(redactSecrets({ [name]: lost })[name]))
    return [`${path}: a secret, which is not shown. Overwriting it cannot be undone: secret of ${placeOf(path)}.`]
  if (before.length <= maxLength && after.length <= maxLength) return [`${path}: ${before} ${verb} ${after}`]
  const unlimited = { maxWidth: Number.POSITIVE_INFINITY, maxLines: Number.POSITIVE_INFINITY }
  return [`${path}:`, ...textDifference(plainText(lost), plainText(replacement), unlimited).map((it) => `  ${it}`)]
}

const placeOf = (path: string): string => path.slice(path.lastIndexOf(' ') + 1)

/** Returns a value as text without secrets: `not set`, or JSON. */
export const fullText = (value: unknown): string =>
  value === undefined || value === null ? 'not set' : stringifyJson(redactSecrets(value))

const plainText = (value: unknown): string =>
  typeof value === 'string' ? redactSecrets(value) : stringifyJson(redactSecrets(value ?? null), undefined, 2)
