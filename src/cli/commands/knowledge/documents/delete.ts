import { knowledge } from '../../../../contract/resources/knowledge.ts'
import { command } from '../../../commandline/command.ts'
import { previewRequest } from '../../../connection/send-request.ts'
import { confirmDeletion, displayName, printMessage } from '../../../consent/delete-resource.ts'
import { withListHint } from '../../../input/request-by-id.ts'
import { resolveItem } from '../../../input/resolve-target.ts'
import { previousInList } from '../../../updates/previous-record.ts'
import { argument, documentTarget, knowledgeFlag } from './view.ts'

export const remove = command({
  endpoint: knowledge.deleteDocument,
  argument,
  flags: [knowledgeFlag],
  examples: ['2 --knowledge 1', 'Insurers --knowledge 1 --yes'],
  async run(context, invocation) {
    const { ids: within, target } = await documentTarget(context, invocation)
    const readAt = context.pauses()
    const it = await resolveItem(context, invocation.argument, target)
    const ids = { ...within, docId: it.id as number }
    if (await previewRequest(context, knowledge.deleteDocument, ids)) return
    const { item } = await confirmDeletion(context, {
      it,
      readAt,
      target,
      endpoint: knowledge.deleteDocument,
      ids,
      confirmed: undefined,
      buildQuestion: (document) => ({
        question: `Delete document ${displayName(document, target)}? Assistants lose access to it.`,
        refusalMessage: `Deleting document ${displayName(document, target)} cannot be undone and requires confirmation.`,
      }),
    })
    const { message } = await withListHint(target, () =>
      context.call(knowledge.deleteDocument, ids, { history: { previous: previousInList(item, target) } }),
    )
    await printMessage(context, message, ids.docId)
  },
})
