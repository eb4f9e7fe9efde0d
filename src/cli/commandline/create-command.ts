import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import { sendRequest } from '../connection/send-request.ts'
import type { Context } from '../context.ts'
import { printWriteResult } from '../output/print-result.ts'
import { promptMissingFields } from '../prompts/prompt-fields.ts'
import { type Command, type CommandInput, command, type Invocation } from './command.ts'

interface Created {
  readonly message: string
  readonly data: { readonly id: number | string }
}

interface CreateDefinition extends Omit<Command, 'run'> {
  readonly endpoint: Endpoint
  /** Returns input that flags of the command provide. Fields that the user gave take precedence. */
  readonly inputFrom?: (context: Context, flags: Invocation['flags']) => Promise<CommandInput>
  /** Returns the next useful command. */
  readonly next: (id: number | string) => string
}

/** Creates the command that prompts for missing fields, creates a resource and prints it. */
export const createCommand = ({ inputFrom, next, ...it }: CreateDefinition): Command =>
  command({
    ...it,
    async run(context, { input, flags }) {
      const draft = { ...(await inputFrom?.(context, flags)), ...input }
      const fields = await promptMissingFields(context, it.endpoint, draft)
      const answer = (await sendRequest(context, it.endpoint, fields as never)) as Created | undefined
      if (answer) await printWriteResult(context, answer.message, answer.data, next(answer.data.id))
    },
  })
