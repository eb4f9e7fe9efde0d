import { rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'
import { change, path, pulled, read, tool, write, writes } from './code-folder.ts'

// Somebody changes a resource while a push of many files runs: after it was compared, and before its own write.

const names = ['alpha', 'beta', 'gamma']

/** A folder with three tools, each changed in its file. Returns their ids by name. */
async function threeTools(): Promise<{ by: Operator; ids: Record<string, number> }> {
  const by = operator()
  expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
  for (const name of names) write(by, `tools/${name}.yaml`, tool(name))
  expect(await by.run('push')).toMatchObject({ exitCode: 0 })
  const listed = await by.json<{ id: number; name: string }[]>('tools list')
  return { by, ids: Object.fromEntries(listed.map((it) => [it.name, it.id])) }
}

/** Runs `interfere` once, right before the first request that `isMoment` matches is carried out. */
const once = (
  isMoment: (method: string, url: string) => boolean,
  interfere: () => Promise<unknown>,
): NonNullable<RunOptions['through']> => {
  let isDone = false
  return async (handle, request) => {
    if (!isDone && isMoment(request.method, request.url)) {
      isDone = true
      await interfere()
    }
    return handle(request)
  }
}

const firstWrite = (method: string): boolean => method === 'PUT'

describe('a resource that is changed while a push runs', () => {
  test.each(['push --yes', 'push'])('%s does not overwrite it, writes the others, and exits with 5', async (line) => {
    const { by, ids } = await threeTools()
    for (const name of names) change(by, `tools/${name}.yaml`, 'Some tool.', 'My text')
    const { exitCode, stdout, stderr } = await by.run(`${line} --json`, {
      through: once(firstWrite, () => by.run(['tools', 'update', String(ids.gamma), '--description', 'Their text'])),
    })
    expect([exitCode, JSON.parse(stdout)], stderr).toMatchObject([
      5,
      [
        { file: 'tools/alpha.yaml', done: 'updated' },
        { file: 'tools/beta.yaml', done: 'updated' },
        { file: 'tools/gamma.yaml', done: 'conflict', remark: expect.stringContaining('"Some tool." -> "Their text"') },
      ],
    ])
    expect(await by.json(`tools get ${ids.gamma}`)).toMatchObject({ description: 'Their text' })
    expect(await by.json(`tools get ${ids.beta}`)).toMatchObject({ description: 'My text' })
    const again = await by.run('push --yes')
    expect([again.exitCode, writes(again.requests)], again.stderr).toEqual([5, []])
  })

  test('and a file that fails for another reason exit with 11', async () => {
    const { by, ids } = await threeTools()
    for (const name of names) change(by, `tools/${name}.yaml`, 'Some tool.', 'My text')
    let isChanged = false
    const { exitCode, stdout } = await by.run('push --yes --json', {
      async through(handle, request) {
        if (request.method === 'PUT' && !isChanged) {
          isChanged = true
          await by.run(['tools', 'update', String(ids.gamma), '--description', 'Their text'])
          return { status: 422, headers: { 'content-type': 'application/json' }, body: '{"message":"No."}' }
        }
        return handle(request)
      },
    })
    expect(exitCode).toBe(11)
    expect(JSON.parse(stdout)).toMatchObject([{ done: 'failed' }, { done: 'updated' }, { done: 'conflict' }])
  })

  test('is not written when it is deleted, and not deleted when it is changed', async () => {
    const { by, ids } = await threeTools()
    change(by, 'tools/alpha.yaml', 'Some tool.', 'My text')
    change(by, 'tools/beta.yaml', 'Some tool.', 'My text')
    rmSync(path(by, 'tools/gamma.yaml'))
    const { exitCode, stdout } = await by.run('push --prune --yes --json', {
      through: once(firstWrite, async () => {
        await by.run(`tools delete ${ids.beta} --yes`)
        await by.run(['tools', 'update', String(ids.gamma), '--description', 'Their text'])
      }),
    })
    expect(JSON.parse(stdout)).toMatchObject([
      { file: 'tools/alpha.yaml', done: 'updated' },
      { file: 'tools/beta.yaml', done: 'conflict', remark: expect.stringContaining('was deleted on the platform') },
      { file: 'tools/gamma.yaml', done: 'conflict', remark: expect.stringContaining('Their text') },
    ])
    expect(exitCode).toBe(5)
    expect(await by.json(`tools get ${ids.gamma}`)).toMatchObject({ description: 'Their text' })
  })
})

describe('a secret that somebody replaces', () => {
  const header = (value: string) => ['--header', `Authorization: ${value}`]
  const env = { CRM_AUTHORIZATION: 'Bearer first-secret-value' }
  async function toolWithSecret(): Promise<{ by: Operator; id: number }> {
    const by = await pulled()
    const secret = 'headers:\n  - name: Authorization\n    value: ${CRM_AUTHORIZATION}\n'
    write(by, 'tools/crm.yaml', tool('crm', secret))
    expect(await by.run('push', { env })).toMatchObject({ exitCode: 0 })
    const { id } = (await by.json('tools list')).find((it: { name: string }) => it.name === 'crm')
    by.wait(60_000)
    return { by, id }
  }

  test('is a conflict for a push whose environment has another value, and is not overwritten', async () => {
    const { by, id } = await toolWithSecret()
    await by.run(['tools', 'update', String(id), ...header('Bearer their-secret-value')])
    const refused = await by.run('push --yes', { env })
    expect([refused.exitCode, writes(refused.requests)], refused.stderr).toEqual([5, []])
    expect(refused.stderr).toMatch(/tools\/crm.yaml: headers.*secret/)
    expect(refused.stderr).not.toMatch(/first-secret|their-secret/)
    const pull = await by.run('pull', { env })
    expect([pull.exitCode, read(by, 'tools/crm.yaml')], pull.stderr).toEqual([
      0,
      expect.stringContaining('${CRM_AUTHORIZATION}'),
    ])
    expect(await by.run('push --yes', { env })).toMatchObject({ exitCode: 5 })
    const forced = await by.run('push --force-local --yes -q', { env })
    expect([forced.exitCode, writes(forced.requests)], forced.stderr).toMatchObject([0, [expect.any(String)]])
    expect(forced.stderr).toMatch(/a secret, which is not shown. Overwriting it cannot be undone: secret of headers/)
  })

  test('only in the environment is pushed without a question', async () => {
    const { by } = await toolWithSecret()
    const run = await by.run('push', { env: { CRM_AUTHORIZATION: 'Bearer new-secret-value' } })
    expect([run.exitCode, writes(run.requests)], run.stderr).toMatchObject([0, [expect.any(String)]])
    expect(await by.run('push --check', { env: { CRM_AUTHORIZATION: 'Bearer new-secret-value' } })).toMatchObject({
      exitCode: 0,
    })
  })

  test('while a push runs is not overwritten', async () => {
    const { by, id } = await toolWithSecret()
    write(by, 'tools/aaa.yaml', tool('aaa'))
    const run = await by.run('push --yes', {
      env: { CRM_AUTHORIZATION: 'Bearer new-secret-value' },
      through: once(
        (method) => method === 'POST',
        () => by.run(['tools', 'update', String(id), ...header('Bearer their-secret-value')]),
      ),
    })
    expect(run.exitCode, run.stderr).toBe(5)
    expect(run.stdout).toContain('a value that is not shown was changed')
  })

  test('behind the mask of a platform that shows no secrets is noticed by the time of the change', async () => {
    const { by, id } = await toolWithSecret()
    change(by, 'tools/crm.yaml', 'Some tool.', 'My text')
    write(by, 'tools/aaa.yaml', tool('aaa'))
    const interfere = once(
      (method) => method === 'POST',
      () => by.run(['tools', 'update', String(id), ...header('Bearer their-secret-value')]),
    )
    const run = await by.run('push --yes', {
      env,
      async through(handle, request) {
        const answer = await interfere(handle, request)
        return {
          ...answer,
          body: String(answer.body).replaceAll(/Bearer [a-z]+-secret-value/g, '••• hidden'),
        }
      },
    })
    expect(run.exitCode, run.stderr).toBe(5)
    expect(run.stdout).toContain('a secret may be another one')
  })
})
