import { createHttp, defaultPolicy } from '../../automation/http/transport.ts'
import type { AutomationPorts } from '../../automation/ports.ts'
import { StepFailure } from '../../automation/ports.ts'
import type { Deps } from '../deps.ts'
import { connectionsPort } from './connections.ts'
import { callsPort, messagingPort, smsPort } from './own-actions.ts'
import { storePort } from './values.ts'

/** What steps may ask for: what the platform has itself, and what it was given. */
export function createPorts(deps: Deps): AutomationPorts {
  return {
    http: {
      ...createHttp({ ...defaultPolicy, allowPrivate: deps.privateAddresses === true }),
      isOwn: (url) => deps.origins.has(new URL(url).origin) && new URL(url).pathname.startsWith('/api/'),
    },
    mail: absent('mail'),
    sheets: absent('sheets'),
    leads: absent('leads'),
    calendarA: absent('calendarA'),
    calendarB: absent('calendarB'),
    crmB: absent('crmB'),
    sms: smsPort(deps),
    messaging: messagingPort(deps),
    calls: callsPort(deps),
    store: storePort(deps),
    connections: connectionsPort(deps),
    ...deps.automationPorts,
  }
}

/** Something this platform is not connected to: whatever is asked of it fails. */
function absent<K extends keyof AutomationPorts>(name: K): AutomationPorts[K] {
  return new Proxy(
    {},
    {
      get: () => async () => {
        throw new StepFailure(`This platform has no ${name}.`, { classification: 'missing_connection' })
      },
    },
  ) as AutomationPorts[K]
}
