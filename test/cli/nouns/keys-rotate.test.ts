import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operator } from '../../support/operator.ts'

type Key = { readonly id: number; readonly name: string; readonly scope?: string; readonly nouns?: string[] }
type Handle = NonNullable<NonNullable<Parameters<ReturnType<typeof operator>['run']>[1]>['through']>

async function signedIn(by: ReturnType<typeof operator>, flags = ''): Promise<string> {
  const token = (await by.run(`keys create --name deploy ${flags} -o id`)).stdout.trim()
  await by.run('login second --url embedded: --api-key-stdin', { stdin: token })
  return token
}
const keysOf = async (by: ReturnType<typeof operator>): Promise<Key[]> =>
  (await by.json('keys list --profile local')).filter((it: Key) => it.name === 'deploy')

test('keys rotate replaces the key of the profile by one with the same restrictions, and prints no secret', async () => {
  const by = operator()
  const token = await signedIn(by, '--scope spend --nouns keys,tools --expires 30d')
  const [old] = await keysOf(by)
  expect(await by.run('keys rotate --profile second')).toMatchObject({ exitCode: 10 })
  const done = await by.run('keys rotate --profile second --yes --json')
  expect(done.exitCode).toBe(0)
  const [key, ...others] = await keysOf(by)
  expect(others).toEqual([])
  expect(JSON.parse(done.stdout)).toEqual({
    profile: 'second',
    name: 'deploy',
    old_id: old?.id,
    new_id: key?.id,
    deleted: true,
    saved_in: 'file',
  })
  expect(key).toMatchObject({ scope: 'spend', nouns: ['keys', 'tools'] })
  expect(done.stdout + done.stderr).not.toMatch(/\d+\|\w{20}/)
  expect((await by.run('tools list --profile second')).exitCode).toBe(0)
  expect((await by.run('whoami', { env: { PARLEY_API_KEY: token, PARLEY_PROFILE: undefined } })).exitCode).toBe(3)
})

test('--keep-old keeps the old key for other clients', async () => {
  const by = operator()
  await signedIn(by)
  expect(await by.json('keys rotate --profile second --keep-old --yes')).toMatchObject({ deleted: false })
  expect(await keysOf(by)).toHaveLength(2)
})

test('a key that does not come from the profile is refused, with the way to replace it', async () => {
  const by = operator()
  expect(await by.run('keys rotate --yes')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('accounts key'),
  })
})

test('a key that the profile got while the question was open stays', async () => {
  const by = operator()
  await signedIn(by)
  const other = (await by.run('keys create --name other -o id')).stdout.trim()
  const replaced = async (): Promise<boolean> => {
    await by.run('profile set second --api-key-stdin', { stdin: other })
    return true
  }
  const { exitCode, stderr } = await by.run('keys rotate --profile second', {
    answers: [[/Replace API key/, replaced]],
  })
  expect(exitCode, stderr).toBe(5)
  expect(stderr).toContain('got another key in the meantime')
  expect(await keysOf(by)).toHaveLength(1)
  expect(JSON.stringify(readFileSync(join(by.configDir, 'config.json'), 'utf8'))).toContain(other)
})

test('a new key that the platform does not accept is deleted, and the profile keeps the old one', async () => {
  const by = operator()
  const token = await signedIn(by)
  const through: Handle = (handle, request) =>
    request.url === '/api/user/me' && request.headers.authorization !== `Bearer ${token}`
      ? Promise.resolve({ status: 401, headers: {}, body: '{"message":"Unauthenticated."}' })
      : handle(request)
  expect(await by.run('keys rotate --profile second --yes', { through })).toMatchObject({ exitCode: 5 })
  expect(await keysOf(by)).toHaveLength(1)
  expect((await by.run('whoami --profile second')).exitCode).toBe(0)
})

test.each([
  ['creates the key', 'POST', '/api/user/api-keys'],
  ['proves it', 'GET', '/api/user/me'],
  ['deletes the old one', 'DELETE', '/api/user/api-keys/'],
])(
  'an interruption when it %s leaves a profile that works, and the next rotation finishes',
  async (_, method, path) => {
    const by = operator()
    await signedIn(by)
    let isSent = false
    const through: Handle = async (handle, request) => {
      const isMeant = request.method === method && request.url.startsWith(path)
      // The request takes effect, and its answer is lost.
      const answer = await handle(request)
      if (!isMeant || isSent) return answer
      isSent = true
      throw new Error('the connection was reset')
    }
    await by.run('keys rotate --profile second --yes', { through })
    expect(isSent).toBe(true)
    expect((await by.run('whoami --profile second')).exitCode).toBe(0)
    const done = await by.run('keys rotate --profile second --yes')
    expect(done.exitCode).toBe(0)
    expect((await by.run('whoami --profile second')).exitCode).toBe(0)
    const left = (await keysOf(by)).slice(0, -1)
    // Only the platform knows the id of a key whose creation was not answered.
    expect(left).toHaveLength(method === 'POST' ? 1 : 0)
    for (const { id } of left) expect(done.stderr).toContain(`parley keys delete ${id}`)
    expect(readFileSync(join(by.configDir, 'config.json'), 'utf8').match(/"api_key"/g)).toHaveLength(1)
  },
)

