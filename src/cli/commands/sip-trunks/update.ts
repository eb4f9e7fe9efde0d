import { sipTrunks } from '../../../contract/sip-trunks.ts'
import { command } from '../../command.ts'
import { editFlag, editRecord } from '../../edit.ts'
import { replacesLists, tellReplaced } from '../../replaced.ts'
import { send } from '../../requests.ts'
import { printMade } from '../../result.ts'
import { resolveId } from '../../target.ts'
import { usage } from '../../usage.ts'
import { passwordFlag, withPassword } from './password.ts'
import { argument, target, view } from './view.ts'

export const update = command({
  endpoint: sipTrunks.update,
  argument,
  flags: [passwordFlag, editFlag],
  examples: [
    'Reception --sip-address pbx2.example',
    '5 --sip-password-stdin < password.txt',
    "5 --inbound-authorization-type ip --allowed-inbound-ips '[203.0.113.10, 198.51.100.0/24]'",
    '5 --edit',
  ],
  notes:
    'Only what is given changes. A change of what the voice infrastructure has to know makes the inbound or the outbound trunk anew; the old one serves until then, and stays when that fails.',
  view,
  async run(context, { argument: named, input: fields, flags }) {
    if (Object.keys(fields).length === 0 && !flags.edit && !flags.sipPasswordStdin)
      throw usage('Nothing to change was given.', 'Give at least one field as a flag, with --set, with --file, or --edit.')
    const given = await withPassword(context, { input: fields, flags })
    const id = await resolveId(context, named, target)
    const before = flags.edit || replacesLists(context, given) ? (await context.call(sipTrunks.get, { id })).data : undefined
    const input = flags.edit && before ? { ...given, ...(await editRecord(context, sipTrunks.update, before, withoutPassword(given))) } : given
    if (before) await tellReplaced(context, before, input)
    const answer = await send(context, sipTrunks.update, { ...input, id }, 'Setting up the trunk')
    if (answer) await printMade(context, answer.message, answer.data, `parley sip-trunks get ${id}`)
  },
})

/** A password must not come to stand in a file, not even in one that is edited for a moment. */
const withoutPassword = ({ sip_password: _, ...rest }: Record<string, unknown>): Record<string, unknown> => rest
