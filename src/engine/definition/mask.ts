// Credentials in definitions: how they are hidden, and how they are restored in a definition that was read with masks.

import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { mapSteps, ownFields, walkSteps } from '../../contract/automations/walk-steps.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { maskText } from '../../contract/values/mask-text.ts'
import { isSecretName, isTypeDescription, looksRandom, splitName } from '../../contract/values/secret-names.ts'
import { parsePath } from '../expressions/expression-path.ts'
import { findQuotedRanges } from '../expressions/quoted-text.ts'
import { splitTokens } from '../expressions/tokens.ts'
import { getOwn, type JsonObject } from './node.ts'
import { Problems } from './problems.ts'

export { maskText }

/**
 * Forms of credentials in any field. Without a pattern, such values are shown and printed. A further one breaks nothing: masks in copies
 * that users have are restored by their place.
 */
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
/** Fields of a form: `user=ada&password=...`. */
const formPattern = /^[\w.[\]%-]+=\S+$/

/** Digits of a hash, which may also be an id. The name of the field decides. */
const hexPattern = /^[0-9a-f]{32,}$/i
const isIdentifier = (key: string): boolean =>
  /^(?:ids?|uuid|guid|database|page|parent)$/.test(splitName(key).at(-1) ?? '')
const looksLikeSecret = (text: string, key = ''): boolean =>
  secretPatterns.some((it) => it.test(text)) || (hexPattern.test(text) && !isIdentifier(key))

/** Fields of an object that describes the type of a field, which hold no value of the field. */
const descriptiveFields = new Set(
  'type title name displayName label description placeholder format required schema items properties $schema enum'.split(
    ' ',
  ),
)

/** Returns the texts that an expression contains, except names of fields: `{{ step_1['key'] || 'sk_live_1' }}`. */
function tokenLiterals(token: string): string[] {
  if (parsePath(token) !== null) return []
  return findQuotedRanges(token, 'code').flatMap(({ start, end, isComment }) => {
    const isKey = /\[\s*$/.test(token.slice(0, start)) && /^\s*\]/.test(token.slice(end))
    return isComment || isKey ? [] : [token.slice(start + 1, end - 1)]
  })
}

/**
 * Returns a text without its tokens and without the scheme before a credential. It is empty if the secret comes from an
 * expression.
 */
function literalPart(text: string): string {
  const rest = text.includes('{{')
    ? splitTokens(text)
        .map((it) => ('text' in it ? it.text : tokenLiterals(it.token).join('')))
        .join('')
    : text
  return rest.trim().replace(/^(?:Bearer|Basic|Token|Digest):?$/i, '')
}

function maskString(text: string, key: string, isUnderSecret: boolean): string {
  const rest = literalPart(text)
  if (rest === '' || text === maskText) return text
  if (isUnderSecret || isSecretName(key, rest) || looksLikeSecret(text.trim(), key)) return maskText
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text) || formPattern.test(text)) return maskUrl(text)
  const start = text.trimStart()[0]
  return start === '{' || start === '[' ? maskJsonText(text) : text
}

/** Masks the credentials in a URL or in the fields of a form, and leaves the rest readable. */
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
  const isInside = isUnderSecret || isSecretName(key) || key === 'authFields'
  const isDescribing = isTypeDescription(value)
  // A name and value pair, as in lists of headers.
  const pair = [getOwn(value, 'name'), getOwn(value, 'key')].find(
    (it) => typeof it === 'string' && isSecretName(it, getOwn(value, 'value')),
  )
  const entries = Object.entries(value).map(([name, child]) => [
    name,
    maskValue(
      child,
      name,
      (isInside && !(isDescribing && descriptiveFields.has(name))) || (pair !== undefined && name === 'value'),
    ),
  ])
  return Object.fromEntries(entries)
}

/** Fields of a step that everybody may read. */
const plainFields = new Set(['name', 'type', 'displayName', 'valid', 'skip'])

/** Returns masked settings, except for code, which its authors must be able to read. */
function maskSettings({ sourceCode, ...settings }: JsonObject): JsonObject {
  const masked = maskValue(settings) as JsonObject
  if (!isObject(sourceCode)) return sourceCode === undefined ? masked : { ...masked, sourceCode: maskValue(sourceCode) }
  const { code, packageJson, ...rest } = sourceCode
  return {
    ...masked,
    sourceCode: {
      ...(maskValue(rest) as JsonObject),
      ...(code !== undefined && { code }),
      ...(packageJson !== undefined && { packageJson }),
    },
  }
}

/** Returns the fields of a step without the steps in it, with masked credentials, also in fields that are not known. */
const maskFields = (fields: AutomationNode): AutomationNode =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      plainFields.has(name)
        ? value
        : name === 'settings' && isObject(value)
          ? maskSettings(value)
          : maskValue(value, name),
    ]),
  )

/** Returns a copy of a definition with masked credentials. */
export const maskDefinition = (trigger: AutomationNode): AutomationNode => mapSteps(trigger, maskFields)

/** A credential in a value: what masking hides, and what it shows instead. */
export interface MaskedValue {
  /** Path in the value, such as `settings.input.headers.Authorization`. */
  readonly path: string
  readonly plain: string | number | bigint
  readonly shown: string
}

/** Yields every credential of a definition, at any depth of any field. */
export function* findMasked(trigger: AutomationNode): Generator<MaskedValue & { readonly step: AutomationNode }> {
  for (const { node } of walkSteps(trigger)) {
    const fields = Object.fromEntries(ownFields(node))
    for (const difference of differences(fields, maskFields(fields))) yield { step: node, ...difference }
  }
}

/** Yields every credential of a value, at any depth, where `shown` is the value with masks. */
export function* differences(plain: unknown, shown: unknown, path = ''): Generator<MaskedValue> {
  if (typeof plain === 'string' || typeof plain === 'number' || typeof plain === 'bigint') {
    if (plain !== shown && String(shown).includes(maskText)) yield { path, plain, shown: String(shown) }
  } else if (typeof plain === 'object' && plain !== null)
    for (const [key, child] of Object.entries(plain)) {
      const other = Array.isArray(shown) ? shown[Number(key)] : getOwn(shown, key)
      yield* differences(child, other, Array.isArray(plain) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`)
    }
}

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
  const known = new Map(stored ? [...walkSteps(stored)].map(({ node }) => [node.name, node] as const) : [])
  const definition = mapSteps(submitted, (fields, node) => {
    const storedNode = known.get(node.name)
    const before = storedNode && Object.fromEntries(ownFields(storedNode))
    return unmaskValue(fields, before, before && maskFields(before), '', (path) =>
      problems.add(
        node.name ?? null,
        path,
        `The value is masked (${maskText}), and there is no stored value to use. Enter the value.`,
      ),
    ) as AutomationNode
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
    Object.entries(submitted).map(([key, child]) => [
      key,
      unmaskValue(child, getOwn(stored, key), getOwn(shown, key), path === '' ? key : `${path}.${key}`, onLost),
    ]),
  )
}