test.each([
  ['POST', '/api/user/api-keys', /Profile "second" uses the old key\. A new key may have been created\./],
  ['GET', '/api/user/me', /uses the old key \(\d+\)\. Key "deploy" \(\d+\) was created and is not used\./],
  ['DELETE', '/api/user/api-keys/', /uses the new key "deploy" \(\d+\)\. The old key \(\d+\) may not be deleted\./],
])('Ctrl-C and SIGTERM at %s %s say what is left, and that the same command finishes', async (method, path, left) => {
  for (const code of [130, 143]) {
    const by = operator()
    await signedIn(by)
    const interrupt = new AbortController()
    const through: Handle = async (handle, request) => {
      const answer = await handle(request)
      if (request.method === method && request.url.startsWith(path)) interrupt.abort(code)
      return answer
    }
    const { exitCode, stderr } = await by.run('keys rotate --profile second --yes', { through, interrupt })
    expect(exitCode, stderr).toBe(code)
    expect(stderr).toMatch(left)
    expect(stderr).toContain('To finish, run the same command again.')
    expect((await by.run('whoami --profile second')).exitCode).toBe(0)
    expect((await by.run('keys rotate --profile second --yes')).exitCode).toBe(0)
    expect((await by.run('whoami --profile second')).exitCode).toBe(0)
    expect(await keysOf(by)).toHaveLength(method === 'POST' ? 2 : 1)
  }
})

describe('a command that runs while the key of its profile is replaced', () => {
  /** Does something before the first request of a command is handled. */
  const first = (work: () => Promise<unknown>): Handle => {
    let working: Promise<unknown> | undefined
    return async (handle, request) => {
      working ??= work()
      await working
      return handle(request)
    }
  }
  const create = 'tools create --name once --description Once --method GET --endpoint https://once.example/x'
  const named = async (by: ReturnType<typeof operator>, profile: string): Promise<unknown[]> =>
    (await by.json(`tools list --profile ${profile}`)).filter((it: { name: string }) => it.name === 'once')

  test('continues with the new key, and does its work once', async () => {
    const by = operator()
    await signedIn(by)
    const rotate = async (): Promise<void> => {
      expect(await by.run('keys rotate --profile second --yes')).toMatchObject({ exitCode: 0 })
    }
    for (const line of ['whoami', create, 'sms send --from 4 --to +14155550142 --body Hello --yes']) {
      const { exitCode, stderr } = await by.run(`${line} --profile second`, { through: first(rotate) })
      expect(exitCode, stderr).toBe(0)
    }
    expect(await named(by, 'second')).toHaveLength(1)
  })

  test('fails, and does nothing, if the profile has the key of another account now', async () => {
    const by = operator()
    await signedIn(by)
    const { key } = await by.json('server accounts create --name Other --email other@example.com')
    await by.run('login third --url embedded: --api-key-stdin', { stdin: key })
    for (const profile of ['second', 'third']) await by.run(`whoami --profile ${profile}`)
    const [{ id } = { id: 0 }] = await keysOf(by)
    const replace = async (): Promise<void> => {
      await by.run('profile set second --api-key-stdin', { stdin: key })
      expect(await by.run(`keys delete ${id} --profile local --yes`)).toMatchObject({ exitCode: 0 })
    }
    expect(await by.run(`${create} --profile second`, { through: first(replace) })).toMatchObject({ exitCode: 3 })
    expect([await named(by, 'local'), await named(by, 'third')]).toEqual([[], []])
  })
})

test('the history of the account stays after its key was replaced', async () => {
  const by = operator()
  await signedIn(by)
  await by.run('tools update 1 --description Changed --profile second')
  const before = await by.json('history list --profile second')
  expect(before).toHaveLength(1)
  await by.run('keys rotate --profile second --yes')
  expect(await by.json('history list --profile second')).toEqual(before)
})

test.each(['finish', 'left over'])(
  'a rotation of another account, with the same ids, is not continued: %s',
  async (kind) => {
    const by = operator()
    await signedIn(by)
    const [key] = await keysOf(by)
    const ids = async (): Promise<number[]> => (await by.json('keys list --profile local')).map((it: Key) => it.id)
    const before = await ids()
    const folder = join(by.dataDir, 'rotations')
    mkdirSync(folder, { recursive: true })
    const there = kind === 'finish' ? { old: 2, new: key?.id } : { old: key?.id, new: 2 }
    for (const platform of [
      {},
      { base_url: 'https://other.example', old_created_at: '2026-01-01T00:00:00.000000Z' },
      { base_url: 'embedded:', old_created_at: '2026-01-01T00:00:00.000000Z' },
    ]) {
      writeFileSync(join(folder, 'second.json'), JSON.stringify({ ...there, ...platform }))
      expect(await by.run('keys rotate --profile second')).toMatchObject({ exitCode: 10 })
      expect(await ids()).toEqual(before)
    }
    const { new_id } = await by.json('keys rotate --profile second --yes')
    expect(await ids()).toEqual([...before.filter((id) => id !== key?.id), new_id])
  },
)
