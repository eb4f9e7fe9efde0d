import { isObject } from '../values/json-object.ts'
import { isNumericId } from '../values/numeric-id.ts'
import { mapReference } from './reference-paths.ts'
import { type Reference, stepReferences, unnamedStepReferences } from './resource-references.ts'

/** Returns whether a value is a name: neither an id nor an expression. */
export const isResourceName = (value: unknown): value is string =>
  typeof value === 'string' && !/^(?:\d*|null|~)$/.test(value) && !value.includes('{{')

/** Greater than every id of a platform. `restoreNames` recognizes by it the numbers that replace names. */
const firstPlaceholder = 2 ** 40

/** The piece that calls other automations. Its actions are in the same table as those of the platform. */
const callingPiece = /^@[\w-]+\/piece-subflows$/
const platformPiece = /^@(?:platform|integration-tools)\//

type Settings = Readonly<Record<string, unknown>>

/** Returns the entry of a table for a step. Pieces of other publishers may have actions of the same name. */
function fieldsOfStep<T>(table: Readonly<Record<string, T>>, settings: Settings): T | undefined {
  const { pieceName, triggerName, actionName } = settings
  const key = String(triggerName ?? actionName ?? '')
  if (!Object.hasOwn(table, key)) return undefined
  const piece = key === 'callFlow' ? callingPiece : platformPiece
  return typeof pieceName !== 'string' || piece.test(pieceName) ? table[key] : undefined
}

/** Returns the references in the input of a step, by their paths in it. */
export function referencesOfStep(settings: Settings): Reference[] {
  const table: Readonly<Record<string, Readonly<Record<string, Reference['to']>>>> = stepReferences
  const input = isObject(settings.input) ? settings.input : {}
  return Object.entries(fieldsOfStep(table, settings) ?? {}).map(([field, to]) => {
    const value = input[field]
    // Editors store an object with the id of the called automation.
    const inner =
      to === 'automate' && isObject(value) ? (Object.hasOwn(value, 'externalId') ? '.externalId' : '.id') : ''
    return { path: `${field}${inner}`, to, ...(acceptsName(to) && { takesName: true }) }
  })
}

/** Returns whether steps also accept the name of a resource, which is found when the step runs. */
const acceptsName = (to: Reference['to']): boolean => to === 'templates' || to === 'automate'

interface FoundStep {
  readonly settings: Settings
  readonly path: string
}

/** Finds the steps of a flow at any depth. The explicit stack supports any nesting of a file. */
function stepsIn(flow: unknown, at: string): FoundStep[] {
  const found: FoundStep[] = []
  const open: { readonly current: unknown; readonly path: string }[] = [{ current: flow, path: at }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { current, path } = next
    if (Array.isArray(current))
      open.push(...current.map((one, n) => ({ current: one as unknown, path: `${path}.${n}` })))
    if (!isObject(current)) continue
    if (isObject(current.settings)) found.push({ settings: current.settings, path })
    for (const [name, below] of Object.entries(current))
      if (name !== 'settings') open.push({ current: below, path: `${path}.${name}` })
  }
  return found
}

/** Finds the references in the steps of a flow. */
export const stepReferencesIn = (flow: unknown, at: string): Reference[] =>
  stepsIn(flow, at).flatMap(({ settings, path }) =>
    referencesOfStep(settings).map((it) => ({ ...it, path: `${path}.settings.input.${it.path}` })),
  )

/** Finds the references in the steps of a flow whose names only `pull` and `push` replace: a step needs the id. */
export const idReferencesIn = (flow: unknown, at: string): Reference[] =>
  stepReferencesIn(flow, at).filter((it) => !it.takesName)

/** An id of a record without a name. */
export interface UnnamedId {
  readonly path: string
  readonly singular: string
  readonly id: unknown
}

/** Finds the ids in the steps of a flow of records that have no name, so that they are valid in one account only. */
export const unnamedIdsIn = (flow: unknown, at: string): UnnamedId[] =>
  stepsIn(flow, at).flatMap(({ settings, path }) => {
    const table: Readonly<Record<string, Readonly<Record<string, string>>>> = unnamedStepReferences
    const input = isObject(settings.input) ? settings.input : {}
    return Object.entries(fieldsOfStep(table, settings) ?? {}).flatMap(([field, singular]) =>
      isNumericId(input[field]) ? [{ path: `${path}.settings.input.${field}`, singular, id: input[field] }] : [],
    )
  })

/** Replaces names in a flow by numbers, so that it can be checked without a platform. `restoreNames` reverses it. */
export function replaceNamesWithNumbers(flow: unknown): {
  readonly flow: unknown
  readonly restoreNames: <T>(flow: T) => T
} {
  const names: unknown[] = []
  const each = <T>(value: T, change: (value: unknown) => unknown): T =>
    idReferencesIn(value, '').reduce(
      (result, { path }) => mapReference(result, { path: path.slice(1) }, change),
      value,
    ) as T
  return {
    flow: each(flow, (it) => (isResourceName(it) ? firstPlaceholder + names.push(it) : it)),
    restoreNames: (restored) =>
      each(restored, (value) =>
        typeof value === 'number' && value > firstPlaceholder ? names[value - firstPlaceholder - 1] : value,
      ),
  }
}
