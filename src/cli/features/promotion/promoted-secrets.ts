import { isObject } from '../../../contract/values/json-object.ts'
import { looksMasked } from '../../../contract/values/mask.ts'
import { redactedText } from '../../../contract/values/redact.ts'
import { secrecyOf } from '../../../contract/values/secret-names.ts'
import { isReference, unsetVariables } from '../../program/documents/environment-secrets.ts'
import { variableNameFor } from '../../program/documents/secret-variables.ts'
import { findCounterpart, isMasked, mask } from '../../program/secrets/masked-values.ts'
import type { SyncSide } from '../as-code/compare.ts'
import type { SyncEntry } from '../as-code/merge-entry.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Secrets that a promotion cannot send. */
export interface MissingPromotedSecrets {
  /** Environment variables that are not set. */
  readonly variables: Set<string>
  /** A sentence for each value that the source masks within a longer text. */
  readonly masked: Set<string>
}

/** Returns an empty collection. */
export const noMissingSecrets = (): MissingPromotedSecrets => ({ variables: new Set(), masked: new Set() })

/**
 * Prepares the secrets of an entry. Where the target has one, a reference without a variable becomes a mask, which
 * leaves it unchanged. Elsewhere a value that the source masks becomes a reference to the environment. What cannot be
 * sent is added to `missing`.
 */
export function keepLiveSecrets(entry: SyncEntry, env: Env, missing: MissingPromotedSecrets): SyncEntry {
  const local = entry.local as SyncSide
  const content = Object.fromEntries(
    Object.entries(local.content).map(([name, value]) => {
      if (entry.remote && !entry.fields.includes(name)) return [name, value]
      return [
        name,
        mapTexts({ value, live: entry.remote?.raw[name], path: name, names: [name] }, ({ text, live, path, names }) => {
          const hasLive = typeof live === 'string' && live !== ''
          // The source may have a mask of its own.
          const shown = looksMasked(text) && secrecyOf(names.at(-1) ?? '') === 'secret' ? mask : text
          if (hasLive && isMasked(shown)) return shown
          const named = isMasked(shown) ? withReference(shown, variableNameFor(local.name, names.join(' '))) : text
          if (isMasked(shown) && !isReference(named)) {
            missing.masked.add(`${entry.file}: ${path}: the source does not show the secret in this text`)
            return text
          }
          const unset = unsetVariables(named, env)
          if (unset.length === 0) return named
          if (hasLive) return mask
          for (const it of unset) missing.variables.add(it)
          return named
        }),
      ]
    }),
  )
  return { ...entry, local: { ...local, content } }
}

const withReference = (text: string, variable: string): string =>
  [mask, redactedText].reduce((it, masked) => it.replaceAll(masked, `\${${variable}}`), text)

interface Visited {
  readonly value: unknown
  readonly live: unknown
  readonly path: string
  /** The step that a value is in, and its field or the name beside it. */
  readonly names: readonly string[]
}

/** Replaces the texts in a value, at any depth. */
function mapTexts(
  { value, live, path, names }: Visited,
  change: (it: Omit<Visited, 'value'> & { readonly text: string }) => string,
): unknown {
  if (Array.isArray(value))
    return value.map((it, n) =>
      mapTexts({ value: it, live: findCounterpart(value, n, live), path: `${path}.${n}`, names }, change),
    )
  if (!isObject(value)) return typeof value === 'string' ? change({ text: value, live, path, names }) : value
  const own = [value.name, value.key].find((it) => typeof it === 'string') as string | undefined
  const isStep = own !== undefined && isObject(value.settings)
  const step = isStep ? [own] : names.slice(0, -1)
  return Object.fromEntries(
    Object.entries(value).map(([field, it]) => {
      const label = field === 'value' && own !== undefined ? own : field
      const inner = isObject(live) ? live[field] : undefined
      return [field, mapTexts({ value: it, live: inner, path: `${path}.${field}`, names: [...step, label] }, change)]
    }),
  )
}
