// Secrets of resources in files: references to environment variables in place of values. A secret of the platform never gets
// into a file, and text of the platform never names a variable.

import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { isMask } from '../../../client/requests/require-no-masks.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { rootPlace } from '../../../contract/values/mask.ts'
import { redactedText } from '../../../contract/values/redact.ts'
import { isSecretName } from '../../../contract/values/secret-names.ts'
import type { Context } from '../context.ts'
import { fillMasks, findCounterpart, isMasked, type LostMask, mask, redactSecrets } from '../secrets/masked-values.ts'

/** A reference to an environment variable that is not set. */
interface MissingSecret {
  /** File and field. */
  readonly place: string
  readonly variable: string
  /** The platform has a value that could remain. */
  readonly hasLive: boolean
}

/** Names every environment variable that is not set. Exit code 2. */
class MissingSecrets extends ClientFailure {
  readonly missing: readonly MissingSecret[]

  constructor(missing: readonly MissingSecret[]) {
    const variables = [...new Set(missing.map((it) => it.variable))]
    const exports = variables.map((it) => `export ${it}=…`).join(' ')
    super({
      exit: 'usage',
      code: 'usage',
      message: missing
        .map(({ place, variable }) => `${place} needs the environment variable ${variable}, which is not set.`)
        .join('\n'),
      hint: missing.every((it) => it.hasLive)
        ? `Set ${variables.length === 1 ? 'it' : 'them'}, or write "${mask}" there to preserve the live value.`
        : `Set ${variables.length === 1 ? 'it' : 'them'}: ${exports}`,
    })
    this.missing = missing
  }
}

/** Several reasons against a plan. */
class PlanFailures extends ClientFailure {
  readonly failures: readonly ClientFailure[]

  constructor(failures: readonly ClientFailure[]) {
    const codes = new Set(failures.map((it) => it.code))
    super({
      exit: 'usage',
      code: codes.size === 1 ? ([...codes][0] as string) : 'usage',
      message: failures.map((it) => it.message).join('\n'),
      hint: [...new Set(failures.flatMap(({ hint = '' }) => (hint === '' ? [] : [hint])))].join(' '),
      details: failures.flatMap((it) => it.details),
    })
    this.failures = failures
  }
}

/** Checks all items. @throws ClientFailure `usage` with what is wrong with all of them, or the first other error */
export async function requireEach<T>(
  items: Iterable<T>,
  check: (item: T) => void | undefined | Promise<void>,
): Promise<void> {
  const failures: ClientFailure[] = []
  for (const item of items)
    try {
      await check(item)
    } catch (error) {
      if (!(error instanceof ClientFailure) || error.exit !== 'usage') throw error
      failures.push(...(error instanceof PlanFailures ? error.failures : [error]))
    }
  const secrets = failures.filter((it) => it instanceof MissingSecrets)
  const others = failures.filter((it) => !(it instanceof MissingSecrets))
  const all = [
    ...others,
    ...(secrets.length > 0 ? [new MissingSecrets(secrets.flatMap(({ missing }) => missing))] : []),
  ]
  const [only] = all
  if (only) throw all.length === 1 ? only : new PlanFailures(all)
}

/** A secret in a resource. */
interface SecretPlace {
  /** Name of its field, header or query parameter. */
  readonly what: string
  /** Fields and entries that contain it, outermost first. */
  readonly within: readonly string[]
}

/** Returns the environment variable for a secret, such as `FRONT_DESK_API_KEY`. A file may use another name. Users set these variables in pipelines, so the name for a secret never changes. */
export const variableNameFor = (resourceName: string, what: string): string => {
  const name = `${resourceName}_${what}`
    .normalize('NFKD')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
  return /^[A-Z_]/.test(name) ? name : `_${name}`
}

/**
 * Returns the environment variables of secrets of one resource, a different one for each. Secrets of the same name are
 * distinguished by what contains them: `FRONT_DESK_INBOUND_WEBHOOK_URL_TOKEN`.
 */
function assignVariables(resourceName: string, places: readonly SecretPlace[]): string[] {
  const short = places.map(({ what }) => variableNameFor(resourceName, what))
  const isUnique = (names: readonly string[], name: string): boolean => names.filter((it) => it === name).length === 1
  const chosen = places.map(({ what, within }, n) =>
    isUnique(short, short[n] as string)
      ? (short[n] as string)
      : variableNameFor(resourceName, [...within, what].join(' ')),
  )
  const taken = new Set<string>()
  return chosen.map((name) => {
    let free = name
    for (let n = 2; taken.has(free) || (free !== name && chosen.includes(free)); n++) free = `${name}_${n}`
    taken.add(free)
    return free
  })
}

/** Returns a label for an entry of a list that does not depend on its position, if it has one. */
function entryLabel(entry: unknown, n: number): string {
  if (!isObject(entry)) return String(n + 1)
  const names = ['name', 'key', ...Object.keys(entry).filter((it) => it.endsWith('slug'))]
  const label = names.map((it) => entry[it]).find((it) => typeof it === 'string' && it !== '')
  return typeof label === 'string' ? label : String(n + 1)
}

