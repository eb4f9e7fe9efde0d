import type { Endpoint } from '../endpoint/endpoint.ts'
import { accounts } from './accounts.ts'
import { clock } from './clock.ts'
import { connections } from './connections.ts'
import { deliveries } from './deliveries.ts'
import { events } from './events.ts'
import { faults } from './faults.ts'
import { inspector } from './inspector.ts'
import { mails } from './mails.ts'
import { nodes } from './nodes.ts'
import { platform } from './platform.ts'
import { requests } from './requests.ts'
import { sheets } from './sheets.ts'
import { simulate } from './simulate.ts'
import { snapshots } from './snapshots.ts'
import { turns } from './turns.ts'
import { webhooks } from './webhooks.ts'

/**
 * All endpoints of the control API, by resource. Importing this loads every schema; handlers and commands import the
 * file of their resource instead.
 */
export const controlContract = {
  accounts,
  clock,
  platform,
  faults,
  connections,
  events,
  turns,
  mails,
  sheets,
  nodes,
  inspector,
  deliveries,
  webhooks,
  simulate,
  requests,
  snapshots,
} as const

/** Every endpoint of the control API, in the order of the table. */
export const controlEndpoints: readonly Endpoint[] = Object.values(controlContract).flatMap(
  (it) => Object.values(it) as Endpoint[],
)
