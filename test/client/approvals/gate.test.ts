import { expect, test } from 'vitest'
import { createClient } from '../../../src/client/create-client.ts'
import { controlEndpoints } from '../../../src/contract/control/index.ts'
import { approvalClass } from '../../../src/contract/endpoint/approval-class.ts'
import type { Endpoint } from '../../../src/contract/endpoint/endpoint.ts'
import { endpoints } from '../../../src/contract/resources/index.ts'

const all: readonly Endpoint[] = [...endpoints, ...controlEndpoints]

/** Calls an endpoint through a gate that refuses everything, and returns what the gate saw and what was sent. */
async function callThroughGate(endpoint: Endpoint, fields: object = {}): Promise<{ gated: string[]; sent: number }> {
  const gated: string[] = []
  let sent = 0
  const call = createClient({
    transport: {
      base: 'https://platform.example',
      async send() {
        sent += 1
        return { status: 200, headers: {}, body: '{}' }
      },
      close: async () => {},
    },
    key: async () => '1|key',
    controlToken: 'token',
    gate: async ({ endpoint: { name } }) => {
      gated.push(name)
      throw new Error('refused')
    },
    retries: 0,
    sleep: async () => {},
    random: () => 0,
    now: () => 0,
  })
  const params = Object.fromEntries(Object.keys(endpoint.params?.shape ?? {}).map((name) => [name, '1']))
  await call.raw(endpoint, { ...params, ...fields } as never, { acceptsAnyStatus: true }).catch(() => {})
  return { gated, sent }
}

test.each(all.map((endpoint) => ({ name: endpoint.name, risk: endpoint.risk, endpoint })))(
  '$name ($risk) passes the gate before it is sent, exactly if it does more than read or needs a person',
  async ({ endpoint }) => {
    const isGated = endpoint.risk !== 'read' || approvalClass(endpoint, {}) !== 'none'
    expect(await callThroughGate(endpoint)).toEqual(
      isGated ? { gated: [endpoint.name], sent: 0 } : { gated: [], sent: 1 },
    )
  },
)

test('everything that spends, deletes or has effects outside needs a plan, and only what stops something does not', () => {
  const free = all.filter((it) => it.risk !== 'read' && it.risk !== 'write' && approvalClass(it, {}) === 'none')
  expect(free.map((it) => it.name)).toEqual(['user.stop', 'calls.stop', 'contacts.cancelWaiting'])
  for (const [name, fields] of [
    ['campaigns.updateStatus', { campaign_id: 1, action: 'stop' }],
    ['automate.update', { id: '1', enabled: false }],
  ] as const) {
    const endpoint = all.find((it) => it.name === name) as Endpoint
    expect(approvalClass(endpoint, fields), name).toBe('none')
    expect(approvalClass(endpoint, { ...fields, action: 'start', enabled: true }), name).toBe('plan')
    expect(approvalClass(endpoint, { ...fields, flow: {}, action: 'STOP' }), name).toBe('plan')
  }
})

test('what grants rights or changes the platform is for a person', () => {
  expect(all.filter((it) => approvalClass(it, {}) === 'person').map((it) => it.name)).toEqual([
    'keys.create',
    'keys.delete',
    'approvals.decide',
    'accounts.create',
    'accounts.update',
    'accounts.key',
    'accounts.delete',
    'clock.freeze',
    'clock.advance',
    'clock.until',
    'clock.resume',
    'faults.add',
    'faults.remove',
    'faults.clear',
  ])
})
