import { expect, test } from 'vitest'
import { controlEndpoints } from '../../src/contract/control/index.ts'
import { contract, endpoints } from '../../src/contract/resources/index.ts'
import { allCommands } from '../../src/generate/reference-files.ts'
import { resourceLoaders } from '../../src/platform/server/handlers/resource-loaders.ts'

/** Endpoints without a command of their own, each with its reason. */
const without: Readonly<Record<string, string>> = {
  'assistants.enablePostCallWebhook': 'called by "assistants enable-webhook" with --event',
  'assistants.enableInboundWebhook': 'called by "assistants enable-webhook" with --event',
  'assistants.disablePostCallWebhook': 'called by "assistants disable-webhook" with --event',
  'assistants.disableInboundWebhook': 'called by "assistants disable-webhook" with --event',
  'user.references': 'called by "refs" where a platform has it',
  'user.activity': 'called by "stop" and "resume"',
  'user.stop': 'called by "stop" where a platform has it',
  'user.resume': 'called by "resume" where a platform has it',
  'leads.createBatch': 'called by "leads import" where a platform has it',
  'messaging.sendFreeform': 'called by "messaging send" with --text or --media-url',
  'automate.listDefinitions':
    'called by "refs", "doctor", "pull" and others that read all automations, where a platform has it',
  'automate.runs': 'called by "automate runs list" and "runs get" where a platform lists runs per automation only',
  'automate.restoreVersion': 'called by "automate restore" with --to',
  'keys.scopes': 'called by "keys list", which joins it',
  'approvals.list': 'called by "ops list --pending"',
  'approvals.get': 'called by "ops get" and what runs or decides about an operation',
  'approvals.create': 'called by every command that waits for approval',
  'approvals.decide': 'called by "ops approve" and "ops decline"',
  'approvals.start': 'called by "ops run"',
  'approvals.recordRequest': 'called by "ops run"',
  'approvals.end': 'called by "ops run"',
  'accounts.senders': 'called by "doctor --conformance", in the account it makes',
  'platform.status': 'shown by "server status" beside what the lock file says',
  'platform.check': 'called by "server check", and by "doctor" among its other checks',
  'platform.recount': 'called by "server check" with --rebuild',
  'platform.export': 'called by "server export", which has flags of its own',
  'platform.seed': 'called by "server seed", which reads --seed itself',
  'platform.reset': 'called by "server reset", which reads --seed itself',
  'webhooks.rotate': 'called by "server webhooks secret" with --rotate',
  'inspector.timeline': 'for the inspector; the commands of each noun list their part',
  'inspector.due': 'for the inspector, which shows what the clock will do',
  'inspector.overview': 'for the inspector; "doctor", "server status" and the lists show its parts',
  'inspector.login': 'called by "ui" and "open", which sign the browser in',
  'turns.follow': 'called by "conversations chat", which shows replies as they come',
  'platform.drain': 'for tests and for people with curl: commands and servers do due work by themselves',
}

test('every endpoint has a command', async () => {
  const reached = new Set((await allCommands()).map(([, command]) => command.endpoint?.name))
  const declared = [...endpoints, ...controlEndpoints].map((it) => it.name)
  expect(
    declared.filter((it) => !reached.has(it) && !Object.hasOwn(without, it)),
    'Endpoints without a command. Add one in src/cli/nouns with its line in src/cli/tree.ts, or a reason to "without" in this file',
  ).toEqual([])
  expect(
    Object.keys(without).filter((it) => reached.has(it) || !declared.includes(it)),
    'Endpoints that have a command or are gone. Remove them from "without" in this file',
  ).toEqual([])
})

test('the server loads every resource of the contract', () => {
  expect(
    Object.keys(resourceLoaders).sort(),
    'Add the resource to src/platform/server/handlers/resource-loaders.ts',
  ).toEqual(Object.keys(contract).sort())
})
