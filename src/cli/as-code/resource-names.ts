import type { ClientFailure } from '../../client/failures/client-failure.ts'
import { readAllItems } from '../../client/read-all-pages.ts'
import type { ResourceKind } from '../../contract/references/resource-references.ts'
import { isResourceName } from '../../contract/references/step-references.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { resources } from '../resources/descriptors.ts'
import { isListUnavailable } from './unavailable-list.ts'

/** Name fields of kinds whose field is not `name`. */
const nameFields: Partial<Record<ResourceKind, string>> = {
  numbers: 'phone_number',
  sipTrunks: 'phone_number',
  senders: 'phone_number',
}

interface NameIndex {
  /** The error, if the deployment does not offer the list. Then ids stay ids. */
  readonly missing?: ClientFailure
  readonly names: Map<number | string, string>
  readonly ids: Map<string, (number | string)[]>
}

/** Maps names of resources to ids and back. Each list is read once, on first use. */
export class ResourceNames {
  readonly #context: Context
  readonly #lists = new Map<string, Promise<NameIndex>>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Returns the name of a resource; its id if the name is missing or not unique. */
  async nameOf(id: unknown, to: ResourceKind, path: string): Promise<unknown> {
    if (typeof id !== 'number' && typeof id !== 'string') return id
    const { names, ids } = await this.#known(to, path)
    const name = names.get(id)
    return isResourceName(name) && ids.get(name)?.length === 1 ? name : id
  }

  /** Returns the id for a name; undefined if there is none. @throws ClientFailure `usage` if the name is not unique */
  async idOf(name: unknown, to: ResourceKind, path: string, file: string): Promise<unknown> {
    if (!isResourceName(name)) return name
    const { ids, missing } = await this.#known(to, path)
    if (missing) throw missing
    const found = ids.get(name) ?? []
    if (found.length > 1)
      throw usageError(`${file}: ${path}: several resources are named "${name}": ${found.join(', ')}.`, 'Use the id.')
    return found[0]
  }

  /** Adds a created or renamed resource. */
  async add(to: ResourceKind, id: number | string, name: string): Promise<void> {
    const known = await this.#known(to, '')
    for (const [held, ids] of known.ids)
      known.ids.set(
        held,
        ids.filter((it) => it !== id),
      )
    addToIndex(known, id, name)
  }

  /** Returns a query for the templates of each sender. */
  async #templateQueries(): Promise<readonly object[]> {
    const { resourceLists } = await import('../../contract/references/resource-references.ts')
    const { data } = await this.#context.call(resourceLists.senders, { status: 'all' })
    return data.map(({ id }) => ({ senderId: id, status: 'all' }))
  }

  #known(to: ResourceKind, path: string): Promise<NameIndex> {
    const queries = resources[to].listQueries?.(path) ?? [{}]
    const key = JSON.stringify([to, queries])
    const known = this.#lists.get(key) ?? this.#read(to, queries)
    this.#lists.set(key, known)
    return known
  }

  async #read(to: ResourceKind, queries: readonly object[]): Promise<NameIndex> {
    const { resourceLists } = await import('../../contract/references/resource-references.ts')
    const known: NameIndex = { names: new Map(), ids: new Map() }
    const { call, system, notes } = this.#context
    try {
      const inputs = to === 'templates' ? await this.#templateQueries() : queries
      for (const input of inputs)
        for (const it of await readAllItems<Record<string, unknown>>(call, resourceLists[to], input as never, {
          signal: system.signal,
        })) {
          const name = it[nameFields[to] ?? 'name']
          if (typeof name === 'string' && !known.names.has(it.id as number)) addToIndex(known, it.id as number, name)
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

function addToIndex({ names, ids }: NameIndex, id: number | string, name: string): void {
  names.set(id, name)
  ids.set(name, [...(ids.get(name) ?? []), id])
}
