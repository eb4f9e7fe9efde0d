import { generalCapabilities } from '../endpoint/capabilities.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { approvals } from './approvals.ts'
import { assistants } from './assistants.ts'
import { automate } from './automate.ts'
import { billing } from './billing.ts'
import { calls } from './calls.ts'
import { campaigns } from './campaigns.ts'
import { contacts } from './contacts.ts'
import { conversations } from './conversations.ts'
import { folders } from './folders.ts'
import { keys } from './keys.ts'
import { knowledge } from './knowledge.ts'
import { labels } from './labels.ts'
import { languages } from './languages.ts'
import { leads } from './leads.ts'
import { messaging } from './messaging.ts'
import { models } from './models.ts'
import { numbers } from './numbers.ts'
import { replies } from './replies.ts'
import { sipTrunks } from './sip-trunks.ts'
import { sms } from './sms.ts'
import { synthesizers } from './synthesizers.ts'
import { tools } from './tools.ts'
import { transcribers } from './transcribers.ts'
import { user } from './user.ts'
import { voices } from './voices.ts'

/**
 * All endpoints of the platform, by resource. Importing this loads every schema; commands import the file of their resource
 * instead. The names of the resources begin those of endpoints, and programs of others call `client.tools.list`: they never
 * change.
 */
export const contract = {
  user,
  billing,
  keys,
  approvals,
  tools,
  campaigns,
  leads,
  numbers,
  assistants,
  conversations,
  calls,
  replies,
  messaging,
  sms,
  contacts,
  automate,
  models,
  synthesizers,
  transcribers,
  voices,
  languages,
  folders,
  labels,
  knowledge,
  sipTrunks,
} as const
export type Contract = typeof contract

/** Every endpoint, in the order of the table. */
export const endpoints: readonly Endpoint[] = Object.values(contract).flatMap((it) => Object.values(it) as Endpoint[])

type Declared<Endpoints> = Endpoints extends { readonly capability: infer Name } ? Name : never
type DeclaredIn<Table> = Table extends Readonly<Record<string, unknown>> ? Declared<Table[keyof Table]> : never
/** Name of a capability: those of endpoints, and the general ones. */
export type Capability = keyof typeof generalCapabilities | DeclaredIn<Contract[keyof Contract]>

/** Every capability with its sentence. */
export const capabilities: Readonly<Record<string, string>> = {
  ...generalCapabilities,
  ...Object.fromEntries(
    endpoints.flatMap(({ capability, offers }) => (capability ? [[capability, offers ?? '']] : [])),
  ),
}
