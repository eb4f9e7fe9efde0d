import { sipTrunks } from '../../../contract/resources/sip-trunks.ts'
import type { CommandInput, Invocation } from '../../commandline/command.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { fieldValidator, promptSecret } from '../../prompts/prompt-fields.ts'

/** The flag that keeps a password out of the history of a shell and out of the list of processes. */
export const passwordFlag = {
  flags: '--sip-password-stdin',
  describe: 'Read the password from standard input; asked for, hidden, on a terminal',
} as const

const check = fieldValidator('sip_password', sipTrunks.create.body.shape.sip_password)

/** The fields with the password that --sip-password-stdin brings, where that is given. */
export async function withPassword(
  context: Context,
  { input, flags }: Pick<Invocation, 'input' | 'flags'>,
): Promise<CommandInput> {
  if (!flags.sipPasswordStdin) return input
  if (input.sip_password !== undefined)
    throw usageError('The password is given twice.', 'Leave out either --sip-password-stdin or the other one.')
  if (flags.file === '-')
    throw usageError('--file - and --sip-password-stdin both read standard input.', 'Give one of them another way.')
  if (context.interactive) {
    const sip_password = await promptSecret(await context.prompts(), 'Password:', check)
    context.promptAnswers.push({ flag: '< password.txt' })
    return { ...input, sip_password }
  }
  const given = (await context.world.streams.stdin.text()).replace(/\r?\n$/, '')
  const verdict = check(given)
  if (verdict !== true)
    throw usageError(`Standard input held no password: ${verdict}`, 'One line, at least 3 characters.')
  return { ...input, sip_password: given }
}
