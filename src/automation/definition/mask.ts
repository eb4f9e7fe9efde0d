import type { AutomationNode } from '../../contract/automation-node.ts'
import { maskText } from '../../contract/mask.ts'
import { isSecretName, looksRandom, wordsOf } from '../../contract/secret-names.ts'
import { partsOf } from '../expressions/tokens.ts'
import { isObject, own } from './node.ts'
import { Problems } from './problem.ts'
import { walk } from './walk.ts'

export { maskText }

const secretShape = [
  /^Bearer\s+\S+$/i,
  // A word that could not stand in a sentence such as "Basic plan".
  /^(?:[Bb]asic|BASIC|[Tt]oken|TOKEN)\s+(?=\S*(?:\d|=|[a-z][A-Z]))\S+$/,
  /^Digest\s+\w+="/i,
  /^(?:sk|pk|rk|xox[abprs]|gh[pousr]|github_pat|glpat|SG|key|pat)[-_.][\w.-]{16,}$/,
  /^(?:AKIA|AIza|ya29)[\w.-]{12,}$/,
  /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/,
  /^\d+\|[A-Za-z0-9]{30,}$/,
]
const parameter = /([?&;]|^)([^=&#?;\s]+)=([^&#;\s]*)/g

/** Digits of a hash, which an id may be as well: then its name says so. */
const hexShape = /^[0-9a-f]{32,}$/i
const isIdentifier = (key: string): boolean => /^(?:ids?|uuid|guid|database|page|parent)$/.test(wordsOf(key).at(-1) ?? '')
const hasSecretShape = (text: string, key = ''): boolean => secretShape.some((it) => it.test(text)) || (hexShape.test(text) && !isIdentifier(key))

/** Whether an object says what kind of value a field has, as schemas and the settings of editors do, instead of holding one. */
const isDescriptor = (value: object): boolean => /^(?:string|number|integer|boolean|array|object|null|MANUAL|DYNAMIC)$/.test(String(own(value, 'type') ?? ''))

/** What is left of a text without its tokens and the word before a credential: nothing, when the secret comes from elsewhere. */
function literal(text: string): string {
  const rest = text.includes('{{')
    ? partsOf(text)
        .map((it) => ('text' in it ? it.text : ''))
        .join('')
    : text
  return rest.trim().replace(/^(?:Bearer|Basic|Token|Digest):?$/i, '')
}

function maskedText(text: string, key: string, under: boolean): string {
  const rest = literal(text)
  if (rest === '' || text === maskText) return text
  if (under || isSecretName(key, rest) || hasSecretShape(text.trim(), key)) return maskText
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return maskedAddress(text)
  const start = text.trimStart()[0]
  return start === '{' || start === '[' ? maskedJson(text) : text
}

/** An address stays readable but for what opens doors in it. */
function maskedAddress(text: string): string {
  const withoutUser = text.replace(/^([a-z][a-z\d+.-]*:\/\/)([^/?#@\s]*)@/i, (whole, scheme: string, user: string) =>
    literal(user) === '' ? whole : `${scheme}${maskText}@`,
  )
  return withoutUser.replace(parameter, (whole, before: string, name: string, value: string) =>
    !value.startsWith('•••') && literal(value) !== '' && (isSecretName(name, value) || (name === 'key' && looksRandom(value)) || hasSecretShape(value, name))
      ? `${before}${name}=${maskText}`
      : whole,
  )
}

/** JSON written into a text, as bodies of requests are. */
const maskedJson = (text: string): string =>
  text.replace(/("((?:[^"\\]|\\.)*)"\s*:\s*)"((?:[^"\\]|\\.)*)"/g, (whole, before: string, name: string, value: string) =>
    literal(value) !== '' && (isSecretName(name, value) || hasSecretShape(value, name)) ? `${before}"${maskText}"` : whole,
  )

/** A value as it is shown: credentials hidden by the name they stand under or by their shape. Expressions stay. */
export function mask(value: unknown, key = '', under = false): unknown {
  if (typeof value === 'string') return maskedText(value, key, under)
  if (typeof value === 'number') return key !== '' && (under || isSecretName(key)) ? maskText : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((it) => mask(it, key, under))
  const isInside = (under || isSecretName(key) || key === 'authFields') && !isDescriptor(value)
  // A pair of a name and its value, as lists of headers have it.
  const pair = [own(value, 'name'), own(value, 'key')].find((it) => typeof it === 'string' && isSecretName(it, own(value, 'value')))
  const entries = Object.entries(value).map(([name, it]) => [name, mask(it, name, isInside || (pair !== undefined && name === 'value'))])
  return Object.fromEntries(entries)
}

/** Settings without what people write themselves and must see: code. */
export function maskedSettings(node: AutomationNode): AutomationNode['settings'] {
  const { sourceCode, ...rest } = node.settings ?? {}
  const masked = mask(rest) as NonNullable<AutomationNode['settings']>
  return sourceCode === undefined ? masked : { ...masked, sourceCode }
}

/** A tree with new settings; everything else is as it was. */
function withSettings(trigger: AutomationNode, change: (node: AutomationNode) => AutomationNode['settings']): AutomationNode {
  const copies = new Map<AutomationNode, AutomationNode>()
  for (const { node, parent, field } of walk(trigger)) {
    const copy: AutomationNode = { ...node }
    if (isObject(node.settings)) copy.settings = change(node)
    copies.set(node, copy)
    if (parent && field) (copies.get(parent) as AutomationNode)[field] = copy
  }
  return copies.get(trigger) as AutomationNode
}

export const maskDefinition = (trigger: AutomationNode): AutomationNode => withSettings(trigger, maskedSettings)

/**
 * A definition that was read masked, with its secrets put back: where a value is what masking makes of the one stored for that step at that place, it is
 * unchanged. A mask that stands anywhere else hides nothing, which is a problem.
 */
export function unmaskDefinition(sent: AutomationNode, stored: AutomationNode | null): { readonly definition: AutomationNode; readonly problems: Problems } {
  const problems = new Problems()
  const known = new Map(stored ? [...walk(stored)].map(({ node }) => [node.name, node] as const) : [])
  const definition = withSettings(sent, (node) => {
    const before = known.get(node.name)
    const shown = before ? maskedSettings(before) : undefined
    return unmasked(node.settings, before?.settings, shown, 'settings', (path) =>
      problems.add(node.name ?? null, path, `The value is hidden (${maskText}) and there is no stored one to keep.`),
    ) as AutomationNode['settings']
  })
  return { definition, problems }
}

function unmasked(sent: unknown, stored: unknown, shown: unknown, path: string, lost: (path: string) => void): unknown {
  if (typeof sent === 'string') {
    if (!sent.includes(maskText)) return sent
    if (sent === shown && stored !== undefined && stored !== shown) return stored
    // A copy that was made when more was hidden than is now.
    if (sent === maskText && (typeof stored === 'string' || typeof stored === 'number')) return stored
    lost(path)
    return sent
  }
  if (Array.isArray(sent)) {
    const at = (list: unknown, n: number): unknown => (Array.isArray(list) ? list[n] : undefined)
    return sent.map((it, n) => unmasked(it, at(stored, n), at(shown, n), `${path}[${n}]`, lost))
  }
  if (!isObject(sent)) return sent
  return Object.fromEntries(Object.entries(sent).map(([key, it]) => [key, unmasked(it, own(stored, key), own(shown, key), `${path}.${key}`, lost)]))
}
