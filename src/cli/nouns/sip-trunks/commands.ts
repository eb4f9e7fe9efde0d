// Commands of `sip-trunks`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have verbs and
// flags: they are added, not renamed.

import { numbers } from '../../../contract/resources/numbers.ts'
import { ipsRequired, sipTrunks } from '../../../contract/resources/sip-trunks.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { type CommandInput, command, type Invocation } from '../../program/commandline/command.ts'
import { getCommand } from '../../program/commandline/get-command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { previewRequest, sendRequest } from '../../program/connection/send-request.ts'
import { confirmDeletion, inUseNote, printMessage } from '../../program/consent/delete-resource.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { readBeforeWrite } from '../../program/history/undo-unavailable.ts'
import { withListHint } from '../../program/input/request-by-id.ts'
import { resolveId } from '../../program/input/resolve-target.ts'
import { printWriteResult } from '../../program/output/print-result.ts'
import { recordFlag } from '../../program/prompts/equivalent-command.ts'
import { fieldValidator, promptMissingFields, promptSecret } from '../../program/prompts/prompt-fields.ts'
import { editFlag, editRecord } from '../../program/updates/edit-record.ts'
import { resolveForUpdate } from '../../program/updates/previous-record.ts'
import { promptChanges, requireChanges } from '../../program/updates/prompt-changes.ts'
import { applyUpdate } from '../../program/updates/send-update.ts'
import { digitsNote } from '../numbers/view.ts'
import { argument, target, view } from './view.ts'
import { trunkWait } from './wait.ts'

/** Flag that reads the password from stdin, so that it appears neither in the shell history nor in the process list. */
const passwordFlag = {
  flags: '--sip-password-stdin',
  describe: 'Read the password from standard input; on a terminal, prompt with hidden input',
} as const

const check = fieldValidator('sip_password', sipTrunks.create.body.shape.sip_password)

/** Returns the input fields, with the password from --sip-password-stdin if given. */
async function withPassword(
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

export const create = command({
  endpoint: sipTrunks.create,
  flags: [passwordFlag],
  examples: [
    '--sip-trunk-type extension --phone-number 2001 --sip-username desk-2001 --sip-password-stdin --sip-address pbx.example --sip-calling-format +e164 --inbound-authorization-type auth --country-code US < password.txt',
    '--file trunk.yaml --sip-password-stdin --wait < password.txt',
  ],
  notes:
    'If you omit the password, the command prompts for it on a terminal with hidden input. The platform never shows it again.',
  view,
  waits: trunkWait,
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

export const remove = command({
  confirmsName: true,
  summary: 'Delete a SIP trunk and its number immediately',
  endpoint: numbers.release,
  argument,
  examples: ['1', 'Reception --yes'],
  notes: `${digitsNote}\n${inUseNote}`,
  async run(context, { argument: given, flags }) {
    const readAt = context.pauses()
    const id = await resolveId(context, given, target)
    if (await previewRequest(context, numbers.release, { id })) return
    // The release endpoint accepts every number: reading the trunk first prevents deleting another number by mistake.
    const { data } = await withListHint(target, () =>
      readBeforeWrite('SIP trunk', () => context.call(sipTrunks.get, { id }), ''),
    )
    const { item, list } = await confirmDeletion(context, {
      item: data,
      readAt,
      target,
      endpoint: numbers.release,
      dependencyKind: 'numbers',
      confirmed: flags.confirm,
      buildQuestion(trunk) {
        const named = trunk.nickname ? ` ("${trunk.nickname}")` : ''
        return {
          question: `Delete SIP trunk ${id} at ${trunk.sip_address} and its number ${trunk.phone_number}${named}? Its calls end immediately; assistants and campaigns lose the number.`,
          refusalMessage: `Deleting SIP trunk ${id}${named} requires confirmation.`,
        }
      },
    })
    const history = { previous: item, ...(list && { list }) }
    const { message } = await context.call(numbers.release, { id }, { history })
    // The answer of the platform names only the number.
    const number = typeof data.phone_number === 'string' ? ` ${data.phone_number}` : ''
    const text = `Deleted SIP trunk ${id} and its number${number}.`
    await printMessage(context, message, id, /deleted/i.test(message) ? text : message)
  },
})

export const get = getCommand({
  endpoint: sipTrunks.get,
  argument,
  examples: ['1', 'Reception -o yaml', '1 --wait --wait-timeout 2m'],
  notes: 'Digits are read as an id, or as a number if no such id exists.',
  view,
  target,
  waits: trunkWait,
})

export const list = listCommand({
  endpoint: sipTrunks.list,
  examples: ['', '--json', '-o id'],
  view,
})

export const update = command({
  endpoint: sipTrunks.update,
  argument,
  flags: [passwordFlag, editFlag],
  examples: [
    'Reception --sip-address pbx2.example',
    '1 --sip-password-stdin < password.txt',
    "1 --inbound-authorization-type ip --allowed-inbound-ips '[203.0.113.10, 198.51.100.0/24]'",
    '1 --edit',
  ],
  notes:
    'Omitted fields are unchanged. Changes that affect the voice infrastructure recreate the inbound or outbound trunk. The old trunk stays in service until then, and remains if that fails.\n' +
    digitsNote,
  view,
  async run(context, { argument: named, input: fields, flags }) {
    if (!flags.edit && !flags.sipPasswordStdin)
      requireChanges(context, fields, 'Pass at least one field as a flag, with --set or with --file, or use --edit.')
    const given = await withPassword(context, { input: fields, flags })
    const { id, previous } = await resolveForUpdate<ResourceRecord>(context, named, target, {
      read: async ({ call }, id) => (await call(sipTrunks.get, { id })).data,
      isRequired: flags.edit === true,
    })
    const endpoint = sipTrunks.update
    let latest = previous
    const send = (change: CommandInput): Promise<void> =>
      applyUpdate(context, {
        endpoint,
        ids: { id },
        change,
        previous: latest,
        progressText: 'Setting up the trunk',
        next: `parley sip-trunks get ${id}`,
      })
    if (!flags.edit || !previous) return send(await promptChanges(context, given))
    // A password must never be written to a file, not even to a temporary one.
    const { sip_password, ...rest } = given
    await editRecord(context, {
      endpoint,
      id,
      record: previous,
      flagFields: rest,
      secretFields: sip_password === undefined ? {} : { sip_password },
      async read() {
        latest = (await context.call(sipTrunks.get, { id })).data
        return latest
      },
      send,
    })
  },
})
