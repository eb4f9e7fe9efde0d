import { walkSteps } from '../automations/walk-steps.ts'
import { isObject } from '../values/json-object.ts'
import { isNumericId } from '../values/numeric-id.ts'
import { senderPathOf, valuesAtPath } from './reference-paths.ts'
import {
  addressFields,
  automationIdAt,
  type Reference,
  type ResourceKind,
  references,
  stepReferences,
} from './resource-references.ts'
import { referencesOfStep } from './step-references.ts'

/** A resource as its list returns it; an automation with its `definition`. */
export type LinkedItem = Readonly<Record<string, unknown>>

/**
 * A reference from one resource to another. A Parley server sends it as `FoundReference` of resources/user.ts, and clients
 * read it back: fields are added, not renamed.
 */
export interface Link {
  readonly from: ResourceKind
  readonly item: LinkedItem
  /** Path of the value: `tool_ids[1]`, `step_2.from`. */
  readonly path: string
  /** Entry of the reference table: `tool_ids[]`; `step` for the input of a step, `address` for an address. */
  readonly by: string
  readonly to: ResourceKind
  /** Undefined if there is an expression instead, which is in `expression`. */
  readonly id: number | string | undefined
  readonly expression?: string | undefined
  /** For templates: the sender to which they belong. */
  readonly sender?: number | string | undefined
  /** Display name of the step. */
  readonly step?: string | undefined
  /** The address that references an automation. */
  readonly address?: string | undefined
}

/** The kind with definitions, which URLs in fields of other resources reference, too. */
const automations: ResourceKind = 'automate'

/** Returns whether resources of a kind have a definition, which has references in its steps. Their list omits it. */
export const hasDefinition = (resourceKind: ResourceKind): boolean => resourceKind === automations

/** Normalizes an id, one beyond 2^53 to its text; undefined for other values. */
function idOf(value: unknown): number | string | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return /^\d{1,15}$/.test(value.trim()) ? Number(value) : value
}

/** Returns the references of a resource to others. */
export function linksOf(from: ResourceKind, item: LinkedItem): Link[] {
  const own = ((references as Partial<Record<ResourceKind, readonly Reference[]>>)[from] ?? []).flatMap(
    ({ path, to, when }) =>
      valuesAtPath(item, path).flatMap(({ path: at, value, parent }): Link[] => {
        const id = idOf(value)
        if (id === undefined || (when && parent[when[0]] !== when[1] && item[when[0]] !== when[1])) return []
        const sender = to === 'templates' ? idOf(item[senderPathOf(path)]) : undefined
        return [
          { from, item, path: at, by: path, to, id, ...(sender !== undefined && isNumericId(sender) && { sender }) },
        ]
      }),
  )
  const hooks = ((addressFields as Partial<Record<ResourceKind, readonly string[]>>)[from] ?? []).flatMap((path) =>
    addressLinks(from, item, path, item[path]),
  )
  return [...own, ...hooks, ...(hasDefinition(from) ? stepLinks(from, item) : [])]
}

function addressLinks(from: ResourceKind, item: LinkedItem, path: string, value: unknown, step?: string): Link[] {
  const id = typeof value === 'string' ? automationIdAt(value) : undefined
  return id === undefined
    ? []
    : [
        {
          from,
          item,
          path,
          by: 'address',
          to: automations,
          id,
          address: value as string,
          ...(step !== undefined && { step }),
        },
      ]
}

function stepLinks(from: ResourceKind, item: LinkedItem): Link[] {
  return [...walkSteps(item.definition)].flatMap(({ node }) => {
    const settings = isObject(node.settings) ? node.settings : {}
    const input = isObject(settings.input) ? settings.input : {}
    const name = typeof node.name === 'string' ? node.name : 'step'
    const step = typeof node.displayName === 'string' && node.displayName !== '' ? node.displayName : name
    const sender = idOf(input.sender)
    const ids = referencesOfStep(settings).flatMap(({ path: field, to }): Link[] => {
      const [value] = valuesAtPath(input, field).map((it) => it.value)
      const at = { from, item, path: `${name}.${field}`, by: 'step', to, step } as const
      if (typeof value === 'string' && value.includes('{{')) return [{ ...at, id: undefined, expression: value }]
      const id = idOf(value)
      return id === undefined
        ? []
        : [{ ...at, id, ...(to === 'templates' && typeof sender === 'number' && { sender }) }]
    })
    const hooks = Object.entries(input).flatMap(([field, value]) =>
      addressLinks(from, item, `${name}.${field}`, value, step),
    )
    return [...ids, ...hooks]
  })
}

/** Returns the kinds of resources that may reference a kind: the lists to read. */
export function referringKinds(to: ResourceKind): ResourceKind[] {
  const named = Object.entries(references as Record<string, readonly Reference[]>).flatMap(([from, all]) =>
    all.some((it) => it.to === to) ? [from as ResourceKind] : [],
  )
  const isInSteps = Object.values(stepReferences).some((fields) =>
    (Object.values(fields) as ResourceKind[]).includes(to),
  )
  const byAddress = to === automations ? (Object.keys(addressFields) as ResourceKind[]) : []
  const byStep = isInSteps || to === automations ? [automations] : []
  return [...new Set<ResourceKind>([...named, ...byAddress, ...byStep])]
}
