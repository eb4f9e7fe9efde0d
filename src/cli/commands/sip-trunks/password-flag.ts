import { sipTrunks } from '../../../contract/resources/sip-trunks.ts'
import type { CommandInput, Invocation } from '../../commandline/command.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { fieldValidator, promptSecret } from '../../prompts/prompt-fields.ts'

/** Flag that reads the password from stdin, so that it appears neither in the shell history nor in the process list. */
export const passwordFlag = {
  flags: '--sip-password-stdin',
  describe: 'Read the password from standard input; on a terminal, prompt with hidden input',
} as const

const check = fieldValidator('sip_password', sipTrunks.create.body.shape.sip_password)

/** Returns the input fields, with the password from --sip-password-stdin if given. */
export async function withPassword(
  context: Context,
  { input, flags }: Pick<Invocation, 'input' | 'flags'>,
): Promise<CommandInput> {
  if (!flags.sipPasswordStdin) return input
  if (input.sip_password !== undefined)
    throw usageError('The password is given twice.', 'Remove --sip-password-stdin or the other password.')
  if (flags.file === '-')
    throw usageError(
      '--file - and --sip-password-stdin cannot be combined: both read standard input.',
      'Pass the path of a file with --file.',
    )
  if (context.interactive) {
    const sip_password = await promptSecret(await context.prompts(), 'Password:', check)
    context.promptAnswers.push({ flag: '< password.txt' })
    return { ...input, sip_password }
  }
  const given = (await context.system.streams.stdin.text()).replace(/\r?\n$/, '')
  const verdict = check(given)
  if (verdict !== true)
    throw usageError(`Invalid password on standard input: ${verdict}`, 'Pass one line with at least 3 characters.')
  return { ...input, sip_password: given }
}
