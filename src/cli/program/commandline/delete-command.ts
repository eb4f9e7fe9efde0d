import { type DeleteOptions, deleteResource } from '../consent/delete-resource.ts'
import { type Command, command } from './command.ts'

type DeleteDefinition = Omit<Command, 'run' | 'endpoint'> & DeleteOptions

/** Creates the command that finds a resource, asks for confirmation and deletes it. */
export const deleteCommand = ({
  target,
  dependencyKind,
  buildQuestion,
  describeResult,
  ...definition
}: DeleteDefinition): Command =>
  command({
    ...definition,
    confirmsName: true,
    run: (context, invocation) =>
      deleteResource(context, invocation, {
        endpoint: definition.endpoint,
        target,
        buildQuestion,
        ...(dependencyKind && { dependencyKind }),
        ...(describeResult && { describeResult }),
      }),
  })
