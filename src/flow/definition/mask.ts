import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { maskText } from '../../contract/values/mask.ts'
import { isSecretName, isTypeDescription, looksRandom, splitName } from '../../contract/values/secret-names.ts'
import { splitTokens } from '../expressions/tokens.ts'
import { getOwn } from './node.ts'
import { Problems } from './problems.ts'
import { walk } from './walk.ts'

export { maskText }

const secretPatterns = [
  /^Bearer\s+\S+$/i,
  // Requires characters that an ordinary phrase such as "Basic plan" does not have.
  /^(?:[Bb]asic|BASIC|[Tt]oken|TOKEN)\s+(?=\S*(?:\d|=|[a-z][A-Z]))\S+$/,
  /^Digest\s+\w+="/i,
  /^(?:sk|pk|rk|xox[abprs]|gh[pousr]|github_pat|glpat|SG|key|pat)[-_.][\w.-]{16,}$/,
  /^(?:AKIA|AIza|ya29)[\w.-]{12,}$/,
  /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/,
  /^\d+\|[A-Za-z0-9]{30,}$/,
]
const urlParameterPattern = /([?&;]|^)([^=&#?;\s]+)=([^&#;\s]*)/g

/** Digits of a hash, which may also be an id. The name of the field decides. */
const hexPattern = /^[0-9a-f]{32,}$/i
const isIdentifier = (key: string): boolean =>
  /^(?:ids?|uuid|guid|database|page|parent)$/.test(splitName(key).at(-1) ?? '')
const looksLikeSecret = (text: string, key = ''): boolean =>
  secretPatterns.some((it) => it.test(text)) || (hexPattern.test(text) && !isIdentifier(key))

/**
 * Returns a text without its tokens and without the scheme before a credential. It is empty if the secret comes from an
 * expression.
 */
function literalPart(text: string): string {
  const rest = text.includes('{{')
    ? splitTokens(text)
        .map((it) => ('text' in it ? it.text : ''))
        .join('')
    : text
  return rest.trim().replace(/^(?:Bearer|Basic|Token|Digest):?$/i, '')
}

function maskString(text: string, key: string, isUnderSecret: boolean): string {
  const rest = literalPart(text)
  if (rest === '' || text === maskText) return text
  if (isUnderSecret || isSecretName(key, rest) || looksLikeSecret(text.trim(), key)) return maskText
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return maskUrl(text)
  const start = text.trimStart()[0]
  return start === '{' || start === '[' ? maskJsonText(text) : text
}

/** Masks the credentials in a URL and leaves the rest readable. */
function maskUrl(text: string): string {
  const withoutUser = text.replace(/^([a-z][a-z\d+.-]*:\/\/)([^/?#@\s]*)@/i, (whole, scheme: string, user: string) =>
    literalPart(user) === '' ? whole : `${scheme}${maskText}@`,
  )
  return withoutUser.replace(urlParameterPattern, (whole, before: string, name: string, value: string) =>
    !value.startsWith('•••') &&
    literalPart(value) !== '' &&
    (isSecretName(name, value) || (name === 'key' && looksRandom(value)) || looksLikeSecret(value, name))
      ? `${before}${name}=${maskText}`
      : whole,
  )
}

/** A string of JSON with its quotes. */
const jsonString = /"((?:[^"\\]|\\[\s\S])*)"/y
const jsonColon = /\s*:\s*/y

/**
 * Masks secrets in JSON inside a text, such as a request body. The text may be invalid JSON. Anybody may have sent it,
 * so the time must be proportional to its length.
 */
function maskJsonText(text: string): string {
  let masked = ''
  let copied = 0
  for (let at = text.indexOf('"'); at >= 0; ) {
    const name = matchAt(jsonString, text, at)
    // If this string does not end, no later one does.
    if (!name) break
    const colon = matchAt(jsonColon, text, name.end)
    const value = colon && matchAt(jsonString, text, colon.end)
    if (colon && value && literalPart(value.content) !== '') {
      if (isSecretName(name.content, value.content) || looksLikeSecret(value.content, name.content)) {
        masked += `${text.slice(copied, colon.end)}"${maskText}"`
        copied = value.end
      }
    }
    // A quote that ends a string may begin the next one, when another quote is missing.
    at = value ? text.indexOf('"', value.end) : name.end - 1
  }
  return masked + text.slice(copied)
}

function matchAt(pattern: RegExp, text: string, at: number): { content: string; end: number } | undefined {
  pattern.lastIndex = at
  const match = pattern.exec(text)
  return match ? { content: match[1] ?? '', end: pattern.lastIndex } : undefined
}

/** Masks credentials in a value, recognized by their field name or their form. Expressions stay. */
export function maskValue(value: unknown, key = '', isUnderSecret = false): unknown {
  if (typeof value === 'string') return maskString(value, key, isUnderSecret)
  if (typeof value === 'number' || typeof value === 'bigint')
    return key !== '' && (isUnderSecret || isSecretName(key)) ? maskText : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((it) => maskValue(it, key, isUnderSecret))
  const isInside = (isUnderSecret || isSecretName(key) || key === 'authFields') && !isTypeDescription(value)
  // A name and value pair, as in lists of headers.
  const pair = [getOwn(value, 'name'), getOwn(value, 'key')].find(
    (it) => typeof it === 'string' && isSecretName(it, getOwn(value, 'value')),
  )
  const entries = Object.entries(value).map(([name, it]) => [
    name,
    maskValue(it, name, isInside || (pair !== undefined && name === 'value')),
  ])
  return Object.fromEntries(entries)
}

/** Returns masked settings, except for code, which its authors must be able to read. */
export function maskSettings(node: AutomationNode): AutomationNode['settings'] {
  const { sourceCode, ...rest } = node.settings ?? {}
  const masked = maskValue(rest) as NonNullable<AutomationNode['settings']>
  return sourceCode === undefined ? masked : { ...masked, sourceCode }
}

/** Returns a copy of a tree with changed settings. */
function mapSettings(
  trigger: AutomationNode,
  change: (node: AutomationNode) => AutomationNode['settings'],
): AutomationNode {
  const copies = new Map<AutomationNode, AutomationNode>()
  for (const { node, parent, field } of walk(trigger)) {
    const copy: AutomationNode = { ...node }
    if (isObject(node.settings)) copy.settings = change(node)
    copies.set(node, copy)
    if (parent && field) (copies.get(parent) as AutomationNode)[field] = copy
  }
  return copies.get(trigger) as AutomationNode
}

/** Returns a copy of a definition with masked credentials. */
export const maskDefinition = (trigger: AutomationNode): AutomationNode => mapSettings(trigger, maskSettings)

/**
 * Restores the secrets in a definition that was read masked.
 * A value that equals the masked form of the stored value at the same place is unchanged, and the stored value is used.
 * A mask anywhere else is reported as a problem.
 */
export function unmaskDefinition(
  submitted: AutomationNode,
  stored: AutomationNode | null,
): { readonly definition: AutomationNode; readonly problems: Problems } {
  const problems = new Problems()
  const known = new Map(stored ? [...walk(stored)].map(({ node }) => [node.name, node] as const) : [])
  const definition = mapSettings(submitted, (node) => {
    const before = known.get(node.name)
    const shown = before ? maskSettings(before) : undefined
    return unmaskValue(node.settings, before?.settings, shown, 'settings', (path) =>
      problems.add(
        node.name ?? null,
        path,
        `The value is masked (${maskText}), and there is no stored value to use. Enter the value.`,
      ),
    ) as AutomationNode['settings']
  })
  return { definition, problems }
}

function unmaskValue(
  submitted: unknown,
  stored: unknown,
  shown: unknown,
  path: string,
  onLost: (path: string) => void,
): unknown {
  if (typeof submitted === 'string') {
    if (!submitted.includes(maskText)) return submitted
    if (submitted === shown && stored !== undefined && stored !== shown) return stored
    // The copy was made when masking hid more than it does now.
    if (
      submitted === maskText &&
      (typeof stored === 'string' || typeof stored === 'number' || typeof stored === 'bigint')
    )
      return stored
    onLost(path)
    return submitted
  }
  if (Array.isArray(submitted)) {
    const at = (list: unknown, n: number): unknown => (Array.isArray(list) ? list[n] : undefined)
    return submitted.map((it, n) => unmaskValue(it, at(stored, n), at(shown, n), `${path}[${n}]`, onLost))
  }
  if (!isObject(submitted)) return submitted
  return Object.fromEntries(
    Object.entries(submitted).map(([key, it]) => [
      key,
      unmaskValue(it, getOwn(stored, key), getOwn(shown, key), `${path}.${key}`, onLost),
    ]),
  )
}
