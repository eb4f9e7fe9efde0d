import { isObject } from '../../../../contract/values/json-object.ts'
import { looksMasked } from '../../../../contract/values/mask.ts'
import { redactedText } from '../../../../contract/values/redact.ts'
import { secrecyOf } from '../../../../contract/values/secret-names.ts'
import type { Context } from '../../../program/context.ts'
import { groupBy } from '../../../program/dependencies/item-index.ts'
import { isReference, unsetVariables, variableNameFor } from '../../../program/documents/environment-secrets.ts'
import { ResourceNames } from '../../../program/documents/resource-names.ts'
import type { PromotionRecord } from '../../../program/history/entries.ts'
import { findCounterpart, isMasked, mask } from '../../../program/secrets/masked-values.ts'
import { differingFields, notTaken, type RemoteResource, type SyncEntry, type SyncSide } from '../compare.ts'
import { type Layout, toRemoteResource, toSide } from '../compare-folder.ts'
import type { SyncLock } from '../sync-lock.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Secrets that a promotion cannot send. */
interface MissingPromotedSecrets {
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
          for (const name of unset) missing.variables.add(name)
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
  change: (visited: Omit<Visited, 'value'> & { readonly text: string }) => string,
): unknown {
  if (Array.isArray(value))
    return value.map((element, n) =>
      mapTexts({ value: element, live: findCounterpart(value, n, live), path: `${path}.${n}`, names }, change),
    )
  if (!isObject(value)) return typeof value === 'string' ? change({ text: value, live, path, names }) : value
  const own = [value.name, value.key].find((it) => typeof it === 'string') as string | undefined
  const isStep = own !== undefined && isObject(value.settings)
  const step = isStep ? [own] : names.slice(0, -1)
  return Object.fromEntries(
    Object.entries(value).map(([field, fieldValue]) => {
      const label = field === 'value' && own !== undefined ? own : field
      const inner = isObject(live) ? live[field] : undefined
      return [
        field,
        mapTexts({ value: fieldValue, live: inner, path: `${path}.${field}`, names: [...step, label] }, change),
      ]
    }),
  )
}

/** Compares what the promotion wrote with the platform. An entry without a local side was created by the promotion. */
export async function readPromotedEntries(
  context: Context,
  layout: Layout,
  { items }: PromotionRecord,
  lock: SyncLock,
): Promise<SyncEntry[]> {
  const names = new ResourceNames(context)
  const entries: SyncEntry[] = []
  for (const [, kind] of layout) {
    const own = Object.entries(items).filter(([, resource]) => resource.kind === kind.noun)
    if (own.length === 0) continue
    const remotes: RemoteResource[] = []
    for (const item of await kind.list(context)) remotes.push(await toRemoteResource(names, kind, item))
    const withId = new Map(remotes.map((it) => [String(it.id), it]))
    const named = groupBy(remotes, ({ name }) => name)
    for (const [file, item] of own) {
      const id = lock.of(file)?.id
      const remote = id === undefined ? named.get(item.name)?.[0] : withId.get(String(id))
      const before = item.before
      if (!remote) continue
      // What an undo restores is not the content of the source.
      const local = before ? { ...(await toSide(kind, before)), hash: notTaken } : undefined
      const fields = before
        ? differingFields(kind, before, remote.content, []).filter((it) => item.fields.includes(it))
        : []
      const entry: SyncEntry = {
        kind,
        file,
        id: remote.id,
        name: remote.name,
        status: local ? 'changed_locally' : 'deleted_locally',
        local,
        remote,
        fields,
        ...(item.base && { base: item.base }),
      }
      entries.push(local ? keepLiveSecrets(entry, {}, noMissingSecrets()) : entry)
    }
  }
  return entries
}
