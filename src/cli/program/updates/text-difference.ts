import { isSecretName } from '../../../contract/values/redact.ts'
import { stringifyJson } from '../../../node/json.ts'
import { isMasked, redactSecrets } from '../secrets/masked-values.ts'

interface Limits {
  /** Maximum number of characters shown of a line. */
  readonly maxWidth: number
  /** Maximum number of lines shown of each side. */
  readonly maxLines: number
}
const usualLimits: Limits = { maxWidth: 160, maxLines: 12 }
/** Number of characters shown before the first difference. */
const contextLength = 24

/**
 * Returns the differing lines of two texts, with `- ` and `+ `, without common lines at the beginning and end. If a
 * single long line changed, only the part around the change is shown, with `…` for omitted text.
 */
export function textDifference(before: string, after: string, limits: Limits = usualLimits): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const head = commonPrefixLength(old, now)
  const tail = commonPrefixLength(old.slice(head).reverse(), now.slice(head).reverse())
  const [removed, added] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)]
  const from =
    removed.length === 1 && added.length === 1 && [...removed, ...added].some((it) => it.length > limits.maxWidth)
      ? Math.max(0, commonPrefixLength([...(removed[0] ?? '')], [...(added[0] ?? '')]) - contextLength)
      : 0
  return [...sideLines('- ', removed, from, limits), ...sideLines('+ ', added, from, limits)]
}

/** Returns the number of common items at the beginning of two lists. */
function commonPrefixLength(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count += 1
  return count
}

function sideLines(mark: string, lines: readonly string[], from: number, { maxWidth, maxLines }: Limits): string[] {
  const shown = lines.slice(0, maxLines).map((line) => `${mark}${excerptLine(line, from, maxWidth)}`)
  return lines.length > maxLines ? [...shown, `${mark}… ${lines.length - maxLines} more lines`] : shown
}

function excerptLine(line: string, from: number, maxWidth: number): string {
  const characters = [...line]
  const part = characters.slice(from, from + maxWidth).join('')
  return `${from > 0 ? '…' : ''}${part}${characters.length > from + maxWidth ? '…' : ''}`
}

/** Number of characters above which a text is shown as a difference. */
const maxLength = 2000

/** A value that a write would overwrite. */
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
