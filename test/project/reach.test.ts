import { expect, test } from 'vitest'
import { clock } from '../../src/contract/clock.ts'
import { connections } from '../../src/contract/connections.ts'
import { accounts, platform } from '../../src/contract/control.ts'
import { deliveries, webhooks } from '../../src/contract/deliveries.ts'
import type { Endpoint } from '../../src/contract/endpoint.ts'
import { events } from '../../src/contract/events.ts'
import { faults } from '../../src/contract/faults.ts'
import { endpoints } from '../../src/contract/index.ts'
import { mails } from '../../src/contract/mails.ts'
import { builtResources, isPlanned } from '../../src/contract/planned.ts'
import { requests } from '../../src/contract/requests.ts'
import { simulate } from '../../src/contract/simulate.ts'
import { snapshots } from '../../src/contract/snapshots.ts'
import { turns } from '../../src/contract/turns.ts'
import { allCommands } from '../../src/generate/reference.ts'
import { resourceLoaders } from '../../src/server/resources.ts'

/** Endpoints without a command of their own, each with its reason. */
const without: Readonly<Record<string, string>> = {
  'assistants.enablePostCallWebhook': 'called by "assistants enable-webhook" with --event',
  'assistants.enableInboundWebhook': 'called by "assistants enable-webhook" with --event',
  'assistants.disablePostCallWebhook': 'called by "assistants disable-webhook" with --event',
  'assistants.disableInboundWebhook': 'called by "assistants disable-webhook" with --event',
  'messaging.sendFreeform': 'called by "messaging send" with --text or --media-url',
  'automate.runs': 'called by "automate runs list" and "runs get" where a platform lists runs per automation only',
  'automate.restoreVersion': 'called by "automate restore" with --to',
  'calls.start': 'for platforms: an operator calls through campaigns; "parley api calls.start" reaches it',
  'calls.delete': 'reached by "parley api calls.delete"',
  'replies.generate': 'for programs that bring their own channel: "parley api replies.generate" reaches it',
  'sms.send': 'for programs: "parley api sms.send" reaches it',
  'accounts.senders': 'called by "doctor --conformance", in the account it makes',
  'platform.status': 'shown by "server status" beside what the lock file says',
  'platform.check': 'called by "server check", and by "doctor" among its other checks',
  'platform.recount': 'called by "server check" with --rebuild',
  'platform.seed': 'called by "server seed", which reads --seed itself',
  'platform.reset': 'called by "server reset", which reads --seed itself',
  'webhooks.rotate': 'called by "server webhooks secret" with --rotate',
  'turns.follow': 'called by "conversations chat", which shows replies as they come',
  'platform.drain': 'for tests and for people with curl: commands and servers do due work by themselves',
}

const control = [accounts, clock, platform, faults, connections, events, turns, mails, deliveries, webhooks, simulate, requests, snapshots].flatMap(
  (it) => Object.values(it) as Endpoint[],
)

test('every endpoint that is built can be reached by a command', async () => {
  const reached = new Set((await allCommands()).map(([, it]) => it.endpoint?.name))
  const built = [...endpoints.filter((it) => !isPlanned(it.name)), ...control].map((it) => it.name)
  expect(built.filter((it) => !reached.has(it) && !Object.hasOwn(without, it))).toEqual([])
  expect(Object.keys(without).filter((it) => reached.has(it) || !built.includes(it))).toEqual([])
})

test('what the contract calls built is what the server loads', () => {
  expect(Object.keys(resourceLoaders).sort()).toEqual([...builtResources].sort())
})