type Env = Readonly<Record<string, string | undefined>>

/** Matches a reference to an environment variable. Files of users have references and their escaped form: both never change. */
export const referencePattern = /(?<!\$)\$\{([A-Z_][A-Z0-9_]*)\}/g
/**
 * Escaped form of the literal text `${X}` where a reference could be. It prevents text from the platform from naming an
 * environment variable.
 */
const escapedPattern = /\$\$\{([A-Z_][A-Z0-9_]*)\}/g
const unescapeReferences = (text: string): string => text.replaceAll(escapedPattern, (_, name: string) => `\${${name}}`)
/** A reference alone, or after an authentication scheme. */
const wholeReferencePattern = /^(?:(?:Bearer|Basic|Token) )?\$\{[A-Z_][A-Z0-9_]*\}$/
const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/\S*$/i.test(text)

/**
 * Returns whether a text references an environment variable: alone or within a URL. Anywhere else `${X}` is literal
 * text.
 */
export const isReference = (value: unknown): value is string =>
  typeof value === 'string' &&
  (wholeReferencePattern.test(value) || (isUrl(value) && value.search(referencePattern) >= 0))

/** Returns the environment variables that a text references and that are not set. */
export const unsetVariables = (text: string, env: Env): string[] =>
  isReference(text)
    ? [...text.matchAll(referencePattern)].map(([, name]) => name as string).filter((name) => !env[name])
    : []

/** Returns a copy in which every secret is a reference to an environment variable named after the resource. */
export function replaceSecrets<T>(content: T, resourceName: string): T {
  const places: SecretPlace[] = []
  const redacted = redactSecrets(content)
  const count = (place: SecretPlace): string => {
    places.push(place)
    return ''
  }
  mapSecrets({ value: content, redacted, what: '', within: [] }, count)
  const variables = assignVariables(resourceName, places).values()
  return mapSecrets({ value: content, redacted, what: '', within: [] }, () => `\${${variables.next().value}}`) as T
}

interface VisitedSecret extends SecretPlace {
  readonly value: unknown
  /** The same value without secrets. */
  readonly redacted: unknown
  /** Label of the list entry that the value is. */
  readonly entry?: string
}

/** Replaces the secrets in a value by the result of `name`, which is called once for each of them, in order. */
function mapSecrets(visited: VisitedSecret, name: (place: SecretPlace) => string): unknown {
  const { value, redacted, what, within, entry = '' } = visited
  if (Array.isArray(value))
    return value.map((one, n) =>
      mapSecrets({ value: one, redacted: (redacted as unknown[])[n], what, within, entry: entryLabel(one, n) }, name),
    )
  if (!isObject(value))
    return typeof value === 'string' && value !== '' ? replaceText({ ...visited, value }, name) : value
  const pair = typeof value.name === 'string' ? value.name : typeof value.key === 'string' ? value.key : undefined
  return Object.fromEntries(
    Object.entries(value).map(([field, one]) => {
      const isPair = field === 'value' && pair !== undefined
      const inner = {
        value: one,
        redacted: (redacted as Readonly<Record<string, unknown>>)[field],
        what: isPair ? pair : field,
        within: [...within, what, ...(isPair ? [] : [entry])],
      }
      return [field, mapSecrets(inner, name)]
    }),
  )
}

function replaceText(
  { value: text, redacted, what, within: outer, entry = '' }: VisitedSecret & { readonly value: string },
  name: (place: SecretPlace) => string,
): string {
  const within = [...outer, entry]
  if (isMask(text)) return text
  if (redacted === redactedText) return name({ what, within })
  const plain = isReference(text) ? (text as string).replaceAll(referencePattern, (all) => `$${all}`) : text
  return text !== redacted && isUrl(text)
    ? replaceUrlSecrets(plain, (it) => name({ what: it, within: [...within, what] }))
    : plain
}

const replaceUrlSecrets = (text: string, name: (what: string) => string): string =>
  text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)([^\s/@"]+)@/i, (_, scheme: string) => `${scheme}${name('address')}@`)
    .replace(/([?&])([\w.[\]-]+)=([^&\s"#]+)/g, (all, before: string, parameter: string, value: string) =>
      isSecretName(parameter) && !value.includes('{') ? `${before}${parameter}=${name(parameter)}` : all,
    )

/** Returns a copy for comparison, in which every secret has the same mask whatever its variable is. */
export function maskSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskSecrets)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskSecrets(one)]))
  if (isReference(value)) return wholeReferencePattern.test(value) ? mask : value.replaceAll(referencePattern, mask)
  return isMask(value) ? value.replaceAll(redactedText, mask) : value
}

