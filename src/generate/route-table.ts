import * as control from '../contract/control/accounts.ts'
import { clock } from '../contract/control/clock.ts'
import { connections } from '../contract/control/connections.ts'
import { deliveries, webhooks } from '../contract/control/deliveries.ts'
import { events } from '../contract/control/events.ts'
import { faults } from '../contract/control/faults.ts'
import { mails } from '../contract/control/mails.ts'
import { requests } from '../contract/control/requests.ts'
import { simulate } from '../contract/control/simulate.ts'
import { snapshots } from '../contract/control/snapshots.ts'
import { turns } from '../contract/control/turns.ts'
import type { Endpoint } from '../contract/mechanics/endpoint.ts'
import { endpoints } from '../contract/resources/index.ts'

/** Returns the route table without schemas, so that a request loads only its resource. */
export function routesFile(): string {
  const all = [
    ...endpoints,
    ...[
      control.accounts,
      clock,
      control.platform,
      faults,
      connections,
      events,
      turns,
      mails,
      deliveries,
      webhooks,
      simulate,
      requests,
      snapshots,
    ].flatMap((it) => Object.values(it) as Endpoint[]),
  ]
  const lines = all.map(({ method, path, name }) => {
    const [resource, verb] = name.split('.')
    return `  ['${method}', '${path}', '${resource}', '${verb}'],`
  })
  return `// Generated from the contract by "npm run generate".\nexport const routes: readonly (readonly [method: string, path: string, resource: string, verb: string])[] = [\n${lines.join('\n')}\n]\n`
}
