import { pages } from '../../client/pages.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { Thing } from '../../contract/references.ts'
import type { Context } from '../context.ts'
import { usage } from '../usage.ts'

/** What a thing is called by in files. */
const called: Partial<Record<Thing, string>> = { numbers: 'phone_number', sipTrunks: 'phone_number', senders: 'phone_number' }

/** Lists that are asked in parts: which model may think depends on the field. */
const parts: Readonly<Record<string, readonly object[]>> = {
  'models multimodal_model_id': [{ type: 'multimodal' }, { type: 'dualplex' }],
  models: [{ type: 'llm' }],
  senders: [{ status: 'all' }],
}

interface Known {
  readonly names: Map<number | string, string>
  readonly ids: Map<string, (number | string)[]>
}

/** Whether a value calls a thing by its name: it is no id, and no expression. */
export const isName = (it: unknown): it is string => typeof it === 'string' && it !== '' && !/^\d+$/.test(it) && !it.includes('{{')

/** Things by their names, and their names by ids. Each list is read once, when something in it is first looked for. */
export class Names {
  readonly #context: Context
  readonly #lists = new Map<string, Promise<Known>>()

  constructor(context: Context) {
    this.#context = context
  }

  /** The name of a thing; the id where it has none, or shares it. */
  async nameOf(id: unknown, to: Thing, path: string): Promise<unknown> {
    if (typeof id !== 'number' && typeof id !== 'string') return id
    const { names, ids } = await this.#known(to, path)
    const name = names.get(id)
    return isName(name) && ids.get(name)?.length === 1 ? name : id
  }

  /** The id of a named thing; undefined where there is none. @throws ClientFailure `usage` where there are several */
  async idOf(name: unknown, to: Thing, path: string, file: string): Promise<unknown> {
    if (!isName(name)) return name
    const found = (await this.#known(to, path)).ids.get(name) ?? []
    if (found.length > 1) throw usage(`${file}: ${path}: more than one is called "${name}": ${found.join(', ')}.`, 'Write the id.')
    return found[0]
  }

  /** A thing that was made just now. */
  async add(to: Thing, id: number | string, name: string): Promise<void> {
    note(await this.#known(to, ''), id, name)
  }

  #known(to: Thing, path: string): Promise<Known> {
    const field = `${to} ${path}`
    const key = Object.hasOwn(parts, field) ? field : to
    const known = this.#lists.get(key) ?? this.#read(to, parts[key] ?? [{}])
    this.#lists.set(key, known)
    return known
  }

  async #read(to: Thing, asked: readonly object[]): Promise<Known> {
    const { lists } = await import('../../contract/references.ts')
    const known: Known = { names: new Map(), ids: new Map() }
    for (const input of asked)
      for await (const it of pages<Endpoint, Record<string, unknown>>(this.#context.call, lists[to], input as never, {
        all: true,
        signal: this.#context.world.signal,
      })) {
        const name = it[called[to] ?? 'name']
        if (typeof name === 'string' && !known.names.has(it.id as number)) note(known, it.id as number, name)
      }
    return known
  }
}

function note({ names, ids }: Known, id: number | string, name: string): void {
  names.set(id, name)
  ids.set(name, [...(ids.get(name) ?? []), id])
}