/** Returns the value of the platform with the references of the file, instead of the generated ones. */
export function keepLocalReferences(remoteValue: unknown, localValue: unknown): unknown {
  if (Array.isArray(remoteValue))
    return remoteValue.map((it, n) => keepLocalReferences(it, findCounterpart(remoteValue, n, localValue)))
  if (isObject(remoteValue))
    return Object.fromEntries(
      Object.entries(remoteValue).map(([name, value]) => [
        name,
        keepLocalReferences(value, isObject(localValue) ? localValue[name] : undefined),
      ]),
    )
  if (!isReference(remoteValue) && !isMask(remoteValue)) return remoteValue
  return typeof localValue === 'string' &&
    (isReference(localValue) || isMask(localValue)) &&
    maskSecrets(localValue) === maskSecrets(remoteValue)
    ? localValue
    : remoteValue
}

interface SecretSources {
  readonly env: Env
  /** The live value, with secrets where the platform shows them. */
  readonly live: unknown
  /** Path of the file, for error messages. */
  readonly file: string
}

/**
 * Resolves references from the environment. `live` is undefined without a live value that could remain. @throws
 * MissingSecrets with file, field and variable of each that is not set
 */
export function resolveReferences(
  value: unknown,
  path: string,
  { env, file, live }: Omit<SecretSources, 'live'> & Partial<Pick<SecretSources, 'live'>>,
): unknown {
  const missing: { place: string; variable: string; hasLive: boolean }[] = []
  const resolved = mapReferences(value, path, (text, at) =>
    unescapeReferences(
      text.replaceAll(referencePattern, (_, variable: string) => {
        const given = env[variable]
        if (given) return given
        missing.push({ place: `${file}: ${at}`, variable, hasLive: live !== undefined })
        return ''
      }),
    ),
  )
  if (missing.length > 0) throw new MissingSecrets(missing)
  return resolved
}

/**
 * Resolves references as `resolveReferences` does, and replaces masks by the live values. @throws ClientFailure for masks
 * without one
 */
export function resolveSecrets(
  context: Pick<Context, 'writeSettings'>,
  value: unknown,
  path: string,
  { env, live, file }: SecretSources,
): unknown {
  const lost: LostMask[] = []
  const resolved = resolveReferences(value, path, { env, live, file })
  const filled = fillMasks(
    resolved,
    { plain: live, shown: live },
    {
      place: { ...rootPlace, path },
      onLost: (it) => lost.push(it),
    },
  )
  const [first] = lost.filter((it) => !(context.writeSettings.sendsMasks && it.canForce))
  if (!first) return filled
  throw new ClientFailure({
    exit: first.isHidden || first.canForce ? 'conflict' : 'usage',
    code: 'masked_value',
    message: `${file}: ${first.label} is masked, and ${first.isHidden ? 'the platform does not show the live value' : 'no live value exists'}. Nothing was sent.`,
    hint: `Replace it with a reference to the environment, for example \${SECRET}.${first.canForce ? ' If the value is not a mask, add --force.' : ''}`,
  })
}

/**
 * Returns the paths of references whose environment variable differs from the visible live value: the secret was
 * changed.
 */
export function rotatedFields(value: unknown, live: unknown, env: Env): string[] {
  const found: string[] = []
  const walk = (value: unknown, now: unknown, path: string): void => {
    if (Array.isArray(value))
      for (const [n, one] of value.entries()) walk(one, findCounterpart(value, n, now), `${path}.${n}`)
    else if (isObject(value))
      for (const [name, one] of Object.entries(value))
        walk(one, isObject(now) ? now[name] : undefined, path === '' ? name : `${path}.${name}`)
    else if (isReference(value) && typeof now === 'string' && !isMask(now)) {
      const names = [...value.matchAll(referencePattern)].map(([, name]) => name as string)
      if (
        names.every((name) => env[name]) &&
        value.replaceAll(referencePattern, (_, name: string) => env[name] as string) !== now
      )
        found.push(path)
    }
  }
  walk(value, live, '')
  return found
}

/** Returns whether a content has secrets: references or masks. */
export const hasSecrets = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(hasSecrets)
    : isReference(value) || isMasked(value)

/** Returns the paths of secrets in plain text. */
export function plaintextFields(content: unknown): string[] {
  const found: string[] = []
  const walk = (value: unknown, redacted: unknown, path: string): void => {
    if (Array.isArray(value))
      for (const [n, one] of value.entries()) walk(one, (redacted as unknown[])[n], `${path}.${n}`)
    else if (isObject(value))
      for (const [name, one] of Object.entries(value))
        walk(one, (redacted as Readonly<Record<string, unknown>>)[name], path === '' ? name : `${path}.${name}`)
    else if (redacted === redactedText && !isMask(value) && !isReference(value) && value !== '') found.push(path)
  }
  walk(content, redactSecrets(content), '')
  return found
}

function mapReferences(value: unknown, path: string, change: (text: string, path: string) => string): unknown {
  if (Array.isArray(value)) return value.map((it, n) => mapReferences(it, `${path}.${n}`, change))
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, value]) => [
        name,
        mapReferences(value, path === '' ? name : `${path}.${name}`, change),
      ]),
    )
  return isReference(value) || (typeof value === 'string' && isReference(unescapeReferences(value)))
    ? change(value, path)
    : value
}
