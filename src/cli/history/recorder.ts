import { property } from '../../client/answer.ts'
import type { Reply } from '../../client/call.ts'
import { ClientFailure } from '../../client/failure.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { Known } from '../before.ts'
import type { Context } from '../context.ts'
import { withoutSecrets } from '../hidden.ts'
import { currentMark } from '../known-accounts.ts'
import { usage } from '../usage.ts'
import type { Copy, Place } from './copies.ts'
import { type Action, changeBy, idsOf, type Kind, kindOf } from './kinds.ts'
import { readNow, readSoon, seenOf } from './reading.ts'
import { noteWrite } from './writes.ts'

/** Makes a write, with a copy of what it changes kept before, and a line of it afterwards. `exchange` sends it. */
export async function recorded(
  context: Context,
  endpoint: Endpoint,
  input: Known,
  exchange: () => Promise<Reply<unknown>>,
  unrecorded = false,
): Promise<Reply<unknown>> {
  const change = changeBy(endpoint.name, context.words)
  const kept = change && !unrecorded ? await keep(context, { endpoint, input, kind: await kindOf(change[0]), action: change[1] }) : undefined
  let reply: Reply<unknown> | undefined
  try {
    reply = await exchange()
  } catch (error) {
    await kept?.failed(error)
    await tell(context, endpoint, input, kept?.entry, error)
    throw error
  }
  // Only of things that may be read again: a bulk command writes more than memory holds.
  if (change) context.seen.push({ endpoint, input, written: true })
  await kept?.done(reply)
  await tell(context, endpoint, input, kept?.entry, reply)
  return reply
}

/** Takes the newest copy of this command away again: what it was made for has changed nothing in the end. */
export async function dropCopy(context: Context): Promise<void> {
  const entry = context.kept.pop()
  if (entry === undefined) return
  const { removeCopy } = await import('./copies.ts')
  removeCopy(context.world, await placeOf(context), entry)
}

export async function placeOf(context: Context): Promise<Place> {
  const { profileName, baseUrl } = await context.settings()
  return { profile: profileName.value, baseUrl: baseUrl.value, key: await currentMark(context) }
}

async function tell(context: Context, endpoint: Endpoint, input: Known, entry: number | undefined, ended: unknown): Promise<void> {
  const { world, words } = context
  const { profileName, baseUrl } = await context.settings()
  const { status, requestId } = ended as { readonly status?: number; readonly requestId?: string }
  const isFailed = ended instanceof Error
  const params = Object.keys(endpoint.params?.shape ?? {})
  const ids = params.length > 0 ? params.map((it) => input[it]) : [input.assistant_id ?? input.campaign_id]
  noteWrite(world, {
    at: new Date(world.now()).toISOString(),
    profile: profileName.value,
    host: hostOf(baseUrl.value),
    command: words,
    endpoint: endpoint.name,
    id: ids.every((it) => it === undefined) ? null : ids.join('/'),
    fields: Object.keys(input).filter((it) => !params.includes(it)),
    status: status ?? null,
    outcome: !isFailed ? 'done' : isRefused(ended) ? 'refused' : 'unknown',
    request_id: requestId ?? null,
    entry: isFailed && isRefused(ended) ? null : (entry ?? null),
  })
}

let lastHost: readonly [baseUrl: string, host: string] | undefined

/** Of the same address most times, in a command that writes much. */
function hostOf(baseUrl: string): string {
  if (lastHost?.[0] !== baseUrl) lastHost = [baseUrl, URL.canParse(baseUrl) ? new URL(baseUrl).host || baseUrl : baseUrl]
  return lastHost[1]
}

/** Whether a write surely did nothing: the platform said so, or it never left. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof ClientFailure)) return false
  if (error.exit === 'unknown') return error.sent === false
  const { status, sent } = error
  return status === undefined ? sent !== true : status >= 400 && status < 500
}

interface Change {
  readonly endpoint: Endpoint
  readonly input: Known
  readonly kind: Kind
  readonly action: Action
}

interface Kept {
  readonly entry: number
  done(reply: Reply<unknown>): Promise<void>
  failed(error: unknown): Promise<void>
}

/**
 * Keeps what a thing is before it is changed: what the command has read of it, else what is read now. A write goes on without a copy where there
 * can be none, and says so; a restore does not. @throws ClientFailure `conflict` when it is not as `--if-unchanged` says
 */
async function keep(context: Context, { endpoint, input, kind, action }: Change): Promise<Kept | undefined> {
  const { world, notes, unchanged } = context
  const ids = idsOf(kind, input)
  const seen = seenOf(context, kind, ids)
  if (unchanged !== undefined) await (await import('./unchanged.ts')).checkUnchanged(context, kind, await readNow(context, kind, ids), unchanged)
  const before = seen ?? (await readSoon(context, kind, ids))
  if (before === 'gone' || before === 'failed') {
    // One that is not there is told of by the write itself.
    if (before === 'failed') await notes.note(`No copy is kept of what it was before: the ${kind.thing} could not be read.`)
    return undefined
  }
  const place = await placeOf(context)
  const copies = await import('./copies.ts')
  const { hide, sentOf } = await import('./contents.ts')
  const { pointersTo } = await import('./pointers.ts')
  const draft: Omit<Copy, 'entry'> = {
    at: new Date(world.now()).toISOString(),
    profile: place.profile,
    base_url: place.baseUrl,
    noun: kind.noun,
    ids,
    name: nameOf(before),
    action,
    command: context.words,
    state: 'open',
    request_id: null,
    before: await hide(kind, before),
    sent: withoutSecrets(sentOf(kind, endpoint, before, input)),
    after: null,
    pointers: action === 'delete' ? await pointersTo(context, kind, before) : [],
  }
  let copy: Copy
  try {
    copy = copies.addCopy(world, place, draft)
  } catch (error) {
    if (action === 'restore') throw usage(`The definition that is live could not be kept: ${(error as Error).message}.`, 'Nothing was changed.')
    await notes.warn(`No copy is kept of what it was before: ${(error as Error).message}.`)
    return undefined
  }
  const attempt = (more: Partial<Copy>): void => {
    try {
      copies.changeCopy(world, place, { ...copy, ...more })
    } catch {
      // What it was before is there; only what became of it is not.
    }
  }
  return {
    entry: copy.entry,
    async done(reply) {
      const answered = property(reply.output, endpoint.record ?? '') as Known | undefined
      const isBuilt = kind.noun === 'automate' && (action === 'restore' || input.flow !== undefined)
      const after = isBuilt ? await readSoon(context, kind, ids) : endpoint.record === undefined ? undefined : answered
      const isKnown = after !== undefined && after !== 'gone' && after !== 'failed'
      attempt({ state: 'done', request_id: reply.requestId, after: isKnown ? await hide(kind, after) : null })
      context.kept.push(copy.entry)
    },
    async failed(error) {
      if (isRefused(error)) copies.removeCopy(world, place, copy.entry)
      else attempt({ state: 'unknown', request_id: (error as ClientFailure).requestId ?? null })
    },
  }
}

export function nameOf(it: Known): string | null {
  const { name, phone_number: number, nickname } = it
  return [name, number, nickname].find((text): text is string => typeof text === 'string' && text !== '') ?? null
}
