import { ClientFailure } from '../../../client/failure.ts'
import type { Input } from '../../command.ts'
import type { Context } from '../../context.ts'
import { hide } from '../../history/contents.ts'
import { addCopy, type Copy, type Pointer } from '../../history/copies.ts'
import { nameOf, placeOf } from '../../history/recorder.ts'
import { type Beside, draftOf } from '../../history/undoing.ts'
import { send } from '../../requests.ts'
import type { Done } from './done.ts'

/** Makes a thing again that was deleted. @throws ClientFailure `conflict` where nothing can be made of it */
export async function makeAgain(context: Context, { copy, kind }: Beside, called: string, given: Input, confirmed: boolean): Promise<Done | undefined> {
  const { create, lost } = kind
  if (!create)
    throw new ClientFailure({ exit: 'conflict', code: 'cannot_be_made_again', message: `The ${called} cannot be made again.`, ...(lost && { hint: lost }) })
  const draft = await draftOf(kind, copy, given)
  const isAutomation = kind.noun === 'automate'
  const sample = isAutomation ? await (await import('../../automations/samples.ts')).keptSample(context, String(copy.ids.id), copy.at) : undefined
  const answer = isAutomation
    ? await (await import('../automate/sending.ts')).sendConfirmed(
        context,
        create,
        { ...draft, ...(sample && { sample: sample.sample }), ...(confirmed && { confirm_side_effects: true }) },
        'Building',
      )
    : await send(context, create, { ...draft })
  if (!answer) return undefined
  const made = answer as { readonly data?: Readonly<Record<string, unknown>>; readonly automation_id?: string; readonly status?: string }
  const id = (made.automation_id ?? made.data?.id) as number | string
  await restOf(context, copy, id)
  await keepCreation(context, copy, id, await hide(kind, { ...copy.before, ...made.data, id }))
  const isOff = isAutomation && made.status === 'test_failed'
  const off = isOff ? [`Its test failed, and it is off: parley automate runs list ${id}`] : []
  const notes = [...off, ...(lost ? [lost] : []), ...told(copy.pointers, id)]
  return {
    undone: { done: 'created', id: String(id) },
    sentence: `Made again: ${called} has the id ${id} now.`,
    notes,
    ...(isOff && copy.before?.status === 'enabled' && { exit: 'finding' as const }),
  }
}

/** What is given on calls of its own. */
async function restOf(context: Context, { noun, before }: Copy, id: number | string): Promise<void> {
  if (noun === 'assistants' && typeof before?.inbound_webhook_url === 'string') {
    const { assistants } = await import('../../../contract/assistants.ts')
    await context.call(assistants.enableInboundWebhook, { assistant_id: Number(id), webhook_url: before.inbound_webhook_url })
  }
  if (noun === 'automate' && before?.status === 'disabled') {
    const { automate } = await import('../../../contract/automate.ts')
    await context.call(automate.update, { id: String(id), enabled: false })
  }
}

/** So that this can be undone too. */
async function keepCreation(context: Context, copy: Copy, id: number | string, after: Readonly<Record<string, unknown>>): Promise<void> {
  const { world } = context
  const own = Object.keys(copy.ids).at(-1) as string
  const made: Omit<Copy, 'entry'> = {
    ...copy,
    at: new Date(world.now()).toISOString(),
    ids: { ...copy.ids, [own]: id },
    name: nameOf(after),
    action: 'create',
    command: context.words,
    state: 'done',
    before: null,
    sent: null,
    after,
    pointers: [],
  }
  try {
    context.kept.push(addCopy(world, await placeOf(context), made).entry)
  } catch {
    // It is there all the same, and can be deleted by its id.
  }
}

const shown = ({ noun, id, name, field }: Pointer): string => `${noun} ${id}${name === null ? '' : ` "${name}"`} (${field})`

function told(pointers: readonly Pointer[], id: number | string): string[] {
  if (pointers.length === 0) return []
  return [`These pointed to the old id, and do not point to ${id} yet: ${pointers.map(shown).join(', ')}.`]
}
