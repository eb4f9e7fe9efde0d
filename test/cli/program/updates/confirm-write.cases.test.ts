import { expect, test } from 'vitest'
import { codeFlow } from '../../../../src/cli/features/doctor/conformance/write-step.ts'
import { endpoints } from '../../../../src/contract/resources/index.ts'
import { routes } from '../../../../src/generated/routes.ts'
import { createRouter } from '../../../../src/platform/server/http/router.ts'
import { caseCount } from '../../../support/case-count.ts'
import { type Operator, operator, type Run, type RunOptions } from '../../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>
type Answer = (body: string) => { readonly status: number; readonly body: string }

const findRoute = createRouter(routes)
const nameOf = (method: string, url: string): string => {
  const match = findRoute(method, url.split('?')[0] ?? '')
  return 'resource' in match ? `${match.resource}.${match.verb}` : ''
}

/** What a foreign deployment may answer to a write that it has carried out. */
const foreignAnswers: Readonly<Record<string, Answer>> = {
  '204': () => ({ status: 204, body: '' }),
  'an empty object': () => ({ status: 200, body: '{}' }),
  'a message': () => ({ status: 200, body: '{"message":"Saved."}' }),
  'only the id': (body) => ({ status: 200, body: JSON.stringify({ data: { id: idIn(body) } }) }),
  'an array': () => ({ status: 200, body: '[]' }),
  'an unrelated object': () => ({ status: 200, body: '{"status":"ok","trace":"f00"}' }),
  'another resource': () => ({ status: 200, body: '{"message":"Saved.","data":{"id":999,"name":"x"}}' }),
  'plain text': () => ({ status: 200, body: 'OK' }),
  'an empty body': () => ({ status: 200, body: '' }),
  'that it is deleted': () => ({ status: 200, body: '{"deleted":true,"id":1}' }),
}

function idIn(body: string): unknown {
  try {
    const { data, automation_id } = JSON.parse(body)
    return data?.id ?? automation_id
  } catch {
    return undefined
  }
}

/** Answers the writes of an endpoint in another form, after the platform carried them out. */
const answering =
  (endpoint: string, answer: Answer): Through =>
  async (handle, request) => {
    const response = await handle(request)
    if (nameOf(request.method, request.url) !== endpoint || response.status >= 300) return response
    return { ...response, ...answer(String(response.body)) }
  }

const trunk =
  '--sip-trunk-type extension --phone-number 2077 --sip-username desk --sip-password unmistakable --sip-address pbx.example --sip-calling-format +e164 --inbound-authorization-type auth --country-code US'
const assistant =
  '--name Fresh --type inbound --mode pipeline --llm-model-id 2 --language-id 1 --voice-id 1 --timezone Europe/London --initial-message Hello --system-prompt Answer.'
const flow = JSON.stringify(codeFlow('1'))
const without = (id: number | string): unknown => expect.not.arrayContaining([expect.objectContaining({ id })])
const having = (fields: object): unknown => expect.arrayContaining([expect.objectContaining(fields)])
const conversation = 'f5a1d9a5-0047-4395-bbf0-ecbee622fb38'

