import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { readAllItems } from '../../../client/read-all-pages.ts'
import { senderPathOf } from '../../../contract/references/reference-paths.ts'
import { type ResourceKind, resourceLists } from '../../../contract/references/resource-references.ts'
import { isResourceName } from '../../../contract/references/step-references.ts'
import { messaging } from '../../../contract/resources/messaging.ts'
import { isNumericId } from '../../../contract/values/numeric-id.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { pathId } from '../input/ids.ts'
import { resources } from '../resources/registry.ts'
import type { ReferencePlace, ResourceFiles } from '../resources/resource-files.ts'

/** Statuses of a list that the deployment does not offer or that the API key may not read. */
const unavailableStatuses: ReadonlySet<number> = new Set([403, 404, 405, 501])

/** Returns whether an error means that a list is unavailable. Any other error stops the command. */
export const isListUnavailable = (error: unknown): error is ClientFailure =>
  error instanceof ClientFailure && unavailableStatuses.has(error.status ?? 0)

/**
 * Warns that the platform cannot read and write a kind. @throws ClientFailure `usage` if a push needs the kind for its
 * files
 */
export async function reportUnsupported(
  { notes }: Context,
  { noun, capability }: ResourceFiles,
  files: readonly string[],
  isNeeded: boolean,
): Promise<void> {
  const reason = `the platform does not have the capability "${capability}"`
  if (isNeeded && files.length > 0)
    throw usageError(
      `Files of ${noun} cannot be compared: ${reason}: ${files.join(', ')}. Nothing was changed.`,
      'Exclude them with --only, or delete them.',
    )
  await notes.warn(`Skipped ${noun}: ${reason}.`)
}

interface ListedTemplate {
  readonly id: number
  readonly name: string
  readonly language: string
}

/**
 * The name of a template in files. A name alone is not unique: each language has a template of its own. Files of users have this
 * form, so it stays readable.
 */
const nameWithLanguage = ({ name, language }: ListedTemplate): string => `${name} (${language})`

/** Maps templates to names and back, among the templates of their sender. Each list is read once, on first use. */
class TemplateNames {
  readonly #context: Context
  readonly #lists = new Map<string, Promise<readonly ListedTemplate[]>>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Returns the name with the language; the value if it is not unique, or a name that the platform accepts. */
  async nameOf(value: unknown, sender: string, { takesName }: ReferencePlace): Promise<unknown> {
    const templates = await this.#of(sender)
    const found = isNumericId(value)
      ? templates.filter((it) => String(it.id) === String(value).trim())
      : takesName
        ? []
        : templates.filter((it) => it.name === value)
    const [only] = found
    if (found.length !== 1 || !only) return value
    const name = nameWithLanguage(only)
    return templates.filter((it) => nameWithLanguage(it) === name).length === 1 ? name : value
  }

  /**
   * Returns the id for a name with or without its language; undefined if there is none. A name without language that
   * the platform accepts is returned. @throws ClientFailure `usage` if several templates match
   */
  async idOf(name: string, sender: string, { takesName, path }: ReferencePlace, file: string): Promise<unknown> {
    const templates = await this.#of(sender)
    const exact = templates.filter((it) => nameWithLanguage(it) === name)
    const found = exact.length > 0 ? exact : templates.filter((it) => it.name === name)
    if (found.length > 0 && exact.length === 0 && takesName) return name
    if (found.length > 1)
      throw usageError(
        `${file}: ${path}: several templates of the sender are named "${name}": ${found.map((it) => `"${nameWithLanguage(it)}" ${it.id}`).join(', ')}.`,
        exact.length > 0 ? 'Use the id.' : 'Use the name with the language.',
      )
    return found[0]?.id
  }

  async #of(sender: string): Promise<readonly ListedTemplate[]> {
    const known = this.#lists.get(sender) ?? this.#read(sender)
    this.#lists.set(sender, known)
    return known
  }

  async #read(sender: string): Promise<readonly ListedTemplate[]> {
    return (await this.#context.call(messaging.templates, { senderId: pathId(sender), status: 'all' })).data
  }
}

/** Name fields of kinds whose field is not `name`. References in files of users have the values of these fields. */
const nameFields: Partial<Record<ResourceKind, string>> = {
  numbers: 'phone_number',
  sipTrunks: 'phone_number',
  senders: 'phone_number',
}

/** An id as the platform returned it: an integer beyond 2^53 is a `bigint`. */
type ResourceId = number | string | bigint

interface NameIndex {
  /** The error, if the deployment does not offer the list. Then ids stay ids. */
  readonly missing?: ClientFailure
  /** By the text of the id. */
  readonly names: Map<string, string>
  readonly ids: Map<string, ResourceId[]>
}

