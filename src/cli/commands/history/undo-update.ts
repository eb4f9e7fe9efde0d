import { isDeepStrictEqual } from 'node:util'
import { ClientFailure } from '../../../client/failure.ts'
import type { Endpoint } from '../../../contract/endpoint.ts'
import type { Known } from '../../before.ts'
import { changesOf } from '../../changes.ts'
import { consent } from '../../consent.ts'
import type { Context } from '../../context.ts'
import { fieldsOf, hide } from '../../history/contents.ts'
import { readNow } from '../../history/reading.ts'
import { type Beside, putBack } from '../../history/undoing.ts'
import { send, showOnly } from '../../requests.ts'
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
  if (fields.length === 0) return { ...nothing(cannot.length > 0 ? 'Nothing was put back.' : `Nothing to undo: the ${called} is as it was.`), notes: cannot }
  if (conflicts.length > 0 && !ways.force)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'changed_since',
      message: `Somebody changed the ${called} after that: ${conflicts.join(', ')}. Nothing was put back.`,
      hint: `See what differs: parley history diff ${copy.entry}. To put it back nonetheless: --force.`,
    })
  const restored = copy.action === 'restore' && conflicts.length === 0 ? await restoreBack(context, beside, called) : false
  if (restored === undefined) return undefined
  if (!restored && !(await sendBack(context, beside, change, ways.confirmed))) return undefined
  const now = await fieldsOf(kind, kind.update, await hide(kind, live))
  const lines = fields.flatMap((name) => changesOf({ [name]: now[name] ?? null }, { [name]: change[name] ?? null }))
  const kept = secret.length > 0 ? [`Secrets stay as they are now: ${secret.join(', ')}.`] : []
  return {
    undone: { done: restored ? 'restored' : 'put back', fields },
    sentence: `${restored ? 'Restored' : 'Put back'}: ${called}.`,
    notes: [...(lines.length > 0 ? [lines.join('\n')] : []), ...cannot, ...kept],
  }
}

/** Sends the fields; false where they were only shown. */
async function sendBack(context: Context, { copy, kind }: Beside, change: Known, confirmed: boolean): Promise<boolean> {
  const { inbound_webhook_url: inbound, ...fields } = change
  if (Object.keys(fields).length > 0) {
    const input = { ...fields, ...copy.ids, ...(confirmed && { confirm_side_effects: true }) }
    const endpoint = kind.update as Endpoint
    const answer =
      kind.noun === 'automate'
        ? await (await import('../automate/sending.ts')).sendConfirmed(context, endpoint, input, 'Building and testing')
        : await send(context, endpoint, input)
    if (!answer) return false
  }
  if (inbound === undefined) return true
  const { assistants } = await import('../../../contract/assistants.ts')
  const id = Number(copy.ids.id)
  const answer =
    typeof inbound === 'string'
      ? await send(context, assistants.enableInboundWebhook, { assistant_id: id, webhook_url: inbound })
      : await send(context, assistants.disableInboundWebhook, { assistant_id: id })
  return answer !== undefined
}

/**
 * Restores once more, which brings back secrets too: while what is live is what the first one made. True when that gave what was before, false
 * when it has to be sent, undefined where it was only shown.
 */
async function restoreBack(context: Context, { copy, kind, live }: Beside & { readonly live: Known }, called: string): Promise<boolean | undefined> {
  const { automate } = await import('../../../contract/automate.ts')
  const id = String(copy.ids.id)
  const definition = async (it: Known | null): Promise<unknown> => it && (await hide(kind, it)).definition
  if (!isDeepStrictEqual(await definition(copy.after), await definition(live))) return false
  if (await showOnly(context, automate.restore, { id })) return undefined
  await consent(context, {
    ask: `Restore the version of the ${called} that was live before?`,
    without: `Restoring the ${called} replaces what is live and needs consent.`,
  })
  try {
    await context.call(automate.restore, { id })
  } catch (error) {
    if ((error as ClientFailure).exit === 'conflict') return false
    throw error
  }
  return isDeepStrictEqual(await definition(await readNow(context, kind, copy.ids)), await definition(copy.before))
}
