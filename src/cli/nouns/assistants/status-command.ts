import { type Assistant, assistants } from '../../../contract/resources/assistants.ts'
import { type Command, command } from '../../program/commandline/command.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import type { Context } from '../../program/context.ts'
import { requestById } from '../../program/input/request-by-id.ts'
import { printWriteResult } from '../../program/output/print-result.ts'
import { argument, target, view } from './view.ts'

type Status = Assistant['status']

/** Returns a sentence that says how to activate an assistant on this platform. */
export async function activationHint(context: Context, id: number | string): Promise<string> {
  return (await context.supports('assistant-status'))
    ? `Activate it: parley assistants activate ${id}`
    : 'This platform has no API to activate assistants. Activate it in the web interface of the platform.'
}

/** Creates a command that sets the status of an assistant. */
export const statusCommand = (status: Status, summary: string): Command =>
  command({
    endpoint: assistants.setStatus,
    summary,
    argument,
    filledFields: ['status'],
    allowedFields: [],
    exits: ['not_found'],
    ...(status === 'inactive' && { reducesHarm: true }),
    examples: ['1', '"Front desk"'],
    elsewhere: 'Set the status in the web interface of the platform.',
    notes:
      'Requires a Parley server. On other platforms, set the status in the web interface; the command fails there with exit code 2.',
    view,
    async run(context, { argument: given }) {
      const [id, answer] = await requestById(
        context,
        given,
        target,
        async (id) => [id, await sendRequest(context, assistants.setStatus, { id, status })] as const,
      )
      if (!answer) return
      const { name, status: now } = answer.data
      await printWriteResult(
        context,
        now === status ? `Assistant "${name}" is ${status}` : answer.message,
        answer.data,
        `parley assistants get ${id}`,
      )
    },
  })
