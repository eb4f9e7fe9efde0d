import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { type Operator, operator, type RunOptions, today } from '../../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>

const throttled = (headers: Record<string, string> = { 'retry-after': '1' }) => ({
  status: 429,
  headers: { 'content-type': 'application/json', ...headers },
  body: '{"message":"Too Many Attempts.","retry_after":1}',
})

interface Deployment {
  readonly through: Through
  /** Paths of the requests that were not reads, in order. */
  readonly writes: string[]
  /** URLs of the reads after the first write. */
  readonly reads: string[]
}

/** A deployment without idempotency. Its writes number `rejected` are answered with 429, carried out or not. */
function deployment(
  by: { now?: () => number },
  { rejected = [1], isCarriedOut = true }: { rejected?: readonly number[] | 'all'; isCarriedOut?: boolean } = {},
): Deployment {
  const writes: string[] = []
  const reads: string[] = []
  return {
    writes,
    reads,
    async through(handle, request) {
      const isWrite = request.method !== 'GET'
      if (isWrite) writes.push(request.url)
      else if (writes.length > 0) reads.push(request.url)
      const isRejected = isWrite && (rejected === 'all' || rejected.includes(writes.length))
      if (isRejected && !isCarriedOut) return throttled()
      const response = await notParleyServer(handle, request)
      if (isRejected) return throttled()
      return { ...response, headers: { ...response.headers, date: new Date(by.now?.() ?? today).toUTCString() } }
    },
  }
}

const trunk =
  '--sip-trunk-type extension --phone-number 2077 --sip-username desk --sip-password unmistakable --sip-address pbx.example --sip-calling-format +e164 --inbound-authorization-type auth --country-code US'
const assistant =
  '--name Fresh --type inbound --mode pipeline --llm-model-id 2 --language-id 1 --voice-id 1 --timezone Europe/London --initial-message Hello --system-prompt Answer.'

/** Creations of resources with a natural key and a time, and the list that shows them. */
const creations: readonly (readonly [line: string, list: string, field: string, value: string])[] = [
  ['leads create --campaign 1 --phone-number +14155550199', 'leads list --all', 'phone_number', '+14155550199'],
  [`assistants create ${assistant}`, 'assistants list', 'name', 'Fresh'],
  ['campaigns create --name Fresh --timezone UTC --assistant 1', 'campaigns list', 'name', 'Fresh'],
  [
    'tools create --name fresh --description Fresh. --endpoint https://example.com --method GET',
    'tools list',
    'name',
    'fresh',
  ],
  ['knowledge create --name Fresh', 'knowledge list', 'name', 'Fresh'],
  [
    'knowledge documents create 1 --name Fresh --url https://example.com/',
    'knowledge documents list 1',
    'name',
    'Fresh',
  ],
  [`sip-trunks create ${trunk}`, 'sip-trunks list', 'phone_number', '2077'],
]

const count = async (by: Operator, list: string, field: string, value: string): Promise<number> =>
  (await by.json<Record<string, unknown>[]>(list)).filter((it) => it[field] === value).length

test.each(creations)(
  '%s that was carried out and answered with 429 is done, and is not repeated',
  async (line, list, field, value) => {
    const by = operator()
    const { through, writes } = deployment({})
    const run = await by.run(`${line} -o id`, { through })
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\d+\n$/) })
    expect(writes).toHaveLength(1)
    expect(await count(by, list, field, value)).toBe(1)
  },
)

test.each(creations)(
  '%s that was rejected with 429 is repeated after one read, once for each Retry-After',
  async (line, list, field, value) => {
    const by = operator()
    const { through, writes, reads } = deployment({}, { rejected: [1, 2], isCarriedOut: false })
    expect(await by.run(line, { through })).toMatchObject({ exitCode: 0 })
    expect(writes).toHaveLength(3)
    expect(reads.length).toBeGreaterThanOrEqual(2)
    expect(await count(by, list, field, value)).toBe(1)
  },
)

test.each(creations.filter(([line]) => !line.startsWith('sip') && !line.startsWith('leads')))(
  '%s is exit 12 after 429 when an older resource has the same key',
  async (line, list, field, value) => {
    const by = operator()
    await by.run(line)
    by.wait(3_600_000)
    for (const isCarriedOut of [false]) {
      const { through, writes } = deployment({ now: () => today + 3_600_000 }, { isCarriedOut })
      const run = await by.run(line, { through })
      expect(run).toMatchObject({ exitCode: 12, stdout: '', stderr: expect.stringContaining('has the same') })
      expect(run.stderr).toContain('The request may have succeeded. Check before you repeat it')
      expect(writes).toHaveLength(1)
      expect(await count(by, list, field, value)).toBe(1)
    }
  },
)

test('a resource that somebody else creates with the same key and other content is not taken for the own one', async () => {
  const by = operator()
  const line = 'tools create --name fresh --description Mine. --endpoint https://example.com --method GET'
  const { through, writes } = deployment({}, { isCarriedOut: false })
  let isOther = false
  const run = await by.run(line, {
    through: async (handle, request) => {
      if (request.method === 'POST' && !isOther) {
        isOther = true
        await handle({ ...request, body: String(request.body).replace('Mine.', 'Theirs.') })
      }
      return through(handle, request)
    },
  })
  expect(run).toMatchObject({
    exitCode: 12,
    stderr: expect.stringContaining('it is not certain that this command created it'),
  })
  expect(writes).toHaveLength(1)
})

