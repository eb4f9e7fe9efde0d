// Commands of `keys`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have verbs and flags:
// they are added, not renamed.

import { keyPrefix } from '../../../client/requests/authenticator.ts'
import { type KeyRestrictions, keys } from '../../../contract/resources/keys.ts'
import { command } from '../../program/commandline/command.ts'
import { deleteCommand } from '../../program/commandline/delete-command.ts'
import { getFromListCommand } from '../../program/commandline/get-from-list-command.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import type { ConfirmationRequest } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { parseCount } from '../../program/input/count-flag.ts'
import { idView } from '../../program/output/format.ts'
import { printList } from '../../program/output/print-list.ts'
import { itemShape } from '../../program/output/tables/item-shape.ts'
import { promptMissingFields } from '../../program/prompts/prompt-fields.ts'
import { restrictedView, target, view } from './view.ts'

export const create = command({
  endpoint: keys.create,
  examples: ['--name ci', '--name agent --scope write --expires 30d', '--name ci -o id'],
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

/**
 * Returns the confirmation; it warns if the key is the one in use. The id of a key is the part of its token before the bar,
 * as `keyPrefix` returns it.
 */
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

export const list = command({
  endpoint: keys.list,
  isList: true,
  examples: ['', '--json', '-o id'],
  notes: 'A Parley server also shows what restricted keys may do, what is left of their budgets, and when they expire.',
  view,
  run: async (context, { input }) => printKeys(context, input),
})

/**
 * Prints the keys. A key with restrictions has them as fields beside those of the list. `call` of the context is replaced, so
 * that printList prints these rows and sends nothing more.
 */
async function printKeys(context: Context, input: Record<string, unknown>): Promise<void> {
  if (context.globals.dryRun) return printList(context, keys.list, input)
  // A wrong limit is refused before anything is sent.
  parseCount(context.globals.limit, '--limit')
  const reply = await context.call.raw(keys.list, {})
  const restrictions = await readRestrictions(context)
  const output = { api_keys: reply.output.api_keys.map((it) => ({ ...it, ...restrictions.get(it.id) })) }
  const call = Object.assign(async () => output, { raw: async () => ({ ...reply, output }) }) as unknown
  await printList({ ...context, call: call as Context['call'] }, keys.list, input, {
    ...(restrictions.size > 0 && { view: restrictedView }),
  })
}

/** Returns the restrictions of keys that have any, by the id of the key. */
async function readRestrictions(context: Context): Promise<ReadonlyMap<number, KeyRestrictions>> {
  if (!(await context.supports('key-scopes'))) return new Map()
  const { data } = await context.call(keys.scopes, {})
  const isRestricted = ({ scope, nouns, budget, expires_at }: KeyRestrictions): boolean =>
    [scope, nouns, budget, expires_at].some((it) => it !== null)
  return new Map(data.filter(isRestricted).map((it) => [it.id, it]))
}
