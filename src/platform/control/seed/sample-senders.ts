import type { MessageTemplateTable, SenderTable } from '../../store/messaging/tables.ts'

/** A message template of the sample data. */
export interface SampleTemplate extends Pick<MessageTemplateTable, 'name' | 'body_text'> {
  readonly category: 'marketing' | 'utility' | 'authentication'
  readonly variables: readonly string[]
  readonly language?: string
  readonly status?: 'pending' | 'rejected'
  readonly isNotSynced?: true
  readonly asksForCall?: true
  /** The error that sending it causes, for the documentation. */
  readonly raises?: string
}

/** A sender of the sample data. */
export interface SampleSender extends Pick<SenderTable, 'phone_number' | 'display_name'> {
  readonly status: 'online' | 'offline'
  readonly quality_rating: 'GREEN' | 'YELLOW' | 'RED'
  /** Null for unlimited; undefined when the channel has not reported it. */
  readonly limit: number | null | undefined
  readonly hasAssistant: boolean
  readonly templates: readonly SampleTemplate[]
  /** The error that sending from it causes, for the documentation. */
  readonly raises?: string
}

const reminder: SampleTemplate = {
  name: 'appointment_reminder',
  category: 'utility',
  body_text: 'Hello {{1}}, this is a reminder of your appointment on {{2}}. Reply to move it.',
  variables: ['first_name', 'appointment_day'],
}
const opening: SampleTemplate = {
  name: 'opening_hours',
  category: 'utility',
  body_text: 'We are open Monday to Friday, 8:00 to 17:00.',
  variables: [],
}
const call: SampleTemplate = {
  name: 'may_we_call',
  category: 'utility',
  body_text: 'Hello {{1}}, may our assistant call you about your visit?',
  variables: ['first_name'],
  asksForCall: true,
  raises: '`VOICE_CALL_LIMIT_NOT_MET` from a sender with a limit below 2000',
}

/** The senders of the sample data. */
export const sampleSenders: readonly SampleSender[] = [
  {
    phone_number: '+14155550170',
    display_name: 'Northwind Dental',
    status: 'online',
    quality_rating: 'GREEN',
    limit: 1000,
    hasAssistant: true,
    templates: [
      reminder,
      opening,
      {
        name: 'login_code',
        category: 'authentication',
        body_text: '{{1}} is your code. Do not share it.',
        variables: ['code'],
      },
      {
        name: 'convite_retorno',
        language: 'pt_BR',
        category: 'marketing',
        body_text: 'Olá {{1}}, já faz seis meses da sua última visita.',
        variables: ['first_name'],
      },
      call,
      {
        name: 'new_price_list',
        category: 'utility',
        body_text: 'Hello {{1}}, our prices have changed.',
        variables: ['first_name'],
        isNotSynced: true,
        raises: '`TEMPLATE_NOT_SYNCED`',
      },
      {
        name: 'summer_whitening',
        category: 'marketing',
        body_text: 'Whitening at half the price until {{1}}.',
        variables: ['last_day'],
        status: 'pending',
        raises: '`TEMPLATE_NOT_APPROVED`',
      },
      {
        name: 'free_toothbrush',
        category: 'marketing',
        body_text: 'FREE!!! Answer now!!!',
        variables: [],
        status: 'rejected',
        raises: '`TEMPLATE_NOT_APPROVED`',
      },
    ],
  },
  {
    phone_number: '+14155550171',
    display_name: 'Northwind Billing',
    status: 'online',
    quality_rating: 'RED',
    limit: null,
    hasAssistant: true,
    templates: [
      opening,
      call,
      {
        name: 'invoice_ready',
        category: 'utility',
        body_text: 'Your invoice over {{1}} is ready.',
        variables: ['amount'],
      },
    ],
  },
  {
    phone_number: '+442079460172',
    display_name: 'Northwind London',
    status: 'online',
    quality_rating: 'YELLOW',
    limit: 2,
    hasAssistant: true,
    templates: [reminder, opening],
    raises: '`PROVIDER_ERROR_63018` at the third recipient in 24 hours',
  },
  {
    phone_number: '+14155550173',
    display_name: 'Northwind Orthodontics',
    status: 'offline',
    quality_rating: 'GREEN',
    limit: 250,
    hasAssistant: true,
    templates: [opening],
    raises: '`SENDER_OFFLINE`',
  },
  {
    phone_number: '+14155550174',
    display_name: 'Northwind Surveys',
    status: 'online',
    quality_rating: 'GREEN',
    limit: 250,
    hasAssistant: false,
    templates: [opening],
    raises: '`NO_ASSISTANT_CONFIGURED`',
  },
  {
    phone_number: '+14155550175',
    display_name: 'Northwind Events',
    status: 'online',
    quality_rating: 'GREEN',
    limit: undefined,
    hasAssistant: true,
    templates: [opening],
    raises: '`MESSAGING_LIMIT_UNAVAILABLE`',
  },
]
