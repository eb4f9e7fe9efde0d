import { mails, type SentMail } from '../../../contract/control/mails.ts'
import { command } from '../../program/commandline/command.ts'
import type { View } from '../../program/output/format.ts'
import { printList } from '../../program/output/print-list.ts'
import { accountFlag, resolveAccount } from './connections.ts'

const recipients = ({ to }: SentMail): string => (Array.isArray(to) ? to.join(', ') : '')

/** How emails are shown to people: titles and columns may change. Programs get the fields of the contract. */
const view: View<SentMail> = {
  id: (it) => it.id,
  columns: [
    { key: 'sent_at', title: 'Sent', priority: 2, kind: 'time' },
    { key: recipients, field: 'to', title: 'To', priority: 1 },
    { key: 'subject', title: 'Subject', priority: 1, flexible: true },
    { key: (it) => it.server ?? 'outbox', field: 'server', title: 'Server', priority: 3 },
  ],
  empty: 'No emails sent by automations.',
}

/** Command `server mail list`, which only reads. Scripts read the records of the contract; the view is for people. */
export const list = command({
  endpoint: mails.list,
  flags: [accountFlag],
  isList: true,
  examples: ['', '--account 1 --json'],
  notes:
    '--json includes the text of emails. Emails are only sent if the connection has an SMTP server: parley server connections create.',
  view,
  run: async (context, { flags }) =>
    printList(context, mails.list, { account: await resolveAccount(context, flags.account) }),
})
