import { isDeepStrictEqual } from 'node:util'
import { ClientFailure } from '../../client/failure.ts'
import { isNullable } from '../../contract/coerce.ts'
import { gaveArgument } from '../answered.ts'
import type { Known } from '../before.ts'
import { choices } from '../choices.ts'
import type { Context } from '../context.ts'
import { isHidden, unhidden } from '../hidden.ts'
import { usage } from '../usage.ts'
import { fieldsOf, hide } from './contents.ts'
import { type Copy, findCopy, isOwn, listCopies } from './copies.ts'
import { type Kind, kindOf } from './kinds.ts'
import { readNow } from './reading.ts'
import { placeOf } from './recorder.ts'

/** A copy beside what is live. */
export interface Beside {
  readonly copy: Copy
  readonly kind: Kind
  /** Undefined when it is gone. */
  readonly live: Known | undefined
}

/** The entry an argument names, with what is live. @throws ClientFailure `usage`, `not_found` */
export async function besideLive(context: Context, given: string | undefined): Promise<Beside> {
  const hint = 'List them: parley history list.'
  const argument = given ?? (await pickEntry(context, hint))
  if (!/^[1-9]\d{0,8}$/.test(argument)) throw usage(`"${argument}" is no number of an entry.`, hint)
  const place = await placeOf(context)
  const copy = findCopy(context.world, place, Number(argument))
  if (copy && !isOwn(context.world, place, copy)) throw ofAnotherKey(argument)
  if (!copy) throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: `There is no entry ${argument} in the history of this profile.`, hint })
  const kind = await kindOf(copy.noun)
  try {
    return { copy, kind, live: await readNow(context, kind, copy.ids) }
  } catch (error) {
    if ((error as ClientFailure).exit !== 'not_found') throw error
    return { copy, kind, live: undefined }
  }
}

/** An id of another account means something else in this one. */
const ofAnotherKey = (entry: string): ClientFailure =>
  new ClientFailure({
    exit: 'conflict',
    code: 'another_key',
    message: `Entry ${entry} was made with another API key, which may be of another account. Nothing was changed.`,
    hint: 'Use that key. Where both are of one account, run "parley whoami" with each of them once: then the entry is found.',
  })

/** An entry picked on a terminal, the newest first; elsewhere exit 2. */
async function pickEntry(context: Context, hint: string): Promise<string> {
  if (!context.interactive) throw usage('Which entry? Give its number.', hint)
  const copies = listCopies(context.world, await placeOf(context))
  if (copies.length === 0) throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: 'There is no entry to choose from.' })
  const prompts = await context.prompts()
  const label = ({ entry, at, action, noun, name, ids }: Copy): string => `${entry}  ${action} ${noun} ${name ?? Object.values(ids).join('/')}, ${at}`
  const { entry } = await prompts.select('Which entry?', choices(copies, label), { searchable: true })
  gaveArgument(context, entry)
  return String(entry)
}

/** What an update has to be given to take another back. */
export interface PutBack {
  readonly change: Known
  /** Fields that differ from what this entry's write made of them: somebody changed them after it. */
  readonly conflicts: readonly string[]
  /** Fields no update can bring back. */
  readonly impossible: readonly string[]
  /** Fields whose secrets stay as they are. */
  readonly secret: readonly string[]
}

/** Only what the entry's own write changed is put back: what others changed since, elsewhere in the thing, stays. */
export async function putBack({ copy, kind, live }: Beside & { readonly live: Known }): Promise<PutBack> {
  const shape = kind.update?.body?.shape ?? {}
  const fields = async (it: Known): Promise<Known> => fieldsOf(kind, kind.update, it)
  const before = await fields(copy.before ?? {})
  const now = await fields(await hide(kind, live))
  const raw = await fields(live)
  const made = copy.after ? await fields({ ...copy.before, ...copy.sent, ...copy.after }) : { ...before, ...copy.sent }
  // Another mode takes back what depends on it, which no answer tells of.
  const isWide = kind.noun === 'assistants' && before.mode !== made.mode
  const own = Object.keys(before).filter((name) => (isWide ? true : !same(before[name], made[name])))
  const differing = own.filter((name) => !same(before[name], now[name]))
  const change: Record<string, unknown> = {}
  const [conflicts, impossible, secret]: [string[], string[], string[]] = [[], [], []]
  for (const name of differing) {
    const lost: string[] = []
    const value = unhidden(before[name], raw[name], name, (path) => lost.push(path))
    // A definition goes back as it was read: the platform knows what is hidden in it.
    const isLost = lost.length > 0 && kind.noun !== 'automate'
    const takes =
      name === 'inbound_webhook_url' || ((shape as Record<string, { safeParse(it: unknown): { success: boolean } }>)[name]?.safeParse(value).success ?? false)
    if (isLost || !takes) {
      if (!(isWide && before[name] === null)) impossible.push(lost.length > 0 ? `${name} (${lost.join(', ')} is hidden in the copy)` : name)
      continue
    }
    change[name] = kind.noun === 'automate' ? before[name] : value
    if (!isWide && !same(now[name], made[name])) conflicts.push(name)
  }
  for (const name of Object.keys(before)) if (holdsHidden(before[name]) && (own.includes(name) || Object.hasOwn(copy.sent ?? {}, name))) secret.push(name)
  return { change, conflicts, impossible, secret }
}

const same = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a ?? null, b ?? null)

export function holdsHidden(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(holdsHidden)
  return isHidden(value)
}

/** What has to be given to make a thing again. @throws ClientFailure `usage` naming what is hidden in the copy */
export async function draftOf(kind: Kind, copy: Copy, given: Known): Promise<Known> {
  const shape = (kind.create?.body?.shape ?? {}) as Readonly<Record<string, Parameters<typeof isNullable>[0]>>
  const all = await fieldsOf(kind, kind.create, copy.before ?? {})
  const contacts = kind.noun === 'leads' ? { secondary_contacts: contactsOf(copy.before) } : {}
  const draft: Record<string, unknown> = structuredClone({ ...all, ...contacts })
  if (kind.noun === 'sip-trunks') draft.sip_trunk_type = /^\+?\d{7,}$/.test(String(draft.phone_number)) ? 'number' : 'extension'
  for (const [name, value] of Object.entries(draft)) if (value === null && !(shape[name] && isNullable(shape[name]))) delete draft[name]
  const { setPath } = await import('../paths.ts')
  for (const [path, value] of Object.entries(given)) setPath(draft, path, value)
  const lost: string[] = []
  unhidden(draft, undefined, '', (path) => lost.push(path))
  if (kind.noun === 'sip-trunks' && draft.sip_password === undefined) lost.push('sip_password')
  if (lost.length > 0)
    throw usage(
      `Secrets are not kept, and have to be given again: ${lost.join(', ')}.`,
      `Give ${lost.length === 1 ? 'it' : 'each'} with --set, such as --set ${lost[0]}=<value>.`,
    )
  return draft
}

const contactsOf = (it: Known | null): Known[] =>
  ((it?.secondary_contacts as readonly Known[] | undefined) ?? []).map(({ phone_number, variables }) => ({ phone_number, variables }))
