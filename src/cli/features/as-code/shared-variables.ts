import { isMask } from '../../../client/requests/require-no-masks.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { isReference, referencePattern } from '../../program/documents/environment-secrets.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { findCounterpart } from '../../program/secrets/masked-values.ts'

/** An environment variable that is used for different secrets. */
interface SharedVariable {
  readonly variable: string
  /** Paths of the secrets. */
  readonly paths: readonly string[]
}

/**
 * Returns the variables of a file that stand for secrets which differ on the platform. Such a variable would send one
 * secret to the place of the other.
 */
export function findSharedVariables(content: unknown, live: unknown): SharedVariable[] {
  const places = new Map<string, { path: string; value: string }[]>()
  const walk = (local: unknown, now: unknown, path: string): void => {
    if (Array.isArray(local))
      for (const [n, one] of local.entries()) walk(one, findCounterpart(local, n, now), `${path}.${n}`)
    else if (isObject(local))
      for (const [name, one] of Object.entries(local))
        walk(one, isObject(now) ? now[name] : undefined, path === '' ? name : `${path}.${name}`)
    else if (isReference(local) && typeof now === 'string' && !isMask(now))
      for (const [variable, value] of liveValues(local, now))
        places.set(variable, [...(places.get(variable) ?? []), { path, value }])
  }
  walk(content, live, '')
  return [...places]
    .filter(([, found]) => new Set(found.map((it) => it.value)).size > 1)
    .map(([variable, found]) => ({ variable, paths: [...new Set(found.map((it) => it.path))] }))
}

/** Returns the live values of the variables in a text, where the text around them is the same. */
function liveValues(text: string, live: string): [variable: string, value: string][] {
  const variables = variablesIn(text)
  const around = text.split(referencePattern).filter((_, n) => n % 2 === 0)
  const pattern = around.map((it) => it.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('([^]+?)')
  const values = new RegExp(`^${pattern}$`).exec(live)?.slice(1) ?? []
  return values.map((value, n) => [variables[n] as string, value])
}

/**
 * Returns the content of a file in which the given variables are replaced by those of `generated`, the content that an
 * export without a file would have.
 */
export function separateVariables(content: unknown, generated: unknown, variables: ReadonlySet<string>): unknown {
  if (Array.isArray(content))
    return content.map((it, n) => separateVariables(it, findCounterpart(content, n, generated), variables))
  if (isObject(content))
    return Object.fromEntries(
      Object.entries(content).map(([name, value]) => [
        name,
        separateVariables(value, isObject(generated) ? generated[name] : undefined, variables),
      ]),
    )
  return isReference(content) && isReference(generated) && variablesIn(content).some((it) => variables.has(it))
    ? generated
    : content
}

/** Returns the variables in a value, at any depth. */
export function variablesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(variablesIn)
  if (isObject(value)) return Object.values(value).flatMap(variablesIn)
  return isReference(value) ? [...value.matchAll(referencePattern)].map(([, name]) => name as string) : []
}

/** Checks that no variable of a file is used for different secrets. @throws ClientFailure `usage` with their paths */
export function requireUnsharedVariables(content: unknown, live: unknown, file: string): void {
  const [shared] = findSharedVariables(content, live)
  if (!shared) return
  throw usageError(
    `${file}: \${${shared.variable}} is used for different secrets: ${shared.paths.join(', ')}. Nothing was sent.`,
    'Give each secret a separate variable. To do that from the platform: parley pull.',
  )
}
