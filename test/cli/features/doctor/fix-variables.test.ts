import { expect, test } from 'vitest'
import { at } from '../../../support/altered-responses.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'
import { tidyAccount } from '../../../support/tidy-account.ts'

const apply = 'automate apply post-call-callback --assistant-id 1 --name Back --confirm-side-effects'

/** An account with an automation that filters on two variables that its assistant does not extract. */
async function account(): Promise<Operator & { extracted(): Promise<readonly string[]> }> {
  const by = await tidyAccount(operator())
  expect((await by.run(apply)).exitCode).toBe(0)
  const extracted = async (): Promise<readonly string[]> =>
    (await by.json('assistants get 1')).post_call_schema.map(({ name }: { readonly name: string }) => name)
  return { ...by, extracted }
}

test('doctor --fix adds the variables after confirmation, reads them back, and can be undone', async () => {
  const { run, json, extracted } = await account()
  const before = await extracted()
  expect(await json('doctor --voice')).toMatchObject([
    { check: 'balance', status: 'ok' },
    { check: 'automation_variables', hint: 'parley doctor --fix' },
  ])

  const refused = await run('doctor --fix')
  expect(refused).toMatchObject({ exitCode: 10, stdout: '' })
  expect(refused.stderr).toContain('callback_wanted, callback_time')
  expect(refused.stderr).toContain('Pass --yes to confirm.')
  const declined = await run('doctor --fix', { answers: [['Add the missing variables', false]] })
  expect(declined.exitCode).toBe(10)
  expect(declined.asked.join()).toMatch(
    /Add the missing variables to assistant ".+" \(1\): callback_wanted, callback_time\?/,
  )
  const preview = await run('doctor --voice --fix --dry-run')
  expect(preview.exitCode).toBe(0)
  expect(preview.stderr).toMatch(/Would add to assistant ".+" \(1\): callback_wanted, callback_time\./)
  expect(await extracted()).toEqual(before)

  const fixed = await run('doctor --voice --fix --yes --json')
  expect(fixed.exitCode).toBe(0)
  expect(JSON.parse(fixed.stdout)).toMatchObject([
    { check: 'balance', status: 'ok' },
    { check: 'account', status: 'ok' },
  ])
  expect(await extracted()).toEqual([...before, 'callback_wanted', 'callback_time'])
  expect((await json('assistants get 1')).post_call_schema.slice(-2)).toEqual([
    {
      name: 'callback_wanted',
      type: 'bool',
      description: 'Whether this is true for the caller: callback wanted',
    },
    {
      name: 'callback_time',
      type: 'string',
      description: 'What the caller said about this: callback time',
    },
  ])
  const again = await run('doctor --fix')
  expect(again.exitCode).toBe(0)
  expect(again.stderr).toContain('no assistant lacks a variable')

  const [entry] = await json('history list')
  await run(`history undo ${entry.entry} --yes`)
  expect(await extracted()).toEqual(before)
})

test('doctor --fix reports which variables are still missing on a platform that ignores the update', async () => {
  const { run, extracted } = await account()
  const before = await extracted()
  const { exitCode, stderr, stdout } = await run('doctor --voice --fix --yes --json', {
    through: async (handle, request) => {
      if (request.method !== 'PUT') return handle(request)
      const { post_call_schema: _, ...body } = JSON.parse(String(request.body))
      return handle({ ...request, body: JSON.stringify(body) })
    },
  })
  expect(exitCode).toBe(20)
  expect(stderr).toContain('was updated, but still does not extract callback_wanted, callback_time')
  expect(JSON.parse(stdout).at(-1)).toMatchObject({ check: 'automation_variables', status: 'warning' })
  expect(await extracted()).toEqual(before)
})

test('doctor --fix is refused in a read-only profile and needs the name of a protected one', async () => {
  const { run, extracted } = await account()
  const before = await extracted()
  await run('profile set local --protected')
  expect((await run('doctor --fix --yes')).exitCode).toBe(10)
  await run('profile set local --no-protected --read-only')
  expect((await run('doctor --fix --yes')).exitCode).toBe(2)
  expect(await extracted()).toEqual(before)
  await run('profile set local --no-read-only --protected')
  expect((await run('doctor --fix --yes --confirm local')).exitCode).toBe(0)
  expect(await extracted()).toHaveLength(before.length + 2)
})

test('doctor --fix names variables that no assistant can extract', async () => {
  const { run, json, extracted } = await account()
  const [{ id }] = (await json('automate list')).filter(({ name }: { readonly name: string }) => name === 'Back')
  const renamed: RunOptions = {
    through: async (handle, request) => {
      const answer = await handle(request)
      return request.method === 'GET' && request.url.split('?')[0] === `${at.flows}/${id}`
        ? { ...answer, body: String(answer.body).replaceAll('callback_wanted', 'CallbackWanted') }
        : answer
    },
  }
  const { stderr, exitCode } = await run('doctor --fix --yes', renamed)
  expect(exitCode).toBe(0)
  expect(stderr).toContain('filters on CallbackWanted, which no assistant can extract')
  expect(await extracted()).toContain('callback_time')
})
