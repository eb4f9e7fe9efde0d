import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { recordFlag } from '../../../program/prompts/equivalent-command.ts'

/** Returns the path of the file with the rows, or prompts for it; `plural` is what a row has. @throws ClientFailure `usage` without a terminal */
export async function chooseFile(context: Context, given: unknown, plural: string): Promise<string> {
  if (typeof given === 'string') return given
  if (!context.interactive)
    throw usageError(
      'Missing --file. Pass the path of the file, or - for standard input.',
      `See: parley ${context.commandName} --help.`,
    )
  const file = await (await context.prompts()).input(`Path of the file with the ${plural}:`, {
    validate: (it) => it !== '' || 'Enter a path.',
  })
  recordFlag(context, '--file', file)
  return file
}
