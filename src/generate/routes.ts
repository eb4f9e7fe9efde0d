import { clock } from '../contract/clock.ts'
import { connections } from '../contract/connections.ts'
import * as control from '../contract/control.ts'
import { deliveries, webhooks } from '../contract/deliveries.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { events } from '../contract/events.ts'
import { faults } from '../contract/faults.ts'
import { endpoints } from '../contract/index.ts'
import { mails } from '../contract/mails.ts'
import { requests } from '../contract/requests.ts'
import { simulate } from '../contract/simulate.ts'
import { snapshots } from '../contract/snapshots.ts'
import { turns } from '../contract/turns.ts'

/** The route table without its schemas, so that a request loads its own resource only. */
export function routesFile(): string {
  const all = [
    ...endpoints,
    ...[control.accounts, clock, control.platform, faults, connections, events, turns, mails, deliveries, webhooks, simulate, requests, snapshots].flatMap(
      (it) => Object.values(it) as Endpoint[],
    ),
  ]
  const lines = all.map(({ method, path, name }) => {
    const [resource, verb] = name.split('.')
    return `  ['${method}', '${path}', '${resource}', '${verb}'],`
  })
  return `// Made of the contract by "npm run generate".\nexport const routes: readonly (readonly [method: string, path: string, resource: string, verb: string])[] = [\n${lines.join('\n')}\n]\n`
}
