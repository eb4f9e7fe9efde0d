import { expect, test } from 'vitest'
import type { AccountScope } from '../../../../src/cli/features/doctor/account/account-scope.ts'
import { variableFindings } from '../../../../src/cli/features/doctor/account/automation-checks.ts'
import { checkAccount } from '../../../../src/cli/features/doctor/account/check-account.ts'
import { idleFindings } from '../../../../src/cli/features/doctor/account/idle-resources.ts'
import { messageFindings } from '../../../../src/cli/features/doctor/account/messaging-checks.ts'
import { numberFindings } from '../../../../src/cli/features/doctor/account/number-checks.ts'
import { slotConflictFindings } from '../../../../src/cli/features/doctor/account/slot-conflicts.ts'
import { speechFindings } from '../../../../src/cli/features/doctor/account/speech-mismatches.ts'
import type { AccountReader } from '../../../../src/cli/program/dependencies/account-reader.ts'
import { findLinkTarget, findUsages, linksFrom } from '../../../../src/cli/program/dependencies/usages.ts'
import type { Call } from '../../../../src/client/create-client.ts'
import type { LinkedItem } from '../../../../src/contract/references/resource-links.ts'
import type { ResourceKind } from '../../../../src/contract/references/resource-references.ts'

type Rows = Partial<Record<ResourceKind, readonly LinkedItem[]>>

/** An account with as many resources of each kind, of which those with the same id reference each other. */
function rowsOf(count: number): Rows {
  const each = (build: (id: number) => LinkedItem): LinkedItem[] =>
    Array.from({ length: count }, (_, n) => build(n + 1))
  const step = (id: number, actionName: string, input: object, nextAction?: object): object => ({
    name: `step_${id}`,
    type: 'PIECE',
    settings: { actionName, input },
    nextAction,
  })
  return {
    assistants: each((id) => ({
      id,
      name: `Assistant ${id}`,
      type: 'inbound',
      mode: 'pipeline',
      status: 'active',
      phone_number_id: id,
      language_id: id,
      voice_id: id,
      llm_model_id: id,
      synthesizer_provider_id: id,
      transcriber_provider_id: id,
      tool_ids: [id],
      post_call_schema: [],
    })),
    automate: each((id) => ({
      id: `flow${id}`,
      name: `Flow ${id}`,
      status: 'enabled',
      binding: { type: 'post_call', assistant_id: id },
      definition: {
        name: 'trigger',
        type: 'PIECE_TRIGGER',
        settings: {},
        nextAction: step(
          1,
          'sendTemplate',
          { sender: id, template: `template${id}` },
          step(2, 'callFlow', { flow: `Flow ${id}` }, step(3, 'sendSms', { from: id })),
        ),
      },
    })),
    campaigns: each((id) => ({
      id,
      name: `Campaign ${id}`,
      status: 'in-progress',
      channel: 'call',
      assistant_id: id,
      phone_number_ids: [id],
      messaging_sender_id: id,
      messaging_template_id: id,
    })),
    languages: each((id) => ({ id, name: `Language ${id}` })),
    models: each((id) => ({ id, name: `Model ${id}`, type: 'llm' })),
    numbers: each((id) => ({ id, phone_number: `+1415${2_000_000 + id}`, type: 'normal', sms_capable: true })),
    senders: each((id) => ({ id, phone_number: `+1416${2_000_000 + id}`, status: 'online', assistant_id: id })),
    sipTrunks: each((id) => ({ id, name: `Trunk ${id}` })),
    synthesizers: each((id) => ({ id, name: `Synthesizer ${id}` })),
    templates: each((id) => ({ id, name: `template${id}`, sender_id: id, status: 'approved' })),
    tools: each((id) => ({ id, name: `tool_${id}`, endpoint: `https://hooks.example/${id}` })),
    transcribers: each((id) => ({ id, name: `Transcriber ${id}` })),
    voices: each((id) => ({ id, name: `Voice ${id}`, language_id: id, synthesizer_provider_id: id })),
  }
}

