import type { controlContract } from '../control/index.ts'
import type { Contract } from '../resources/index.ts'

/** Descriptions of the resources of the platform, the tags of its OpenAPI document. Commands have their own summaries (cli/tree.ts), which may differ. */
export const platformTags: Readonly<Record<keyof Contract, string>> = {
  user: 'The account of the API key, and its balance',
  billing: 'Balance, usage, subscriptions and limits of the account',
  keys: 'API keys of the account',
  approvals: 'Operations that wait for the approval of a person',
  tools: 'Tools that assistants call during a conversation',
  campaigns: 'Call and message campaigns',
  leads: 'Campaign contacts',
  numbers: 'Phone numbers: search, buy, rename and release',
  assistants: 'Voice and chat assistants, and their webhooks',
  conversations: 'Chats and message threads of assistants',
  calls: 'Phone calls and their transcripts',
  replies: 'Replies of assistants that are in progress',
  messaging: 'Senders, templates and messages of the messaging channel',
  sms: 'Text messages',
  contacts: 'Contacts that have opted out',
  automate: 'Automations: multi-step workflows, their versions and runs',
  models: 'Language models that assistants can use',
  synthesizers: 'Text-to-speech providers',
  transcribers: 'Speech-to-text providers',
  voices: 'Voices that assistants can use',
  languages: 'Languages that assistants can speak',
  folders: 'Folders for assistants',
  labels: 'Labels for assistants',
  knowledge: 'Knowledge bases and their documents',
  sipTrunks: 'Phone numbers and extensions of SIP servers',
}

/** Descriptions of the resources of the control API, the tags of its OpenAPI document. */
export const controlTags: Readonly<Record<keyof typeof controlContract, string>> = {
  accounts: 'Accounts of the platform, their balances and API keys',
  clock: 'The clock of the platform',
  platform: 'Providers, data and database of the platform',
  faults: 'Fault rules: errors, delays and differences for testing clients',
  connections: 'Connections of accounts to other services',
  events: 'Recorded events and test events',
  turns: 'Replies of assistants, with the steps that produced them',
  inspector: 'The inspector in the browser',
  mails: 'Emails that automations sent',
  sheets: 'Spreadsheets that automations read and write',
  nodes: 'Servers that share the database',
  deliveries: 'Webhook deliveries and their attempts',
  webhooks: 'Webhook addresses and signing secrets',
  simulate: 'Simulated calls, messages and delivery status updates',
  requests: 'Requests that the server received',
  snapshots: 'Copies of all data, to restore later',
}
