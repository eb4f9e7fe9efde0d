import { type Assistant, assistants } from '../../../contract/resources/assistants.ts'
import { command } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { confirmAssistantDeletion } from '../../consent/confirm-assistant-deletion.ts'
import { inUseNote, printMessage } from '../../consent/delete-resource.ts'
import { readBeforeWrite } from '../../history/undo-unavailable.ts'
import { resolveId } from '../../input/resolve-target.ts'
import { allAssistants, assistantNotFound } from './assistant-record.ts'
import { argument, target } from './view.ts'

export const remove = command({
  confirmsName: true,
  endpoint: assistants.delete,
  argument,
  examples: ['2 --yes', '"Front desk" --confirm "Front desk"'],
  notes: `${inUseNote} Its conversations are not deleted.`,
  async run(context, { argument, flags }) {
    const readAt = context.pauses()
    const id = await resolveId(context, argument, target)
    if (await previewRequest(context, assistants.delete, { id })) return
    const all: Assistant[] = []
    await readBeforeWrite(
      'assistant',
      async () => {
        for await (const it of allAssistants(context)) all.push(it)
      },
      '',
    )
    const found = all.find((it) => it.id === id)
    if (!found) throw assistantNotFound(id)
    const { item, list } = await confirmAssistantDeletion(context, found, {
      all,
      target,
      readAt,
      confirmed: flags.confirm,
    })
    const history = { previous: item, ...(list && { list }) }
    const answer = await context.call(assistants.delete, { id }, { history })
    await printMessage(context, answer.message, id)
  },
})
