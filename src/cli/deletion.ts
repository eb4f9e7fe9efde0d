import type { Endpoint } from '../contract/endpoint.ts'
import type { Invocation } from './command.ts'
import { consent } from './consent.ts'
import type { Context } from './context.ts'
import { showOnly } from './requests.ts'
import { resolveId, type Target } from './target.ts'

export interface Deletion {
  readonly endpoint: Endpoint
  readonly target: Target
  /** The question, which says what is lost. */
  readonly ask: (id: number) => string
}

/** Deletes one thing: finds it, asks, deletes, says so. */
export async function deletion(context: Context, { argument }: Invocation, { endpoint, target, ask }: Deletion): Promise<void> {
  const id = await resolveId(context, argument, target)
  if (await showOnly(context, endpoint, { id })) return
  await consent(context, { ask: ask(id), without: `Deleting ${target.thing} ${id} cannot be undone and needs consent.` })
  const answer = (await context.call(endpoint, { id } as never)) as { message: string }
  await confirmDone(context, answer.message, id)
}

/** One sentence for people, `{id, message}` for programs. */
export async function confirmDone(context: Context, message: string, id: number | string): Promise<void> {
  if (context.out.settings.form === 'table') await context.out.line(message)
  else await context.out.record({ id, message }, { view: { id: (it: { id: number | string }) => it.id, columns: [], empty: '' } })
}
