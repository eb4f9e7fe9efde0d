import { expect, test } from 'vitest'
import { productionUrl, stagingUrl, twoPlatforms } from './two-platforms.ts'

const confirmed = '--from staging --to production --confirm production'

test('promote refuses a word that names no resource and a field that does not exist, and sends nothing', async () => {
  const on = await twoPlatforms()
  await on.run('--profile staging assistants update 1 --max-duration 111')
  on.takeWrites()
  for (const [words, text] of [
    ['front-desk', '"front-desk" is not the kind and name of a resource.'],
    ['assistants', '--only assistants for all of a kind.'],
    ['undo assistants/front-desk', '"undo" is not the kind and name of a resource.'],
    ['--skip-fields max_duratoin,nope', 'Unknown field in --skip-fields: "max_duratoin", "nope".'],
  ])
    expect(await on.run(`promote ${words} ${confirmed}`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(text as string),
    })
  expect(on.takeWrites()).toEqual([])
})

test('the address of an automation becomes that of the target, and is missing while the target lacks the automation', async () => {
  const on = await twoPlatforms()
  const [{ id }] = await on.json('staging', 'automate list')
  const path = '/automate/api/v1/webhooks'
  const update = `--profile staging assistants update Recall --webhook-url ${stagingUrl}${path}/${id}/sync`
  expect(await on.run(update)).toMatchObject({ exitCode: 0 })
  const name = (await on.json('staging', `automate get ${id}`)).name
  expect(await on.run(['--profile', 'production', 'automate', 'update', id, '--name', 'Other'])).toMatchObject({
    exitCode: 0,
  })
  on.takeWrites()
  const line = `promote assistants/recall ${confirmed}`
  expect(await on.run(line)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(
      `assistants/recall.yaml: webhook_url: no automation "${name}", whose address it is.`,
    ),
  })
  expect(await on.run(`${line} --skip-fields webhook_url`)).toMatchObject({ exitCode: 0 })
  expect(on.takeWrites()).toEqual([])
  await on.run(['--profile', 'production', 'automate', 'update', id, '--name', name])
  const done = await on.run(line)
  expect(done.exitCode, done.stderr).toBe(0)
  expect((await on.json('production', 'assistants get Recall')).webhook_url).toBe(`${productionUrl}${path}/${id}/sync`)
  on.takeWrites()
  expect(await on.run(line)).toMatchObject({ exitCode: 0, stdout: '' })
  expect(on.takeWrites()).toEqual([])
})

test('a field that the target accepts without taking it is named, and is sent again', async () => {
  const on = await twoPlatforms(undefined, async (handle, request) => {
    if (request.method !== 'PUT' || !request.url.startsWith('/api/user/tools/')) return handle(request)
    const { timeout: _, ...body } = JSON.parse(String(request.body))
    return handle({ ...request, body: JSON.stringify(body) })
  })
  await on.run('--profile staging tools update 2 --tool-timeout 20')
  for (const attempt of [1, 2]) {
    on.takeWrites()
    const run = await on.run(`promote ${confirmed}`)
    expect([attempt, run.exitCode]).toEqual([attempt, 20])
    expect(run.stderr).toContain('the profiles still differ: tools/book-appointment.yaml (timeout)')
    expect(on.takeWrites()).toHaveLength(1)
  }
})
