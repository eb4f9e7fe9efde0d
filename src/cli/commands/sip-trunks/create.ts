import { ipsRequired, sipTrunks } from '../../../contract/resources/sip-trunks.ts'
import { type CommandInput, command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import type { Context } from '../../context.ts'
import { printWriteResult } from '../../output/print-result.ts'
import { recordFlag } from '../../prompts/equivalent-command.ts'
import { fieldValidator, promptMissingFields } from '../../prompts/prompt-fields.ts'
import { passwordFlag, withPassword } from './password-flag.ts'
import { view } from './view.ts'

export const create = command({
  endpoint: sipTrunks.create,
  flags: [passwordFlag],
  examples: [
    '--sip-trunk-type extension --phone-number 2001 --sip-username desk-2001 --sip-password-stdin --sip-address pbx.example --sip-calling-format +e164 --inbound-authorization-type auth --country-code US < password.txt',
    '--file trunk.yaml --sip-password-stdin < password.txt',
  ],
  notes:
    'If you omit the password, the command prompts for it on a terminal with hidden input. The platform never shows it again.',
  view,
  async run(context, invocation) {
    const input = await promptMissingFields(context, sipTrunks.create, await withPassword(context, invocation))
    const answer = await sendRequest(context, sipTrunks.create, await withAddresses(context, input), {
      progressText: 'Setting up the trunk',
    })
    if (answer) await printWriteResult(context, answer.message, answer.data, `parley sip-trunks get ${answer.data.id}`)
  },
})

/** Prompts for the allowed addresses, which only authorization type ip requires. */
async function withAddresses(context: Context, given: CommandInput): Promise<CommandInput> {
  if (given.inbound_authorization_type !== 'ip' || given.allowed_inbound_ips !== undefined || !context.interactive)
    return given
  const prompts = await context.prompts()
  const validate = (text: string): true | string =>
    split(text).length === 0 ? ipsRequired : fieldValidator('allowed_inbound_ips', allowed, split)(text)
  const ips = split(
    await prompts.input('Allowed IP addresses or CIDR ranges for inbound calls, comma-separated:', { validate }),
  )
  recordFlag(context, '--allowed-inbound-ips', ips.join(','))
  return { ...given, allowed_inbound_ips: ips }
}

const allowed = sipTrunks.create.body.shape.allowed_inbound_ips
const split = (text: string): string[] => text.split(/[\s,]+/).filter((it) => it !== '')
