import { campaigns } from '../../../contract/resources/campaigns.ts'
import { day, hour, type Micros, minute } from '../../../contract/values/micros.ts'
import { stringifyJson } from '../../../node/json.ts'
import { fieldsFromDraft, toColumns } from '../../services/campaigns/campaign-fields.ts'
import { waitingLeads } from '../../services/campaigns/status-transitions.ts'
import { insertCampaign } from '../../store/campaigns/campaigns.ts'
import { insertLead, insertLeadContact } from '../../store/campaigns/leads.ts'
import type { CampaignStatus, LeadStatus } from '../../store/campaigns/tables.ts'
import type { Query } from '../../store/database/connection.ts'

interface SeedLead {
  /** Last two digits of the phone number. */
  readonly digits: number
  readonly name: string
  readonly status?: LeadStatus
  readonly attempts?: number
  readonly contact?: { readonly digits: number; readonly name: string }
}

interface SeedCampaign {
  readonly draft: object
  readonly status: CampaignStatus
  readonly daysAgo: number
  /** Leads, added one per hour, oldest first. */
  readonly leads: readonly SeedLead[]
}

/** Returns the sample campaigns: one calls back missed callers and is partly done, the others are ready to start. */
const sampleCampaigns = (number: number | null): readonly SeedCampaign[] => [
  {
    draft: {
      name: 'Call back',
      assistant_id: 1,
      timezone: 'America/Los_Angeles',
      schedule_windows: [{ start: '09:00', end: '17:30' }],
      allowed_days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
      retry_on_voicemail: true,
    },
    status: 'paused',
    daysAgo: 6,
    leads: [
      { digits: 50, name: 'Clara Moss', status: 'completed', attempts: 1 },
      { digits: 51, name: 'David Frey', status: 'reached-max-retries', attempts: 3 },
      {
        digits: 52,
        name: 'Elena Rossi',
        status: 'rescheduled',
        attempts: 1,
        contact: { digits: 59, name: 'Marco Rossi' },
      },
      { digits: 53, name: 'Femi Ade', status: 'blacklisted' },
      { digits: 54, name: 'Grace Lind' },
      { digits: 55, name: 'Hugo Park' },
    ],
  },
  {
    draft: {
      name: 'Reminders',
      channel: 'messaging',
      messaging_sender_id: 1,
      messaging_template_id: 1,
      text_variable_mapping: { '1': 'first_name', '2': 'appointment_day' },
      messages_per_minute: 10,
    },
    status: 'draft',
    daysAgo: 2,
    leads: [
      { digits: 42, name: 'Anna Keller' },
      { digits: 43, name: 'Ben Ortiz' },
    ],
  },
  ...(number === null
    ? []
    : [
        {
          draft: {
            name: 'Check-up',
            channel: 'sms',
            sms_from_phone_number_id: number,
            sms_body: 'Hello {{first_name}}, your check-up is due.',
          },
          status: 'draft' as const,
          daysAgo: 1,
          leads: [{ digits: 56, name: 'Ida Novak' }],
        },
      ]),
]

const phoneOf = (digits: number): string => `+141555501${digits}`
const variablesOf = (name: string): string =>
  stringifyJson({ first_name: name.split(' ')[0], appointment_day: 'Monday' })

/** Inserts campaigns of every channel with their leads, in the caller's transaction. */
export async function seedCampaigns(
  query: Query,
  { account, now, number }: { readonly account: number; readonly now: Micros; readonly number: number | null },
): Promise<void> {
  for (const { draft, status, daysAgo, leads } of sampleCampaigns(number)) {
    const fields = fieldsFromDraft(campaigns.create.body.parse(draft))
    const at = now - daysAgo * day
    const times = { created_at: at, updated_at: at + minute, deleted_at: null }
    const campaign = await insertCampaign(query, { ...toColumns(fields), account_id: account, status, ...times }, [])
    for (const [n, lead] of leads.entries()) await addLead(query, account, campaign.id, lead, at + (n + 1) * hour)
  }
}

async function addLead(query: Query, account: number, campaign: number, lead: SeedLead, at: Micros): Promise<void> {
  const { status = 'created', attempts = 0 } = lead
  const tried = attempts > 0 ? at + hour : null
  const row = {
    account_id: account,
    status,
    attempts,
    last_attempt_at: tried,
    created_at: at,
    updated_at: tried ?? at,
  }
  const { id } = await insertLead(query, {
    ...row,
    campaign_id: campaign,
    phone_number: phoneOf(lead.digits),
    variables: variablesOf(lead.name),
    contacts: lead.contact ? 1 : 0,
    next_attempt_at: waitingLeads.includes(status) ? (tried ?? at) : null,
    fallback_sent_at: null,
  })
  if (lead.contact)
    await insertLeadContact(query, {
      ...row,
      lead_id: id,
      phone_number: phoneOf(lead.contact.digits),
      variables: variablesOf(lead.contact.name),
      status: 'created',
      attempts: 0,
      last_attempt_at: null,
    })
}
