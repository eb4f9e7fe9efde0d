import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import type { Action } from '../history/entries.ts'
import type { Resource, ResourceHistory, ResourceName, WriteName } from './resource.ts'

type Table = Readonly<Record<ResourceName, Resource>>

/** The descriptor of every resource. They are registered by `src/cli/resources.ts`, because a resource belongs to its noun. */
export const resources = {} as Table

/** Makes the resources known to the parts that all commands use. */
export function registerResources(table: Table): void {
  Object.assign(resources, table)
}

const all = (): readonly Resource[] => Object.values(resources)

/** Returns the resource that an endpoint writes in a command, and how; undefined for writes that are not recorded. */
export function findWrite(endpoint: string, commandName: string): readonly [Resource, Action] | undefined {
  const [written, action] = findWritten(endpoint, commandName) ?? []
  return written && action ? [written, action] : undefined
}

/**
 * Returns the resource that an endpoint writes in a command, and how the history records it: null if it does not. Shared writes come
 * first, so that `sip-trunks delete` changes a trunk, although its endpoint releases a number.
 */
export function findWritten(endpoint: string, commandName: string): readonly [Resource, Action | null] | undefined {
  const own = all().find((it) => Object.hasOwn(it.writes, endpoint))
  const sharing = all().find((it) => Object.hasOwn(it.sharedWrites, endpoint) && commandName.startsWith(it.noun))
  const action = sharing?.sharedWrites[endpoint as WriteName] ?? own?.writes[endpoint as WriteName] ?? null
  const written = sharing ?? own
  return written && [written, action]
}

/** A resource with history, and its endpoints. */
export interface RecordedResource extends ResourceHistory {
  readonly noun: string
  readonly singular: string
  readonly writtenFields?: Readonly<Record<string, (input: ResourceRecord) => ResourceRecord>>
}

/** Returns the noun of a resource as one word, for output and flags: `knowledge-documents`. Scripts read it and pass it to --noun. */
export const nounToken = (noun: string): string => noun.replaceAll(' ', '-')

/** Returns the kind of a resource as one word: `knowledge_base`. Scripts read it as `kind` of `parley refs`. */
export const kindToken = (name: ResourceName): string => resources[name].singular.toLowerCase().replaceAll(' ', '_')

const recorded = (): readonly string[] =>
  all()
    .filter((it) => it.loadHistory)
    .map((it) => it.noun)

/** The nouns of resources with history, each as one word. */
export const recordedNouns = (): readonly string[] => recorded().map(nounToken)

/** Nouns as version 0.1 spelled them in `--noun`, with their current form. */
export const oldRecordedNouns = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    recorded()
      .filter((it) => it.includes(' '))
      .map((it) => [it, nounToken(it)]),
  )

const pickWritten = ({ writtenFields }: Resource): Pick<RecordedResource, 'writtenFields'> =>
  writtenFields ? { writtenFields: writtenFields as NonNullable<RecordedResource['writtenFields']> } : {}

/** Loads a resource and the endpoints that read it; undefined if none does. */
export async function loadReadable(found: Resource): Promise<RecordedResource | undefined> {
  if (found.loadHistory) return loadRecorded(found.noun)
  const { noun, singular, loadReaders } = found
  return loadReaders && { noun, singular, ...pickWritten(found), readers: await loadReaders() }
}

/** Loads a resource with history by its noun, which entries on the disk have. @throws TypeError for other nouns */
export async function loadRecorded(noun: string): Promise<RecordedResource> {
  const found = all().find((it) => it.noun === noun)
  if (!found?.loadHistory) throw new TypeError(`"${noun}" has no history.`)
  return { noun, singular: found.singular, ...pickWritten(found), ...(await found.loadHistory()) }
}

/** Lists that are read within another one, by endpoint name. */
export const parentLists = (): Readonly<Record<string, { readonly list: string; readonly flag: string }>> =>
  Object.fromEntries(all().flatMap(({ list, parent }) => (parent ? [[list, parent]] : [])))

/** Endpoint names of lists by the flags that take one of their items. */
export const listOfFlag = (): Readonly<Record<string, string>> =>
  Object.fromEntries(all().flatMap(({ list, flags }) => flags.map((flag) => [flag, list])))

/** Returns the resource whose id or name a flag takes. Undefined for other flags. */
export const resourceOfFlag = (flag: string): ResourceName | undefined =>
  (Object.keys(resources) as ResourceName[]).find((name) => resources[name].flags.includes(flag))

/** Returns the resource whose ids a field holds: senders for `sender_id`. Undefined for other fields. */
export function resourceOfField(field: string): ResourceName | undefined {
  if (!/_ids?$/.test(field)) return undefined
  const flag = `--${field.replaceAll('_', '-')}`
  return resourceOfFlag(flag) ?? resourceOfFlag(flag.replace(/-ids?$/, ''))
}

/** Endpoint names of lists by the commands whose argument is one of their items, besides those of their own noun. */
export const listOfArgument = (): Readonly<Record<string, string>> =>
  Object.fromEntries(all().flatMap(({ list, argumentOf }) => argumentOf.map((words) => [words, list])))
