import { createHttpClient, defaultPolicy } from '../../../automation/http/http-client.ts'
import type { AutomationPorts } from '../../../flow/pieces/ports.ts'
import type { Deps } from '../../runtime/deps.ts'
import { approvalsPort } from './approvals-port.ts'
import { calendarPort, crmPort, mailPort, sheetsPort } from './connected-account-ports.ts'
import { connectionsPort } from './connection-service.ts'
import { leadsPort } from './leads-port.ts'
import { callsPort, messagingPort, smsPort } from './platform-ports.ts'
import { storePort } from './store-port.ts'
import { subflowsPort } from './subflows-port.ts'

/** Returns the ports that steps use. The platform's services and its providers implement them. */
export const createPorts = (deps: Deps): AutomationPorts => ({
  http: createHttpClient({ ...defaultPolicy, allowPrivate: deps.privateAddresses ?? false }),
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
  approvals: approvalsPort(deps),
  subflows: subflowsPort(deps),
  ...deps.automationPorts,
})