/** One command for each endpoint that changes a resource, and what a read shows after it. */
const writes: Readonly<Record<string, readonly [line: string, check: string, shown: unknown]>> = {
  'keys.delete': ['keys delete 2 --yes', 'keys list', without(2)],
  'tools.create': [
    'tools create --name fresh --description Fresh. --endpoint https://example.com --method GET',
    'tools get fresh',
    { name: 'fresh' },
  ],
  'tools.update': ['tools update 2 --tool-timeout 20', 'tools get 2', { timeout: 20 }],
  'tools.delete': ['tools delete 3 --yes --confirm quote_treatment', 'tools list', without(3)],
  'campaigns.create': [
    'campaigns create --name Fresh --timezone UTC --assistant 1',
    'campaigns get Fresh',
    { name: 'Fresh' },
  ],
  'campaigns.update': ['campaigns update 1 --max-retries 2', 'campaigns get 1', { max_retries: 2 }],
  'leads.create': [
    'leads create --campaign 1 --phone-number +14155550199 --var first_name=Ada',
    'leads get +14155550199',
    { phone_number: '+14155550199' },
  ],
  'leads.update': ['leads update 1 --var first_name=Grace', 'leads get 1', { variables: { first_name: 'Grace' } }],
  'leads.delete': ['leads delete 1 --yes', 'leads list --all', without(1)],
  'numbers.update': ['numbers update 4 --nickname Desk', 'numbers get 4', { nickname: 'Desk' }],
  'numbers.release': ['numbers release 2 --yes', 'numbers list', expect.anything()],
  'assistants.create': [`assistants create ${assistant}`, 'assistants get Fresh', { name: 'Fresh' }],
  'assistants.update': ['assistants update 1 --max-duration 300', 'assistants get 1', { max_duration: 300 }],
  'assistants.setStatus': ['assistants activate 1', 'assistants get 1', { status: 'active' }],
  'assistants.enableConversationEndedWebhook': [
    'assistants enable-webhook 1 --event conversation-ended --webhook-url https://hooks.example/a',
    'assistants get 1',
    { conversation_ended_webhook_url: 'https://hooks.example/a' },
  ],
  'assistants.disableConversationEndedWebhook': [
    'assistants disable-webhook 1 --event conversation-ended --yes',
    'assistants get 1',
    { conversation_ended_webhook_url: null },
  ],
  'assistants.enablePostCallWebhook': [
    'assistants enable-webhook 1 --event post-call --webhook-url https://hooks.example/b',
    'assistants get 1',
    { webhook_url: 'https://hooks.example/b' },
  ],
  'assistants.disablePostCallWebhook': [
    'assistants disable-webhook 1 --event post-call --yes',
    'assistants get 1',
    { is_webhook_active: false },
  ],
  'assistants.enableInboundWebhook': [
    'assistants enable-webhook 1 --event inbound --webhook-url https://hooks.example/c',
    'assistants get 1',
    { inbound_webhook_url: 'https://hooks.example/c' },
  ],
  'assistants.disableInboundWebhook': [
    'assistants disable-webhook 1 --event inbound --yes',
    'assistants get 1',
    { inbound_webhook_url: null },
  ],
  'folders.create': ['folders create --name Fresh', 'folders list', having({ name: 'Fresh' })],
  'folders.update': ['folders update 1 --name Evening', 'folders list', having({ id: 1, name: 'Evening' })],
  'labels.create': ['labels create --name Fresh', 'labels list', having({ name: 'Fresh' })],
  'labels.update': ['labels update 1 --name Evening', 'labels list', having({ id: 1, name: 'Evening' })],
  'knowledge.create': ['knowledge create --name Fresh', 'knowledge get Fresh', { name: 'Fresh' }],
  'knowledge.update': ['knowledge update 1 --name Handbook', 'knowledge get 1', { name: 'Handbook' }],
  'knowledge.createDocument': [
    'knowledge documents create 1 --name Fresh --url https://example.com/',
    'knowledge documents list 1',
    having({ name: 'Fresh' }),
  ],
  'knowledge.updateDocument': [
    'knowledge documents update 1 --knowledge 1 --name Hours',
    'knowledge documents get 1 --knowledge 1',
    { name: 'Hours' },
  ],
  'knowledge.deleteDocument': [
    'knowledge documents delete 1 --knowledge 1 --yes',
    'knowledge documents list 1',
    without(1),
  ],
  'sipTrunks.create': [`sip-trunks create ${trunk}`, 'sip-trunks get 2077', { phone_number: '2077' }],
  'sipTrunks.update': ['sip-trunks update 5 --nickname Desk', 'sip-trunks get 5', { nickname: 'Desk' }],
  'campaigns.delete': ['campaigns delete 3 --yes --confirm Check-up', 'campaigns list', without(3)],
  'assistants.delete': ['assistants delete 2 --yes --confirm Recall', 'assistants list', without(2)],
  'conversations.enableAi': [
    'conversations enable-ai 1ec0760d-5afe-47fa-a977-645f6b22a84c',
    'conversations list',
    having({ id: '1ec0760d-5afe-47fa-a977-645f6b22a84c', ai_enabled: true }),
  ],
  'conversations.disableAi': [
    `conversations disable-ai ${conversation}`,
    'conversations list',
    having({ id: conversation, ai_enabled: false }),
  ],
  'calls.delete': ['calls delete 2 --yes', 'calls list', without(2)],
  'messaging.updateAssignment': [
    'messaging assign 5 --assistant 1',
    'messaging assignments',
    having({ id: 5, assistant_id: 1 }),
  ],
  'automate.update': ['automate disable "Opening hours" --yes', 'automate get "Opening hours"', { status: 'disabled' }],
  'automate.delete': [
    'automate delete "Weekly count" --yes --confirm "Weekly count"',
    'automate list',
    expect.not.arrayContaining([expect.objectContaining({ name: 'Weekly count' })]),
  ],
  'folders.delete': ['folders delete 2 --yes --confirm "Recall campaigns"', 'folders list', without(2)],
  'labels.delete': ['labels delete 3 --yes', 'labels list', without(3)],
  'knowledge.delete': ['knowledge delete 1 --yes --confirm "Practice handbook"', 'knowledge list', without(1)],
  'automate.create': [`automate create --name Fresh --flow '${flow}'`, 'automate list', having({ name: 'Fresh' })],
}