/** Maps names of resources to ids and back. Each list is read once, on first use. */
export class ResourceNames {
  readonly #context: Context
  readonly #lists = new Map<string, Promise<NameIndex>>()
  readonly #templates: TemplateNames

  constructor(context: Context) {
    this.#context = context
    this.#templates = new TemplateNames(context)
  }

  /** Returns the name of a resource; the value if the name is missing or not unique. */
  async nameOf(value: unknown, place: ReferencePlace): Promise<unknown> {
    const { to, path } = place
    if (typeof value !== 'number' && typeof value !== 'string' && typeof value !== 'bigint') return value
    if (to === 'templates') {
      const sender = await this.#senderOf(place, '')
      return sender === undefined ? value : this.#templatesOf(value, () => this.#templates.nameOf(value, sender, place))
    }
    if (to !== 'automate' && !isNumericId(value)) return value
    const { names, ids } = await this.#known(to, path)
    const name = names.get(String(value).trim())
    return isResourceName(name) && ids.get(name)?.length === 1 ? name : value
  }

  /** Returns the id for a name; undefined if there is none. @throws ClientFailure `usage` if the name is not unique */
  async idOf(name: unknown, place: ReferencePlace, file: string): Promise<unknown> {
    const { to, path } = place
    if (!isResourceName(name)) return name
    if (to === 'templates') {
      const sender = await this.#senderOf(place, file)
      // Without its sender, a template cannot be found. A sender that does not exist is reported itself.
      if (sender === undefined) return name
      return this.#templatesOf(name, () => this.#templates.idOf(name, sender, place, file))
    }
    const { ids, names, missing } = await this.#known(to, path)
    if (missing && place.takesName) return name
    if (missing) throw missing
    const found = ids.get(name) ?? []
    if (found.length > 1)
      throw usageError(`${file}: ${path}: several resources are named "${name}": ${found.join(', ')}.`, 'Use the id.')
    return found[0] ?? (names.has(name) ? name : undefined)
  }

  /** Returns the id of the sender of a template; undefined if it is an expression, is missing or does not exist. */
  async #senderOf({ sender, path }: ReferencePlace, file: string): Promise<string | undefined> {
    const place = { to: 'senders', path: senderPathOf(path) } as const
    const id = isResourceName(sender) ? await this.idOf(sender, place, file) : sender
    return isNumericId(id) ? String(id).trim() : undefined
  }

  /** Returns the value if the platform does not list the templates of the sender. */
  async #templatesOf(value: unknown, find: () => Promise<unknown>): Promise<unknown> {
    try {
      return await find()
    } catch (error) {
      if (!isListUnavailable(error)) throw error
      return value
    }
  }

  /** Returns the names of the resources that a field can reference. None for templates, which each sender has. */
  async all({ to, path }: ReferencePlace): Promise<readonly string[]> {
    return to === 'templates' ? [] : [...(await this.#known(to, path)).ids.keys()]
  }

  /** Adds a created or renamed resource. */
  async add(to: ResourceKind, id: ResourceId, name: string): Promise<void> {
    const known = await this.#known(to, '')
    const before = known.names.get(String(id))
    if (before !== undefined)
      known.ids.set(before, known.ids.get(before)?.filter((it) => String(it) !== String(id)) ?? [])
    addToIndex(known, id, name)
  }

  #known(to: ResourceKind, path: string): Promise<NameIndex> {
    const queries = resources[to].listQueries?.(path) ?? [{}]
    const key = stringifyJson([to, queries])
    const known = this.#lists.get(key) ?? this.#read(to, queries)
    this.#lists.set(key, known)
    return known
  }

  async #read(to: ResourceKind, queries: readonly object[]): Promise<NameIndex> {
    const known: NameIndex = { names: new Map(), ids: new Map() }
    const { call, system, notes } = this.#context
    try {
      for (const input of queries)
        for (const item of await readAllItems<Record<string, unknown>>(call, resourceLists[to], input, {
          signal: system.signal,
        })) {
          const name = item[nameFields[to] ?? 'name']
          if (typeof name === 'string' && !known.names.has(String(item.id)))
            addToIndex(known, item.id as ResourceId, name)
        }
    } catch (error) {
      if (!isListUnavailable(error)) throw error
      await notes.warn(
        `${resourceLists[to].name} could not be read (${error.message}), so files have ids instead of names.`,
      )
      return { ...known, missing: error }
    }
    return known
  }
}

function addToIndex({ names, ids }: NameIndex, id: ResourceId, name: string): void {
  names.set(String(id), name)
  const named = ids.get(name)
  if (named) named.push(id)
  else ids.set(name, [id])
}
