import { ClientFailure } from '../../../client/failure.ts'
import type { Endpoint } from '../../../contract/endpoint.ts'
import type { Known } from '../../before.ts'
import { changesOf } from '../../changes.ts'
import type { Context } from '../../context.ts'
import { fieldsOf, hide } from '../../history/contents.ts'
import { type Beside, putBack } from '../../history/undoing.ts'
import { send } from '../../requests.ts'
import { type Done, nothing } from './done.ts'

interface Ways {
  readonly force: boolean
  readonly confirmed: boolean
}

/** Puts back what an update or a restore changed. @throws ClientFailure `conflict` naming fields that were changed since */
export async function backAgain(context: Context, beside: Beside & { readonly live: Known }, called: string, ways: Ways): Promise<Done | undefined> {
  const { copy, kind, live } = beside
  const { change, conflicts, impossible, secret } = await putBack(beside)
  const fields = Object.keys(change)
  const cannot = impossible.length > 0 ? [`Cannot be put back: ${impossible.join(', ')}.`] : []
  if (fields.length === 0 && cannot.length === 0 && secret.length > 0)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'secrets_not_kept',
      message: `Secrets may have been changed by that, and are not kept: ${secret.join(', ')}. Nothing was put back.`,
      hint: `Give them anew, as they were before: parley ${copy.noun} update ${Object.values(copy.ids).join(' ')}`,
    })
  if (fields.length === 0 && impossible.length > 0)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'cannot_be_undone',
      message: `The change of ${called} cannot be undone: ${impossible.join(', ')}. Nothing was changed.`,
      hint: `See what differs: parley history diff ${copy.entry}.`,
    })
  if (fields.length === 0) return nothing(`Nothing to undo: the ${called} is as it was.`)
  if (conflicts.length > 0 && !ways.force)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'changed_since',
      message: `Somebody changed the ${called} after that: ${conflicts.join(', ')}. Nothing was put back.`,
      hint: `See what differs: parley history diff ${copy.entry}. To put it back nonetheless: --force.`,
    })
  const done =
    kind.noun === 'automate'
      ? await (await import('../../automations/undo.ts')).undoAutomation(context, copy, called, change, ways)
      : await putFieldsBack(context, beside, called, change)
  if (!done) return undefined
  const now = await fieldsOf(kind, kind.update, await hide(kind, live))
  const lines = fields.flatMap((name) => changesOf({ [name]: now[name] ?? null }, { [name]: change[name] ?? null }))
  // A version that is restored has its own secrets.
  const kept = secret.length > 0 && kind.noun !== 'automate' ? [`Secrets stay as they are now: ${secret.join(', ')}.`] : []
  if (done.exit) return done
  return { ...done, notes: [...(lines.length > 0 ? [lines.join('\n')] : []), ...(done.notes ?? []), ...cannot, ...kept] }
}

async function putFieldsBack(context: Context, beside: Beside, called: string, change: Known): Promise<Done | undefined> {
  if (!(await sendBack(context, beside, change))) return undefined
  return { undone: { done: 'put back', fields: Object.keys(change) }, sentence: `Put back: ${called}.` }
}

/** Sends the fields; false where they were only shown. */
async function sendBack(context: Context, { copy, kind }: Beside, change: Known): Promise<boolean> {
  const { inbound_webhook_url: inbound, ...fields } = change
  if (Object.keys(fields).length > 0 && !(await send(context, kind.update as Endpoint, { ...fields, ...copy.ids }))) return false
  if (inbound === undefined) return true
  const { assistants } = await import('../../../contract/assistants.ts')
  const id = Number(copy.ids.id)
  const answer =
    typeof inbound === 'string'
      ? await send(context, assistants.enableInboundWebhook, { assistant_id: id, webhook_url: inbound })
      : await send(context, assistants.disableInboundWebhook, { assistant_id: id })
  return answer !== undefined
}