/** Counts how often a field of a row is read while `work` runs. */
async function countReads(rows: Rows, work: (account: AccountReader) => Promise<unknown>): Promise<number> {
  let reads = 0
  const counted = (item: LinkedItem): LinkedItem =>
    new Proxy(item, {
      get(target, name) {
        reads += 1
        return Reflect.get(target, name)
      },
    })
  const lists = new Map(Object.entries(rows).map(([kind, items]) => [kind, items.map(counted)]))
  const list = async (kind: ResourceKind): Promise<readonly LinkedItem[]> => lists.get(kind) ?? []
  await work({
    list,
    listReferring: list,
    automations: () => list('automate'),
    read: async (_, { name }) => list(name.split('.', 1)[0] as ResourceKind),
    isComplete: () => true,
    failures: [],
  })
  return reads
}

const checks: Readonly<Record<string, (scope: AccountScope) => Promise<unknown>>> = {
  'speech of assistants': speechFindings,
  'numbers of assistants and campaigns': numberFindings,
  'senders and templates that are used': messageFindings,
  'several owners of an event or a number': slotConflictFindings,
  'variables of automations': variableFindings,
  'numbers and senders without an assistant': idleFindings,
  'targets of all references': async ({ account }) => {
    for (const kind of ['assistants', 'automate', 'campaigns', 'senders', 'voices'] as const)
      for (const link of await linksFrom(account, kind)) await findLinkTarget(account, link)
  },
  'usages of all resources': async ({ account }) => {
    for (const kind of ['numbers', 'tools', 'templates', 'automate', 'assistants'] as const)
      for (const item of await account.list(kind)) await findUsages(account, kind, item)
  },
}

test.each(Object.entries(checks))('%s: ten times as many rows are read ten times as often', async (_, check) => {
  const readsOf = (count: number): Promise<number> =>
    countReads(rowsOf(count), (account) => check({ account, isRemote: true, origin: 'https://platform.example' }))
  const [few, many] = [await readsOf(100), await readsOf(1000)]
  expect(few).toBeGreaterThan(100)
  expect(many / few).toBeLessThan(10.5)
})

/** Checks an account with as many automations and campaigns. Returns the number of requests, and of those at once. */
async function countRequests(count: number): Promise<{ readonly requests: number; readonly atOnce: number }> {
  const { assistants, automate, campaigns, numbers, tools } = rowsOf(count)
  const lists: Readonly<Record<string, readonly LinkedItem[] | undefined>> = {
    'assistants.list': assistants,
    'automate.list': automate?.map(({ definition: _, ...listed }) => listed),
    'campaigns.list': campaigns,
    'numbers.list': numbers,
    'tools.list': tools,
  }
  let requests = 0
  let busy = 0
  let atOnce = 0
  const answer = ({ name, items }: Parameters<Call>[0], input: unknown): unknown => {
    if (name === 'user.me') return { total_balance: 1 }
    const rows = lists[name] ?? []
    if (items === '') return rows
    const { page = 1, per_page: size = rows.length } = input as { page?: number; per_page?: number }
    const isPaged = name === 'assistants.list'
    return {
      data: isPaged ? rows.slice((page - 1) * size, page * size) : rows,
      ...(isPaged && { meta: { current_page: page, last_page: Math.ceil(rows.length / size), total: rows.length } }),
    }
  }
  const raw = async (...[endpoint, input]: Parameters<Call['raw']>): Promise<{ output: unknown }> => {
    requests += 1
    busy += 1
    atOnce = Math.max(atOnce, busy)
    await new Promise((resolve) => setImmediate(resolve))
    busy -= 1
    return { output: answer(endpoint, input) }
  }
  const call = Object.assign(async (...args: Parameters<Call['raw']>) => (await raw(...args)).output, { raw }) as Call
  const signal = new AbortController().signal
  await checkAccount(
    { supports: async () => false, system: { signal } },
    { call, base: 'https://platform.example', now: 0, reach: false },
  )
  return { requests, atOnce }
}

test('ten times as many resources take ten times as many requests, and no more at once', async () => {
  const [few, many] = [await countRequests(100), await countRequests(1000)]
  expect(many.requests / few.requests).toBeLessThan(10.5)
  expect(many.atOnce).toBe(few.atOnce)
  expect(many.atOnce).toBeLessThan(20)
})
