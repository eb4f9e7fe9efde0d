import type { Endpoint } from '../contract/endpoint.ts'
import type { Thing } from '../contract/references.ts'
import type { Invocation } from './command.ts'
import { consent, type Question } from './consent.ts'
import type { Context } from './context.ts'
import { showOnly } from './requests.ts'
import { type Item, resolveItem, type Target } from './target.ts'

/** What the help of a deletion says of what others rely on. */
export const inUseNote = 'What uses it is shown before. One that something works with now goes only once its name is typed, or given with --confirm <name>.'

export interface Deletion {
  readonly endpoint: Endpoint
  readonly target: Target
  /** What others point to it as: what relies on it is looked up before, and makes its name the consent where that is live. */
  readonly relied?: Thing
  /**
   * The question, which says what is lost; with what the refusal elsewhere says, where that is not that it cannot be undone.
   * `called` is its name and id; `it` what the list shows, or the id alone.
   */
  readonly ask: (called: string, it: Item) => string | Question | Promise<Question>
  /** What people are told in place of the platform's words. */
  readonly told?: (message: string, it: Item) => string
}

/** Deletes one thing: finds it, asks, deletes, says so. */
export async function deletion(context: Context, { argument, flags }: Invocation, { endpoint, target, relied, ask, told }: Deletion): Promise<void> {
  const it = await resolveItem(context, argument, target)
  const id = it.id as number
  if (await showOnly(context, endpoint, { id })) return
  const asked = await ask(calledOf(it, target), it)
  const question = typeof asked === 'string' ? { ask: asked, without: `Deleting ${target.thing} ${id} needs consent.` } : asked
  if (relied) await agreeAbout(context, relied, it, { question, target, confirmed: flags.confirm })
  else await consent(context, question)
  const { message } = (await context.call(endpoint, { id } as never)) as { message: string }
  await confirmDone(context, message, id, told?.(message, it))
}

interface Asking {
  readonly question: Question
  readonly target: Pick<Target, 'by'>
  readonly confirmed: string | boolean | undefined
}

/** Consent for what takes a thing away from those that rely on it. */
export async function agreeAbout(context: Context, relied: Thing, it: Item, { question, target, confirmed }: Asking): Promise<void> {
  const { agree, namesOf, relyingOn } = await import('./references/relying.ts')
  const relying = await relyingOn(context, relied, it)
  const names = namesOf(
    it,
    target.by.filter((field) => field !== 'id'),
  )
  await agree(context, relying, {
    ...question,
    inUse: question.without.replace('needs consent', 'needs consent by its name, as it is in use'),
    names,
    confirmed,
  })
}

/** A thing in a question: `"Front desk" (2)`; its id alone where its list does not show it. */
export function calledOf(it: Item, { by }: Pick<Target, 'by'>): string {
  const name = by.map((field) => it[field]).find((value) => typeof value === 'string' && value !== '')
  return name === undefined ? String(it.id) : `${/^\+?\d+$/.test(String(name)) ? name : `"${name}"`} (${it.id})`
}

/** One sentence for people, `{id, message}` for programs. `told`: the sentence, where it is not the platform's, which may have said nothing. */
export async function confirmDone(context: Context, message: string, id: number | string, told = message): Promise<void> {
  const sentence = (it: unknown): string => (typeof it === 'string' && it !== '' ? it : 'Done.')
  if (context.out.settings.form === 'table') await context.out.line(sentence(told))
  else await context.out.record({ id, message: sentence(message) }, { view: { id: (it: { id: number | string }) => it.id, columns: [], empty: '' } })
}
