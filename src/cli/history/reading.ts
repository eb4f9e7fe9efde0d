import { property } from '../../client/answer.ts'
import { ClientFailure } from '../../client/failure.ts'
import { itemsOf, pages } from '../../client/pages.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { type Known, patience } from '../before.ts'
import type { Context, Seen } from '../context.ts'
import type { Kind } from './kinds.ts'

type Ids = Readonly<Record<string, number | string>>

const own = ({ path = ['id'] }: Kind): string => path.at(-1) as string
const around = (kind: Kind, ids: Ids): Ids => Object.fromEntries(Object.entries(ids).filter(([name]) => name !== own(kind)))

/** Answers that hold less, or more, than what a thing is: the draft, and secrets in the clear. */
const isPlain = ({ input }: Seen): boolean => {
  const { include_secrets, draft } = (input ?? {}) as Known
  return include_secrets !== true && draft !== true
}

/** What this command has read of a thing since it was last written to; `failed` where it could not. */
export function seenOf({ seen }: Context, kind: Kind, ids: Ids): Known | 'failed' | undefined {
  for (let n = seen.length - 1; n >= 0; n--) {
    const it = seen[n] as Seen
    const input = (it.input ?? {}) as Known
    if (it.written && Object.entries(ids).every(([name, id]) => (input[name] ?? input.assistant_id) === id) && it.endpoint.name.startsWith(prefixOf(kind)))
      return undefined
    if (it.written || !kind.full.some(({ name }) => name === it.endpoint.name) || !isPlain(it)) continue
    if (Object.entries(around(kind, ids)).some(([name, id]) => input[name] !== id)) continue
    if (it.failed) {
      // A list fails for everything in it, one thing for itself.
      if (it.endpoint.items === undefined && input[own(kind)] !== ids[own(kind)]) continue
      return 'failed'
    }
    const found = ofAnswer(it.endpoint, it.output, ids[own(kind)])
    if (found) return found
  }
  return undefined
}

const prefixOf = ({ full: [{ name }] }: Kind): string => name.slice(0, name.indexOf('.') + 1)

function ofAnswer(endpoint: Endpoint, answer: unknown, id: unknown): Known | undefined {
  const one = endpoint.record === undefined ? answer : property(answer, endpoint.record)
  const all = endpoint.items === undefined ? [one] : itemsOf(endpoint, answer)
  return (all as readonly (Known | null)[]).find((it) => it?.id === id || String(it?.id) === String(id)) ?? undefined
}

/** What a thing is now. @throws ClientFailure `not_found` when it is gone */
export async function readNow(context: Context, kind: Kind, ids: Ids, signal: AbortSignal = context.world.signal): Promise<Known> {
  const [full] = kind.full
  if (full.items === undefined) {
    const found = ofAnswer(full, await context.call(full, ids as never, { signal }), ids[own(kind)])
    if (found) return found
  } else {
    for await (const it of pages<Endpoint, Known>(context.call, full, around(kind, ids) as never, { all: true, signal }))
      if (String(it.id) === String(ids[own(kind)])) return it
  }
  throw new ClientFailure({
    exit: 'not_found',
    code: 'not_found',
    message: `There is no ${kind.thing} ${ids[own(kind)]}.`,
    hint: `List them: parley ${kind.noun} list.`,
  })
}

/** The same, given up soon: `failed` where it could not be read, `gone` where it is not there. */
export async function readSoon(context: Context, kind: Kind, ids: Ids): Promise<Known | 'failed' | 'gone'> {
  const { signal } = context.world
  try {
    return await readNow(context, kind, ids, AbortSignal.any([signal, AbortSignal.timeout(patience)]))
  } catch (error) {
    if (signal.aborted) throw error
    return (error as ClientFailure).exit === 'not_found' ? 'gone' : 'failed'
  }
}
