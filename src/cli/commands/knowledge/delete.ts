import { knowledge } from '../../../contract/resources/knowledge.ts'
import { deleteCommand } from '../../commandline/delete-command.ts'
import { inUseNote } from '../../consent/delete-resource.ts'
import { argument, target } from './view.ts'

export const remove = deleteCommand({
  endpoint: knowledge.delete,
  argument,
  examples: ['1', '"Practice handbook" --confirm "Practice handbook"'],
  notes: inUseNote,
  target,
  dependencyKind: 'knowledge',
  buildQuestion: (called) => `Delete knowledge base ${called} with all its documents? Assistants lose access to it.`,
})
