import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import { type Delivery, deliveries } from '../../../../contract/control/deliveries.ts'
import { failures } from '../../../../contract/errors/failures.ts'
import { findServer } from '../../../connection/connect.ts'
import type { Context } from '../../../context.ts'

/**
 * Rethrows the failure of a replay. If the webhook is disabled, it names the command that enables it, and the one that
 * sends a copy: to the test receiver of the inspector, if a server serves it.
 */
export async function rejectWithNext(context: Context, id: number, error: unknown): Promise<never> {
  const text = failures['deliveries.webhook_disabled'].text
  if (!(error instanceof ClientFailure) || error.message !== text) throw error
  const { data } = await context.call(deliveries.show, { id })
  const server = findServer(context.system)
  const url = server?.inspector ? `${server.url}/_parley/receiver` : '<url>'
  const next = [`${enableCommand(data)} ${url}`, `parley server deliveries replay ${id} --url ${url}`]
  throw new ClientFailure({
    exit: error.exit,
    code: error.code,
    message: error.message,
    ...(error.status !== undefined && { status: error.status }),
    hint: `Enable the webhook and replay again, or send a copy.${
      server?.inspector
        ? ' This URL is the test receiver of the inspector.'
        : ' The inspector has a test receiver: parley ui.'
    }`,
    next,
  })
}

function enableCommand({ event, assistant_id, sender_id, account_id }: Delivery): string {
  if (event === 'message_status')
    return `parley server webhooks sender ${sender_id} --account ${account_id} --webhook-url`
  if (event === 'automation_run_failed') return `parley server webhooks runs --account ${account_id} --webhook-url`
  return `parley assistants enable-webhook ${assistant_id} --event ${event.replaceAll('_', '-')} --webhook-url`
}
