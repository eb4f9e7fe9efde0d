import { sipTrunks } from '../../../contract/resources/sip-trunks.ts'
import { type CommandInput, command } from '../../commandline/command.ts'
import { editFlag, editRecord } from '../../updates/edit-record.ts'
import { type ResourceRecord, resolveForUpdate } from '../../updates/previous-record.ts'
import { promptChanges, requireChanges } from '../../updates/prompt-changes.ts'
import { applyUpdate } from '../../updates/send-update.ts'
import { digitsNote } from '../numbers/view.ts'
import { passwordFlag, withPassword } from './password-flag.ts'
import { argument, target, view } from './view.ts'

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
