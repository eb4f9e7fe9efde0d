import { keyPrefix } from '../../../client/requests/authenticator.ts'
import { keys } from '../../../contract/resources/keys.ts'
import { deleteCommand } from '../../commandline/delete-command.ts'
import type { ConfirmationRequest } from '../../consent/require-confirmation.ts'
import type { Context } from '../../context.ts'
import { target } from './view.ts'

export const remove = deleteCommand({
  endpoint: keys.delete,
  argument: { name: 'id', describe: 'Id or name of the key' },
  examples: ['2', 'ci --yes'],
  target,
  buildQuestion: (called, { id }, context) => question(context, called, id),
})

/** Returns the confirmation; it warns if the key is the one in use. */
async function question(context: Context, called: string, id: number | string): Promise<ConfirmationRequest> {
  const { key, via } = await context.connection()
  const [own, settings] = [await key(), await context.settings()]
  if (own === undefined || keyPrefix(own) !== String(id))
    return {
      question: `Delete API key ${called}? Its clients lose access.`,
      refusalMessage: `Deleting API key ${called} cannot be undone and requires confirmation.`,
    }
  const isOfFolder = via !== 'remote' && settings.key.value === undefined
  const another = isOfFolder ? 'parley server accounts key 1' : 'parley login'
  const cut = `is the key that you use now (from ${settings.key.from}). You lose access until you set another one (${another}).`
  if (context.globals.yes) await context.notes.warn(`API key ${id} ${cut}`)
  return {
    question: `Delete API key ${called}? It ${cut} Its other clients lose access too.`,
    refusalMessage: `Deleting API key ${called} cannot be undone and requires confirmation. It ${cut}`,
  }
}
