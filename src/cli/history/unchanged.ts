import { isDeepStrictEqual } from 'node:util'
import { ClientFailure } from '../../client/failure.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { Known } from '../before.ts'
import { changesOf } from '../changes.ts'
import type { Context } from '../context.ts'
import { isHidden, isObject, withoutSecrets } from '../hidden.ts'
import { readDocument } from '../options.ts'
import { usage } from '../usage.ts'
import { hide } from './contents.ts'
import { changeBy, idsOf, type Kind, kindOf } from './kinds.ts'
import { readNow } from './reading.ts'

const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)

/** @throws ClientFailure `conflict` when a thing is not as `--if-unchanged` says: a moment, or a file that holds the thing as it was read */
export async function checkUnchanged(context: Context, kind: Kind, live: Known, said: string): Promise<void> {
  const before = isMoment(said) ? momentOf(kind, live, said) : await documentOf(context, kind, said)
  const [then, now] = [before, withoutSecrets(await hide(kind, live))]
  const differing = Object.keys(then).filter((name) => !isAlike(then[name], now[name]))
  if (differing.length === 0) return
  const was = Object.fromEntries(
    differing.map((name) => [name, typeof now[name] === 'number' && then[name] !== '' && !Number.isNaN(Number(then[name])) ? Number(then[name]) : then[name]]),
  )
  const lines = changesOf(was, Object.fromEntries(differing.map((name) => [name, now[name]])))
  const fields = differing.map((name) => ({ path: name, message: lines.find((it) => it.startsWith(`${name}: `))?.slice(name.length + 2) ?? 'changed' }))
  throw new ClientFailure({
    exit: 'conflict',
    code: 'changed_since',
    message: `The ${kind.thing} was changed since it was read: ${differing.join(', ')}. Nothing was sent.`,
    details: fields,
    hint: `Read it again, and decide anew: parley ${kind.noun} ${kind.full[0].items === undefined ? `get ${live.id}` : 'list'} -o json.`,
  })
}

/** The same for a write that a dry run only shows. Nothing to check where it changes none that history knows. */
export async function checkBeforeWrite(context: Context, endpoint: Endpoint, input: Known): Promise<void> {
  const change = changeBy(endpoint.name, context.words)
  if (!change || context.unchanged === undefined) return
  const kind = await kindOf(change[0])
  await checkUnchanged(context, kind, await readNow(context, kind, idsOf(kind, input)), context.unchanged)
}

function momentOf(kind: Kind, { updated_at: at }: Known, said: string): Known {
  if (typeof at !== 'string')
    throw usage(`A ${kind.thing} does not tell when it was last changed.`, 'Give --if-unchanged a file with the whole of it, as it was read.')
  const spelled = (it: string): number => Date.parse(/Z$|[+-]\d\d:?\d\d$/.test(it) ? it : `${it.replace(' ', 'T')}Z`)
  // Platforms write more digits than a date holds.
  return { updated_at: spelled(said) === spelled(at) && (said.length < 20 || at.slice(0, said.length - 1) === said.slice(0, -1)) ? at : said }
}

async function documentOf(context: Context, kind: Kind, said: string): Promise<Known> {
  const read = (await readDocument(context.world, said, undefined, '--if-unchanged')) as Known | readonly Known[]
  const it = Array.isArray(read) ? (read.length === 1 ? read[0] : undefined) : read
  if (!isObject(it) || Object.keys(it).length === 0)
    throw usage(`--if-unchanged ${said} holds no ${kind.thing}.`, `Keep what it is first: parley ${kind.noun} get <id> -o json.`)
  return withoutSecrets(it)
}

/** Whether a value is what was read of it: YAML has texts for everything, and a mask stands for what is hidden. */
function isAlike(read: unknown, live: unknown): boolean {
  if (isHidden(read) && isHidden(live)) return true
  if (Array.isArray(read) && Array.isArray(live)) return read.length === live.length && read.every((it, n) => isAlike(it, live[n]))
  if (isObject(read) && isObject(live)) return [...new Set([...Object.keys(read), ...Object.keys(live)])].every((name) => isAlike(read[name], live[name]))
  if (typeof read === 'string' && typeof live !== 'string') return read === (live === null ? 'null' : String(live))
  return isDeepStrictEqual(read ?? null, live ?? null)
}
