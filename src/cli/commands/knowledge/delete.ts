import { knowledge } from '../../../contract/resources/knowledge.ts'
import { command } from '../../commandline/command.ts'
import { deleteResource, inUseNote } from '../../consent/delete-resource.ts'
import { argument, target } from './view.ts'

export const remove = command({
  endpoint: knowledge.delete,
  argument,
  examples: ['1', '"Practice handbook" --confirm "Practice handbook"'],
  notes: inUseNote,
  run: (context, invocation) =>
    deleteResource(context, invocation, {
      endpoint: knowledge.delete,
      target,
      dependencyKind: 'knowledge',
      buildQuestion: (called) =>
        `Delete knowledge base ${called} with all its documents? Assistants lose access to it.`,
    }),
})
