import type { Input, Output } from '../../../../contract/endpoint/endpoint.ts'
import { contacts, maxBatchContacts } from '../../../../contract/resources/contacts.ts'
import { channelFlag, elsewhere } from '../../../nouns/contacts/view.ts'
import { command, type Invocation } from '../../../program/commandline/command.ts'
import { idView } from '../../../program/output/format.ts'
import type { RowBatches, RowOperation, RowResult } from '../row-operation.ts'
import { chooseFile } from '../rows/choose-file.ts'
import { phoneColumns } from '../rows/phone-columns.ts'
import { rowFlags } from '../rows/row-flags.ts'
import { rowOptions } from '../rows/row-options.ts'
import { runRows } from '../run-rows.ts'

/** Maximum number of requests in flight. The platform changes the contacts of an account one request after the other. */
const concurrency = 2

type Contact = Input<typeof contacts.block>['contacts'][number]

/** Returns the only contact of a row. */
const contactOf = (body: Readonly<Record<string, unknown>>): Contact =>
  (body as Input<typeof contacts.block>).contacts[0] as Contact

const batches: RowBatches = {
  endpoint: contacts.block,
  capability: contacts.block.capability,
  size: maxBatchContacts / 2,
  bodyOf: (bodies) => ({ contacts: bodies.flatMap((it) => it.contacts) }),
  resultsOf: (answer, bodies) =>
    bodies
      .slice(0, (answer as Output<typeof contacts.block>).data.received)
      .map((it): RowResult => ({ status: 200, id: contactOf(it).phone_number, error: null })),
}

/** Blocks the contacts of the rows of a file. */
export const importContacts = command({
  endpoint: contacts.block,
  elsewhere,
  summary: 'Block contacts from a CSV, NDJSON, JSON or YAML file',
  filledFields: ['contacts'],
  allowedFields: [],
  rows: 'always',
  flags: [
    { ...channelFlag, describe: 'Channel of rows without one: call, messaging, sms, or all for every channel' },
    { flags: '--reason <text>', describe: 'Reason of rows without one' },
    { flags: '--source <text>', describe: 'Source of rows without one (default: import)' },
    // Rows that were sent before are sent again: they may have been unblocked since.
    ...rowFlags.filter(({ flags }) => !/^--(?:resend|again|within)\b/.test(flags)),
  ],
  examples: [
    '--file blocked.csv --channel all',
    '--file blocked.csv --map phone_number=Mobile --channel sms --reason "Asked by email" --dry-run',
    '--file - --format ndjson -o ndjson < blocked.ndjson',
  ],
  notes:
    'The number is in the column phone_number (or phone, number, mobile, tel). The columns channel, reason and source are optional; "contacts export" writes all of them. All rows are checked before the first one is sent. Existing blocks are not changed.',
  view: idView((it: { file: string }) => it.file),
  async run(context, invocation) {
    const flags: Invocation['flags'] = {
      ...invocation.flags,
      file: await chooseFile(context, invocation.flags.file, 'contacts'),
    }
    const operation: RowOperation = {
      // A contact may have a row for each channel.
      nouns: ['row', 'rows'],
      progressVerb: 'Blocking',
      // The answer does not say which of them were blocked before.
      doneVerb: 'on the list of blocked contacts',
      endpoint: contacts.block,
      batches,
      target: 'blocked contacts',
      phoneField: 'phone_number',
      fields: {
        known: { phone_number: phoneColumns, channel: [], reason: [], source: [] },
        required: ['phone_number', ...(flags.channel === undefined ? ['channel'] : [])],
        variables: [],
        ignored: ['created_at'],
      },
      // An export has a row for each channel of a contact.
      allowsDuplicates: true,
      duplicateHint: '',
      resendHint: '',
      usesIdempotencyKeys: false,
      contentFields: ['contacts'],
      concurrency,
      bodyOf: (fields) => ({
        contacts: [
          {
            channel: flags.channel,
            ...(flags.reason !== undefined && { reason: flags.reason }),
            source: flags.source ?? 'import',
            ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== null)),
          },
        ],
      }),
      shownOf: contactOf,
      problemsOf: () => [],
      classifyFailure: ({ exit, sent, status }) => {
        if (exit === 'rejected' || exit === 'conflict') return 'failed'
        return sent === true && (status === undefined || status >= 500 || status === 408) ? 'again' : 'stop'
      },
      idOf: () => undefined,
    }
    return runRows(context, operation, { ...rowOptions({ ...invocation, flags }), resend: true }, async () => undefined)
  },
})