test.each(['keys create --name robot', 'conversations start --assistant 1'])(
  '%s is exit 12 after 429, because nothing identifies what it created',
  async (line) => {
    const by = operator()
    const { through, writes } = deployment({})
    expect(await by.run(line, { through })).toMatchObject({
      exitCode: 12,
      stdout: '',
      stderr: expect.stringContaining('The request may have been carried out.'),
    })
    expect(writes).toHaveLength(1)
  },
)

test('without a time, a resource with an id above those read before is the created one', async () => {
  const by = operator()
  let posts = 0
  const { through, writes } = deployment({}, { rejected: [] })
  const answers: Through = async (handle, request) => {
    if (request.method !== 'POST') return through(handle, request)
    posts += 1
    if (posts === 1) return throttled()
    const response = await through(handle, request)
    return posts === 2 ? throttled() : response
  }
  expect(await by.run('labels create --name Fresh', { through: answers })).toMatchObject({ exitCode: 0 })
  expect(writes).toHaveLength(1)
  expect(await count(by, 'labels list', 'name', 'Fresh')).toBe(1)
})

test('without a time and an earlier read, a label with the same name is exit 12', async () => {
  const by = operator()
  const { through, writes } = deployment({})
  expect(await by.run('labels create --name Fresh', { through })).toMatchObject({
    exitCode: 12,
    stderr: expect.stringContaining('parley labels list'),
  })
  expect(writes).toHaveLength(1)
})

test('a creation that is always rejected ends with exit 7 after its retries, each after a read', async () => {
  const by = operator()
  const { through, writes } = deployment({}, { rejected: 'all', isCarriedOut: false })
  expect(
    await by.run('tools create --name fresh --description F --endpoint https://example.com --method GET', { through }),
  ).toMatchObject({
    exitCode: 7,
  })
  expect(writes).toHaveLength(4)
})

test('with --retries 0, a creation that was carried out is found, and one that was not is exit 7', async () => {
  const line = 'knowledge create --name Fresh --retries 0'
  const by = operator()
  expect(await by.run(line, { through: deployment({}).through })).toMatchObject({ exitCode: 0 })
  const other = operator()
  expect(await other.run(line, { through: deployment({}, { isCarriedOut: false }).through })).toMatchObject({
    exitCode: 7,
  })
})

test('when the search fails, the creation is exit 12 and is not repeated', async () => {
  const by = operator()
  const { through, writes } = deployment({})
  const run = await by.run('knowledge create --name Fresh', {
    through: async (handle, request) =>
      request.method === 'GET' && writes.length > 0
        ? { status: 503, headers: {}, body: 'unavailable' }
        : through(handle, request),
  })
  expect(run).toMatchObject({ exitCode: 12, stderr: expect.stringContaining('It could not be checked:') })
  expect(writes).toHaveLength(1)
})

test('a platform with idempotency gets the same request again under the same key, without a search', async () => {
  const by = operator()
  const keys: unknown[] = []
  const run = await by.run('knowledge create --name Fresh', {
    through: async (handle, request) => {
      const response = await handle(request)
      if (request.method !== 'POST') return response
      keys.push(request.headers['idempotency-key'])
      return keys.length === 1 ? throttled({ ...response.headers, 'retry-after': '1' }) : response
    },
  })
  expect(run).toMatchObject({
    exitCode: 0,
    requests: ['POST /api/user/knowledgebases', 'POST /api/user/knowledgebases'],
  })
  expect(keys[0]).toEqual(expect.any(String))
  expect(keys[1]).toBe(keys[0])
  expect(await count(by, 'knowledge list', 'name', 'Fresh')).toBe(1)
})

test('a deletion that was carried out and answered with 429 is done', async () => {
  const by = operator()
  const { through, writes } = deployment({})
  expect(await by.run('labels delete 3 --yes', { through })).toMatchObject({
    exitCode: 0,
    stdout: 'Label deleted by an earlier attempt.\n',
  })
  expect(writes).toHaveLength(2)
  expect(
    await by.run('labels delete 99 --yes', { through: deployment({}, { isCarriedOut: false }).through }),
  ).toMatchObject({
    exitCode: 4,
  })
})

test('an import reads once in each pause, creates every lead once, and leaves none out', async () => {
  const by = operator()
  const phones = Array.from({ length: 12 }, (_, n) => `+14155550${String(200 + n)}`)
  writeFileSync(join(by.cwd, 'leads.csv'), `phone_number\n${phones.join('\n')}\n`)
  const lists: string[] = []
  let posts = 0
  const seen = new Set<string>()
  const { through } = deployment({}, { rejected: [] })
  const run = await by.run('leads import --file leads.csv --campaign 1 --yes', {
    through: async (handle, request) => {
      if (request.method === 'GET' && posts > 0) lists.push(request.url)
      if (request.method !== 'POST') return through(handle, request)
      posts += 1
      const phone = JSON.parse(String(request.body)).phone_number
      const isFirst = !seen.has(phone)
      seen.add(phone)
      // Every third is not carried out, the others are, and all are rejected once.
      if (isFirst && posts % 3 === 0) return throttled()
      const response = await through(handle, request)
      return isFirst ? throttled() : response
    },
  })
  expect(run.exitCode, run.stdout + run.stderr).toBe(0)
  const listed = await by.json<{ phone_number: string }[]>('leads list --all --campaign 1')
  for (const phone of phones) expect(listed.filter(({ phone_number }) => phone_number === phone)).toHaveLength(1)
  expect(lists.every((it) => !it.includes('phone_number='))).toBe(true)
  expect(lists.length).toBeLessThan(phones.length)
})
