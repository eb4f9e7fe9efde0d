import type { Endpoint, Output } from '../contract/endpoint.ts'
import { isTold, type Known } from './before.ts'
import type { Context } from './context.ts'
import { send } from './requests.ts'
import { printMade } from './result.ts'

export interface Update<E extends Endpoint> {
  readonly endpoint: E
  /** What stands in its path. */
  readonly ids: Readonly<Record<string, number | string>>
  /** The fields to send. */
  readonly change: Known
  /** What it is before, where that is known. */
  readonly before: Known | undefined
  /** What a spinner says. */
  readonly during?: string
}

/** What was before and what was sent; of an endpoint, where the fields are those it takes. */
type Compared = Pick<Update<Endpoint>, 'change' | 'before'> & { readonly endpoint?: Endpoint }

/** Sends an update; with --dry-run shows it, and what it would change. Undefined when it was only shown. */
export async function sendUpdate<E extends Endpoint>(context: Context, it: Update<E>): Promise<Output<E> | undefined> {
  const { writableFields } = await import('./writable-fields.ts')
  const change = context.globals.printCurl ? it.change : await writableFields(context, it.endpoint, it.ids, it.change)
  const answer = await send(context, it.endpoint, { ...change, ...it.ids }, it.during)
  if (!answer) {
    const lines = await linesOf(context, it)
    if (lines) await context.notes.note(lines.length > 0 ? `It would change:\n${lines.join('\n')}` : 'It would change nothing: it is so already.')
  }
  return answer
}

/** What is different field by field, for people; undefined where nobody reads it or it is not known what was before. */
async function linesOf(context: Context, { endpoint, change, before }: Compared, after: Known = {}): Promise<string[] | undefined> {
  if (!before || !isTold(context)) return undefined
  const { changesOf, unchangeable } = await import('./changes.ts')
  if (!endpoint?.body) return changesOf(before, change, after)
  const { readOnlyFields } = await import('../contract/read-only.ts')
  const [taken, own] = [endpoint.body.shape, readOnlyFields(endpoint)]
  const kept = unchangeable(before, change, (name) => own.has(name))
  if (kept.length > 0) await context.notes.note(`Not changed: the platform sets ${kept.join(', ')}.`)
  return changesOf(before, change, after, (name) => Object.hasOwn(taken, name))
}

/** The same as a text for when it is done. `after` is what the platform answered. */
async function changedText(context: Context, it: Compared, after?: Known): Promise<string | undefined> {
  const lines = await linesOf(context, it, after)
  return lines && (lines.length > 0 ? `Changed:\n${lines.join('\n')}` : 'Nothing changed: it was so already.')
}

interface Updated {
  readonly message: string
  readonly data: { readonly id: number }
}

export interface Told {
  readonly endpoint: Endpoint
  readonly change: Known
  readonly before: Known | undefined
  /** The next useful command. */
  readonly next: string
}

/** Prints what an update answered, and tells people field by field what is different now. */
export async function printUpdated(context: Context, { message, data }: Updated, { next, ...it }: Told): Promise<void> {
  await printMade(context, message, data, next, await changedText(context, it, { ...data }))
}

/** Tells people what is different now, after a write whose answer is only a sentence. */
export async function tellChanged(context: Context, it: Pick<Update<Endpoint>, 'change' | 'before'>): Promise<void> {
  const text = await changedText(context, it)
  if (text) await context.notes.note(text)
}

/** Sends an update and prints what it did. */
export async function applyUpdate<E extends Endpoint>(context: Context, it: Update<E> & Pick<Told, 'next'>): Promise<void> {
  const answer = await sendUpdate(context, it)
  if (answer) await printUpdated(context, answer as unknown as Updated, it)
}
