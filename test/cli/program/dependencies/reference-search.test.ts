import { describe, expect, test } from 'vitest'
import { withoutCapability } from '../../../support/altered-responses.ts'
import { code, event, hook } from '../../../support/flow-definitions.ts'
import { type Operator, operator } from '../../../support/operator.ts'

/** A platform that has references in its lists only. */
const through = withoutCapability('reference-search')

const piece = (actionName: string, input: object) => ({
  type: 'PIECE',
  displayName: `Do ${actionName}`,
  settings: { pieceName: '@platform/piece-voice', actionName, input },
})

/** An account with references of every kind: in fields, steps, addresses, expressions and by name. */
async function withReferences(): Promise<Operator> {
  const by = operator()
  const create = async (name: string, flow: object, more = ''): Promise<void> => {
    const words = ['automate', 'create', '--name', name, '--confirm-side-effects', '--flow', JSON.stringify(flow)]
    const run = await by.run([...words, ...more.split(' ').filter((it) => it !== '')])
    // An automation whose test fails is created, too, and has its references.
    expect([0, 20], run.stderr).toContain(run.exitCode)
  }
  await create('Sends', {
    trigger: hook,
    steps: [
      piece('sendSms', { from: 4, to: '+14155550111', body: 'Hi' }),
      piece('sendTemplate', {
        sender: 1,
        template: 'appointment_reminder',
        to: '+14155550111',
        variables: { 1: 'Ada', 2: 'Monday' },
      }),
      piece('addLead', { campaign: '{{trigger.body.campaign}}', phone_number: '+14155550111', variables: {} }),
    ],
  })
  await create('After calls', { trigger: event('phoneCallEnded'), steps: [code('1')] }, '--assistant-id 2')
  const transfer = [{ type: 'assistant_transfer', assistant_id: 2 }]
  for (const line of [
    ['assistants', 'update', '1', '--tools', JSON.stringify(transfer), '--yes'],
    [
      'assistants',
      'enable-webhook',
      '1',
      '--event',
      'inbound',
      '--webhook-url',
      'http://127.0.0.1/automate/api/v1/webhooks/Vq3tR8mKx2LpZc5WnYd7a',
      '--yes',
    ],
  ]) {
    const run = await by.run(line)
    expect(run.exitCode, run.stderr).toBe(0)
  }
  return by
}

/** Lists whose resources something may reference, by the noun of `refs`. */
const lists: Readonly<Record<string, string>> = {
  assistants: 'assistants list --all',
  automate: 'automate list',
  campaigns: 'campaigns list',
  folders: 'folders list',
  knowledge: 'knowledge list',
  labels: 'labels list',
  languages: 'languages list --limit 3',
  models: 'models list --type llm',
  numbers: 'numbers list',
  senders: 'messaging senders --status all',
  'sip-trunks': 'sip-trunks list',
  synthesizers: 'synthesizers list',
  templates: 'messaging templates 1 --status all',
  tools: 'tools list',
  transcribers: 'transcribers list',
}

describe('a search by the platform', () => {
  test('finds what the lists and definitions have, for every resource', async () => {
    const by = await withReferences()
    let found = 0
    for (const [noun, list] of Object.entries(lists))
      for (const { id } of await by.json(list)) {
        const line = ['refs', noun, String(id), '--used-by', '--json']
        const [searched, read] = [await by.run(line), await by.run(line, { through })]
        expect([searched.exitCode, searched.stdout], `${noun} ${id}`).toEqual([0, read.stdout])
        expect(searched.requests.some((it) => it.includes('/user/references?'))).toBe(true)
        expect(read.requests.some((it) => it.includes('/user/references?'))).toBe(false)
        found += JSON.parse(searched.stdout).length
      }
    expect(found).toBeGreaterThan(25)
  })

  test('that a key may not make is replaced by the lists, and what cannot be read is reported', async () => {
    const by = operator()
    const { token } = await by.json('keys create --name Tools --nouns tools,assistants --scope read')
    const env = { PARLEY_API_KEY: token }
    const { exitCode, stdout, stderr } = await by.run('refs tools 1 --used-by --json', { env })
    expect([exitCode, JSON.parse(stdout).length, stderr]).toEqual([0, 1, ''])
    const assistants = await by.run('refs assistants 1 --used-by', { env })
    expect(assistants.exitCode).toBe(0)
    expect(assistants.stderr).toMatch(/^warning: Could not be read: .*campaigns \(This key is restricted to/m)
  })

  test('ends at once with Ctrl-C', async () => {
    const interrupt = new AbortController()
    const { exitCode, stdout, requests } = await operator().run('refs assistants 1', {
      interrupt,
      through: (handle, request) => {
        if (request.url.includes('/user/references')) interrupt.abort(130)
        return handle(request)
      },
    })
    expect([exitCode, stdout]).toEqual([130, ''])
    expect(requests.at(-1)).toContain('/user/references')
  })
})
