import { keyPrefix } from '../../../client/requests/authenticator.ts'
import { keys } from '../../../contract/resources/keys.ts'
import { command } from '../../program/commandline/command.ts'
import { deleteCommand } from '../../program/commandline/delete-command.ts'
import { getFromListCommand } from '../../program/commandline/get-from-list-command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import type { ConfirmationRequest } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { idView } from '../../program/output/format.ts'
import { itemShape } from '../../program/output/tables/item-shape.ts'
import { promptMissingFields } from '../../program/prompts/prompt-fields.ts'
import { target, view } from './view.ts'

export const create = command({
  endpoint: keys.create,
  examples: ['--name ci', '--name ci -o id'],
  notes: 'The token is shown only once and is not saved. With -o id, only the token is printed.',
  view: idView((it: { token: string }) => it.token),
  async run(context, { input }) {
    const answer = await sendRequest(context, keys.create, await promptMissingFields(context, keys.create, input))
    if (!answer) return
    await context.out.record(answer.api_key, itemShape(create))
    await context.notes.note('Save the token now. It is not shown again.')
  },
})

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

export const get = getFromListCommand({
  summary: 'Show an API key without its secret',
  endpoint: keys.list,
  argument: { name: 'id', describe: 'Id or name of the key' },
  examples: ['1', 'ci -o yaml'],
  notes: 'The platform has no endpoint for a single key, so the command searches the list.',
  view,
  target,
})

export const list = listCommand({
  endpoint: keys.list,
  examples: ['', '--json', '-o id'],
  view,
})
