import { createHttpClient, defaultPolicy } from '../../automation/http/transport.ts'
import type { AutomationPorts } from '../../automation/ports.ts'
import type { Deps } from '../deps.ts'
import { calendarPort, crmPort, mailPort, sheetsPort } from './connected.ts'
import { connectionsPort } from './connections.ts'
import { leadsPort } from './lead-actions.ts'
import { callsPort, messagingPort, smsPort } from './own-actions.ts'
import { storePort } from './values.ts'

/** What steps may ask for: what the platform does itself, and what its providers do for it. */
export const createPorts = (deps: Deps): AutomationPorts => ({
  http: createHttpClient({ ...defaultPolicy, allowPrivate: deps.privateAddresses === true }),
  mail: mailPort(deps),
  sheets: sheetsPort(deps),
  leads: leadsPort(deps),
  calendarA: calendarPort(deps, 'calendar-a'),
  calendarB: calendarPort(deps, 'calendar-b'),
  crmB: crmPort(deps),
  sms: smsPort(deps),
  messaging: messagingPort(deps),
  calls: callsPort(deps),
  store: storePort(deps),
  connections: connectionsPort(deps),
  ...deps.automationPorts,
})