const covered = (name: string, by: Operator, run: Run): string =>
  `${name}: exit ${run.exitCode}\n${run.stdout}${run.stderr}${by.cwd}`

const entries = Object.entries(writes)

/** Returns writes with answers: all of them in the long suite, else every write and every answer with some of the others. */
const answered = (some: readonly (typeof entries)[number][]) =>
  some.flatMap(([name, entry], row) =>
    Object.keys(foreignAnswers)
      .filter((_, column) => (row + column) % caseCount(1, 5) === 0)
      .map((kind) => [name, kind, entry] as const),
  )

test.each(answered(entries))(
  '%s that is answered with %s is done, and a read confirms it',
  async (name, kind, [line, check, shown]) => {
    const by = operator()
    const through = answering(name, foreignAnswers[kind] as Answer)
    const run = await by.run(line, { through })
    expect(run.exitCode, covered(name, by, run)).toBe(0)
    expect(run.stdout).not.toContain('undefined')
    const written = await by.json(check)
    if (Array.isArray(written)) expect(written).toEqual(shown)
    else expect(written).toMatchObject(shown as object)
  },
)

const deletions = entries.filter(([name]) => name.toLowerCase().includes('.delete'))

test.each(answered(deletions))(
  '%s that is answered with %s and not carried out is not claimed as done',
  async (name, kind, [line, check, shown]) => {
    const by = operator()
    let reads = 0
    const run = await by.run(line, {
      through: async (handle, request) => {
        if (nameOf(request.method, request.url) === name)
          return { ...(foreignAnswers[kind] as Answer)('{"data":{"id":1}}'), headers: {} }
        if (request.method === 'GET') reads++
        return handle(request)
      },
    })
    expect(run.exitCode, covered(name, by, run)).toBe(20)
    expect(run.stdout + run.stderr).toMatch(/accepted the deletion, but the .+ still exists/)
    // Read again for up to two seconds.
    expect(reads).toBeGreaterThan(4)
    expect(await by.json(check)).not.toEqual(shown)
  },
)

test('a deletion whose result cannot be read is exit 12, except where the platform says so and shows nothing', async () => {
  for (const [status, exitCode] of [
    [503, 12],
    [401, 0],
    [403, 0],
    [501, 0],
  ]) {
    const by = operator()
    let isDeleted = false
    const run = await by.run('labels delete 3 --yes', {
      through: async (handle, request) => {
        if (isDeleted) return { status: status as number, body: '{"message":"No."}', headers: {} }
        isDeleted = request.method === 'DELETE'
        return handle(request)
      },
    })
    expect(run.exitCode, `${status} ${run.stderr}`).toBe(exitCode)
  }
})

test('every endpoint that changes a resource is in these tests, or says elsewhere what it does', () => {
  const elsewhere: Readonly<Record<string, string>> = {
    'user.stop': 'its answer has the time of the stop',
    'user.resume': 'its answer has no time of a stop',
    'keys.create': 'its token is shown once: below',
    'approvals.create': 'the same plan is the same operation',
    'approvals.decide': 'its answer is the decision, and "ops approve" reads it: test/e2e/approvals',
    'approvals.start': 'one process gets it: test/platform/services/runtime/approvals',
    'approvals.recordRequest': 'an outcome that is not recorded stays open, and the next run finds it',
    'approvals.end': 'a run that did not end is resumed',
    'conversations.create': 'nothing identifies it: below',
    'leads.createBatch': 'each lead has a result: test/cli/features/bulk/lead-batches.test.ts',
    'contacts.block': 'it can be repeated: test/cli/nouns/contacts',
    'contacts.unblock': 'it can be repeated: test/cli/nouns/contacts',
    'contacts.updateHours': 'it can be repeated: test/cli/nouns/contacts',
    'contacts.cancelWaiting': 'it can be repeated, and its answer is what was cancelled: test/cli/nouns/contact-hours',
    'contacts.updateSettings': 'it can be repeated: test/cli/nouns/contacts',
    'calls.stop': 'the command reads the call: stop.test.ts',
    'automate.restore': 'the command reads the live version: restore tests',
    'automate.restoreVersion': 'the command reads the live version: restore tests',
    'automate.rerun': 'nothing identifies the new run: below',
    'automate.retry': 'the command reads the run',
    'automate.cancelRun': 'the command reads the run',
    'automate.apply': 'found by its name, as automate.create is',
  }
  const missing = endpoints
    .filter(({ risk, name }) => risk !== 'read' && risk !== 'spends' && !(name in writes) && !(name in elsewhere))
    .map(({ name }) => name)
  expect(missing).toEqual([])
})
