import { type Assistant, assistants } from '../../../contract/resources/assistants.ts'
import { command } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { confirmByName } from '../../consent/confirm-by-name.ts'
import { printMessage } from '../../consent/delete-resource.ts'
import { requireConfirmation } from '../../consent/require-confirmation.ts'
import { resolveId } from '../../input/resolve-target.ts'
import { allAssistants, assistantNotFound } from './assistant-record.ts'
import { argument, target } from './view.ts'

export const remove = command({
  endpoint: assistants.delete,
  argument,
  examples: ['2 --yes', '"Front desk" --confirm "Front desk"'],
  notes:
    'To delete an assistant that is in use, type its name or pass --confirm <name>. Its conversations are not deleted.',
  async run(context, { argument, flags }) {
    const id = await resolveId(context, argument, target)
    if (await previewRequest(context, assistants.delete, { id })) return
    const all: Assistant[] = []
    for await (const it of allAssistants(context)) all.push(it)
    const found = all.find((it) => it.id === id)
    if (!found) throw assistantNotFound(id)
    const { assistantDependents } = await import('../../dependencies/assistant-dependents.ts')
    const { createAccountReader } = await import('../../dependencies/account-reader.ts')
    const account = createAccountReader(context.call, context.system.signal)
    const touches = await assistantDependents(context, found, all, account)
    const ask = `Delete the assistant "${found.name}" (${id})?`
    const deleting = `Deleting the assistant "${found.name}"`
    if (touches.length === 0)
      await requireConfirmation(context, { question: ask, refusalMessage: `${deleting} requires confirmation.` })
    else {
      const without = `${deleting} requires confirmation by name because it is in use.`
      await confirmByName(context, {
        question: `${ask} It is in use.`,
        refusalMessage: without,
        effects: touches,
        name: found.name,
        confirmed: flags.confirm,
      })
    }
    const answer = await context.call(assistants.delete, { id }, { history: { previous: found, list: account.list } })
    await printMessage(context, answer.message, id)
  },
})
