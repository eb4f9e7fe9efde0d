import { type Tool, tools } from '../../../contract/resources/tools.ts'
import { type CommandInput, command } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'
import { exportedFieldsParser } from '../../program/documents/exported-fields.ts'
import { sendableHeaders } from '../../program/input/tool-headers.ts'
import { maskToolCredentials } from '../../program/secrets/tool-credentials.ts'
import { editFlag, editRecord } from '../../program/updates/edit-record.ts'
import { resolveForUpdate } from '../../program/updates/previous-record.ts'
import { promptChanges, requireChanges } from '../../program/updates/prompt-changes.ts'
import { printUpdate, sendUpdate } from '../../program/updates/send-update.ts'
import { hasShorthands, shorthandFlags, withShorthands } from './field-shorthands.ts'
import { target, view } from './view.ts'
import { warnAboutPlaceholders } from './warn-about-placeholders.ts'

/**
 * Command `tools update`. It sends only what differs from the record that was read, and never a mask: a credential that the platform
 * shows as a mask is not changed there.
 */
export const update = command({
  endpoint: tools.update,
  documentParser: exportedFieldsParser({
    kind: 'tools',
    update: tools.update,
    keepsReadOnly: true,
  }),
  argument: { name: 'id', describe: 'Id or name of the tool' },
  flags: [editFlag, ...shorthandFlags],
  examples: [
    '1 --tool-timeout 20',
    'lookup_patient --description "Find a patient by phone number."',
    'lookup_patient --param email:string --header "X-Client: parley"',
    '1 --file tool.yaml',
    '1 --edit',
  ],
  notes:
    'Omitted fields are unchanged. --headers, --static-fields and --schema replace the whole list; --header and --param set one item of it, as in tools create.',
  view,
  async run(context, { argument, input, flags }) {
    const isPartial = hasShorthands(flags)
    if (!flags.edit && !isPartial)
      requireChanges(context, input, 'Pass at least one field as a flag, with --set or with --file, or use --edit.')
    const { id, previous } = await resolveForUpdate<Tool>(context, argument, target, {
      read: ({ call }, id) => call(tools.get, { id }),
      isRequired: flags.edit === true || isPartial,
    })
    const given = isPartial ? withShorthands(input, flags, previous) : input
    let latest = previous
    const send = (change: CommandInput): Promise<void> => changeTool(context, { id, change, previous: latest })
    await (flags.edit && previous
      ? editRecord(context, {
          endpoint: tools.update,
          id,
          record: maskToolCredentials(previous),
          flagFields: given,
          async read() {
            const fresh = await context.call(tools.get, { id })
            latest = fresh
            return maskToolCredentials(fresh)
          },
          send,
        })
      : send(await promptChanges(context, given)))
  },
})

async function changeTool(
  context: Context,
  { id, previous, ...given }: { id: number; change: CommandInput; previous: Tool | undefined },
): Promise<void> {
  const change = await sendableHeaders(context, given.change)
  const answer = await sendUpdate(context, { endpoint: tools.update, ids: { id }, change, previous })
  if (!answer) return
  const shown = context.out.isForPeople ? answer : { ...answer, data: maskToolCredentials(answer.data) }
  const { endpoint, schema, headers, static_fields } = change
  if (endpoint ?? schema ?? headers ?? static_fields) await warnAboutPlaceholders(context, id, answer.data)
  await printUpdate(context, shown, { endpoint: tools.update, change, previous, next: `parley tools get ${id}` })
}
