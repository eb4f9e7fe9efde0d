import { hidden, isSecretName } from '../../client/redact.ts'
import { counterpart, isHidden, isObject, mask, unhidden, withoutSecrets } from '../hidden.ts'
import { usage } from '../usage.ts'

type Env = Readonly<Record<string, string | undefined>>

const reference = /(?<!\$)\$\{([A-Z_][A-Z0-9_]*)\}/g
/** What stands for the text `${X}` itself where a reference could stand: what somebody wrote on the platform never names a variable of ours. */
const escaped = /\$\$\{([A-Z_][A-Z0-9_]*)\}/g
const unescaped = (text: string): string => text.replaceAll(escaped, (_, name: string) => `\${${name}}`)
/** A secret alone, or after the word that says how it is sent. */
const alone = /^(?:(?:Bearer|Basic|Token) )?\$\{[A-Z_][A-Z0-9_]*\}$/
const isAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/\S*$/i.test(text)

/** Whether a text names a variable of the environment: alone, or within an address. Anywhere else `${X}` is only text. */
const isReference = (it: unknown): it is string => typeof it === 'string' && (alone.test(it) || (isAddress(it) && it.search(reference) >= 0))

/** `FRONT_DESK_API_KEY`: what a secret is called in the environment unless the file says otherwise. */
const nameFor = (thing: string, what: string): string => {
  const name = `${thing}_${what}`
    .normalize('NFKD')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
  return /^[A-Z_]/.test(name) ? name : `_${name}`
}

/** A copy in which every secret is a reference to the environment, called after the thing. */
export function withReferences<T>(content: T, thing: string): T {
  const walk = (it: unknown, redacted: unknown, what: string): unknown => {
    if (Array.isArray(it)) return it.map((one, n) => walk(one, (redacted as unknown[])[n], what))
    if (isObject(it)) {
      const pair = typeof it.name === 'string' ? it.name : typeof it.key === 'string' ? it.key : undefined
      return Object.fromEntries(
        Object.entries(it).map(([name, one]) => [
          name,
          walk(one, (redacted as Readonly<Record<string, unknown>>)[name], name === 'value' && pair !== undefined ? pair : name),
        ]),
      )
    }
    return typeof it === 'string' && it !== '' ? written(it, redacted, what) : it
  }
  const written = (text: string, redacted: unknown, what: string): string => {
    if ([text].some(isHidden)) return text
    if (redacted === hidden) return `\${${nameFor(thing, what)}}`
    const plain = [text].some(isReference) ? text.replaceAll(reference, (all) => `$${all}`) : text
    return text !== redacted && isAddress(text) ? addressOf(plain, thing) : plain
  }
  return walk(content, withoutSecrets(content), '') as T
}

const addressOf = (text: string, thing: string): string =>
  text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)([^\s/@"]+)@/i, (_, scheme: string) => `${scheme}\${${nameFor(thing, 'address')}}@`)
    .replace(/([?&])([\w.[\]-]+)=([^&\s"#]+)/g, (all, before: string, name: string, value: string) =>
      isSecretName(name) && !value.includes('{') ? `${before}${name}=\${${nameFor(thing, name)}}` : all,
    )

/** A copy to compare by: every secret is the same mask, whatever the environment calls it. */
export function veiled(it: unknown): unknown {
  if (Array.isArray(it)) return it.map(veiled)
  if (isObject(it)) return Object.fromEntries(Object.entries(it).map(([name, one]) => [name, veiled(one)]))
  if (isReference(it)) return alone.test(it) ? mask : it.replaceAll(reference, mask)
  return isHidden(it) ? it.replaceAll(hidden, mask) : it
}

/** What the platform has, with the references of a file in place of those made up for it. */
export function withOwnReferences(there: unknown, here: unknown): unknown {
  if (Array.isArray(there)) return there.map((it, n) => withOwnReferences(it, counterpart(it, n, here)))
  if (isObject(there))
    return Object.fromEntries(Object.entries(there).map(([name, it]) => [name, withOwnReferences(it, isObject(here) ? here[name] : undefined)]))
  if (!isReference(there) && !isHidden(there)) return there
  return typeof here === 'string' && (isReference(here) || isHidden(here)) && veiled(here) === veiled(there) ? here : there
}

interface Known {
  readonly env: Env
  /** What is live of it, where secrets are not hidden. */
  readonly live: unknown
  /** The path of the file, for refusals. */
  readonly file: string
}

/** A value with its references filled from the environment. `live`: whether there is a value that could stay. @throws ClientFailure `usage` naming file, field and variable */
export function withEnvironment(value: unknown, path: string, { env, file, live }: Omit<Known, 'live'> & Partial<Pick<Known, 'live'>>): unknown {
  return mapReferences(value, path, (text, at) =>
    unescaped(
      text.replaceAll(reference, (_, name: string) => {
        const given = env[name]
        if (given === undefined || given === '')
          throw usage(
            `${file}: ${at} needs the environment variable ${name}, which is not set.`,
            live === undefined ? `Set it: export ${name}=…` : `Set it, or write "${mask}" there to keep the one there is.`,
          )
        return given
      }),
    ),
  )
}

/** The same with masks as they are live. */
export function withSecrets(value: unknown, path: string, { env, live, file }: Known): unknown {
  return unhidden(withEnvironment(value, path, { env, live, file }), live, path, (at) => {
    throw usage(`${file}: ${at} is hidden, and there is no live one to keep.`, `Write a reference to the environment there, such as \${SECRET}.`)
  })
}

/** Paths of references whose variable is set to something else than what is live, where that can be seen: the secret was changed. */
export function rotated(value: unknown, live: unknown, env: Env): string[] {
  const found: string[] = []
  const walk = (it: unknown, now: unknown, path: string): void => {
    if (Array.isArray(it)) for (const [n, one] of it.entries()) walk(one, counterpart(one, n, now), `${path}.${n}`)
    else if (isObject(it))
      for (const [name, one] of Object.entries(it)) walk(one, isObject(now) ? now[name] : undefined, path === '' ? name : `${path}.${name}`)
    else if (isReference(it) && typeof now === 'string' && !isHidden(now)) {
      const names = [...it.matchAll(reference)].map(([, name]) => name as string)
      if (names.every((name) => env[name]) && it.replaceAll(reference, (_, name: string) => env[name] as string) !== now) found.push(path)
    }
  }
  walk(value, live, '')
  return found
}

/** Paths at which a file has a secret in the clear. */
export function inTheClear(content: unknown): string[] {
  const found: string[] = []
  const walk = (it: unknown, redacted: unknown, path: string): void => {
    if (Array.isArray(it)) for (const [n, one] of it.entries()) walk(one, (redacted as unknown[])[n], `${path}.${n}`)
    else if (isObject(it))
      for (const [name, one] of Object.entries(it)) walk(one, (redacted as Readonly<Record<string, unknown>>)[name], path === '' ? name : `${path}.${name}`)
    else if (redacted === hidden && !isHidden(it) && !isReference(it) && it !== '') found.push(path)
  }
  walk(content, withoutSecrets(content), '')
  return found
}

function mapReferences(value: unknown, path: string, change: (text: string, path: string) => string): unknown {
  if (Array.isArray(value)) return value.map((it, n) => mapReferences(it, `${path}.${n}`, change))
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, mapReferences(it, path === '' ? name : `${path}.${name}`, change)]))
  return isReference(value) || (typeof value === 'string' && isReference(unescaped(value))) ? change(value, path) : value
}
