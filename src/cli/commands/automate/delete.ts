import { automate } from '../../../contract/resources/automate.ts'
import { describeLosses } from '../../automations/deletion-losses.ts'
import { deleteCommand } from '../../commandline/delete-command.ts'
import { inUseNote } from '../../consent/delete-resource.ts'
import { argument, target } from './view.ts'

export const remove = deleteCommand({
  endpoint: automate.delete,
  argument,
  examples: ['Greeting', 'Greeting --yes'],
  notes: inUseNote,
  target,
  dependencyKind: 'automate',
  async buildQuestion(called, { id }, context) {
    const losses = await describeLosses(context, String(id))
    return {
      question: `Delete automation ${called}? ${losses} Its assistant is no longer bound to it.`,
      refusalMessage: `Deleting automation ${called} requires confirmation. ${losses}`,
    }
  },
})
