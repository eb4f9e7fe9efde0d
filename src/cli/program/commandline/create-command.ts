import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
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
  /** Returns the input with changes that flags of the command make to it. */
  readonly editInput?: (
    input: CommandInput,
    flags: Invocation['flags'],
    context: Context,
  ) => CommandInput | Promise<CommandInput>
  /** Masks the credentials of the created resource for output. */
  readonly mask?: <T>(data: T) => T
  /** Warns about what the created resource cannot do. */
  readonly warn?: (context: Context, data: Created['data']) => Promise<void>
  /** Returns the next useful command. */
  readonly next: (id: number | string) => string
}

/** Creates the command that prompts for missing fields, creates a resource and prints it. */
export const createCommand = ({
  inputFrom,
  editInput = (input) => input,
  mask = (data) => data,
  warn,
  next,
  ...definition
}: CreateDefinition): Command =>
  command({
    ...definition,
    async run(context, { input, flags }) {
      const draft = await editInput({ ...(await inputFrom?.(context, flags)), ...input }, flags, context)
      const fields = await promptMissingFields(context, definition.endpoint, draft)
      const answer = (await sendRequest(context, definition.endpoint, fields)) as Created | undefined
      if (!answer) return
      await printWriteResult(context, answer.message, mask(answer.data), next(answer.data.id))
      await warn?.(context, answer.data)
    },
  })
