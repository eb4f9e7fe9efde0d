import { expect, test } from 'vitest'
import { assistant, change, read, tool, write } from './code-folder.ts'
import { twoPlatforms } from './promotion/two-platforms.ts'

const local = (url: string): string => tool('local', '').replace('https://x.example', url)

test.each([
  ['http://localhost:3000/x', 'this machine: localhost:3000'],
  ['http://user:pass@127.8.9.1/x?key=secret', 'this machine: 127.8.9.1'],
  ['http://0.0.0.0:80/', 'this machine: 0.0.0.0'],
  ['http://[::1]:4000/', 'this machine: [::1]:4000'],
  ['https://api.localhost/', 'this machine: api.localhost'],
  ['http://crm.local/x', 'the local network: crm.local'],
])('a push of %s to another platform names the address in the plan and in JSON', async (url, where) => {
  const on = await twoPlatforms()
  write(on.by, 'tools/local.yaml', local(url))
  const sentence = `endpoint points to ${where}.`
  const planned = await on.run('push --profile staging --dry-run --json')
  expect(planned).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`tools/local.yaml: ${sentence}`) })
  expect(JSON.parse(planned.stdout)).toEqual([expect.objectContaining({ remark: sentence })])
  expect(planned.stderr + planned.stdout).not.toMatch(/pass|secret/)
  const pushed = await on.run('push --profile staging --json')
  expect([pushed.exitCode, JSON.parse(pushed.stdout)]).toEqual([0, [expect.objectContaining({ remark: sentence })]])
})

test('a push to the local platform, and of an address elsewhere, has no remark', async () => {
  const on = await twoPlatforms()
  write(on.by, 'tools/local.yaml', local('http://localhost:3000/x'))
  expect(await on.run('push --profile local')).toMatchObject({
    exitCode: 0,
    stderr: expect.not.stringMatching('points'),
  })
  write(on.by, 'tools/local.yaml', local('https://localhost.example/x'))
  expect(await on.run('push --profile staging')).toMatchObject({
    exitCode: 0,
    stderr: expect.not.stringMatching('points'),
  })
})

test('a promotion names tools, webhooks and trunks that point to this machine', async () => {
  const on = await twoPlatforms()
  for (const line of [
    'tools update lookup_patient --endpoint http://localhost:3000/x',
    'assistants update "Front desk" --webhook-url http://127.0.0.1:9/hook',
    'sip-trunks update 2001 --sip-address pbx.local',
  ]) {
    const done = await on.run(`${line} --profile staging --yes`)
    expect(done.exitCode, done.stderr).toBe(0)
  }
  const names = 'tools/lookup-patient assistants/front-desk sip-trunks/2001'
  const line = `promote ${names} --from staging --to production --confirm production --json`
  const [planned, promoted] = [await on.run(`${line} --dry-run`), await on.run(line)]
  for (const run of [planned, promoted]) {
    expect(run.exitCode, run.stderr).toBe(0)
    expect(JSON.parse(run.stdout).map(({ file, remark }: Record<string, unknown>) => [file, remark])).toEqual([
      ['sip-trunks/2001.yaml', 'sip_address points to the local network: pbx.local.'],
      ['tools/lookup-patient.yaml', 'endpoint points to this machine: localhost:3000.'],
      ['assistants/front-desk.yaml', 'webhook_url points to this machine: 127.0.0.1:9.'],
    ])
    expect(run.stderr).toContain('warning: tools/lookup-patient.yaml: endpoint points to this machine: localhost:3000.')
  }
})

test('fields that this version does not know are named in the plan of a promotion and of a push, and are sent', async () => {
  // The platform of the source is newer: its parameters have a list of values.
  const bodies: string[] = []
  const on = await twoPlatforms(undefined, async (handle, request) => {
    if (request.method === 'PUT') bodies.push(request.body ?? '')
    const response = await handle(request)
    return request.url.startsWith('/api/user/tools') && request.method === 'GET'
      ? { ...response, body: response.body.replaceAll('"required":', '"values":{"of":["mon"]},"required":') }
      : response
  })
  await on.run('tools update book_appointment --profile production --description Other')
  const { schema } = await on.json('production', 'tools get book_appointment')
  expect(schema[0].values).toEqual({ of: ['mon'] })
  const sentence = `This version does not know, and sends unchanged: ${schema.map((_: unknown, n: number) => `schema.${n}.values`).join(', ')}.`
  const planned = await on.run('promote tools/book-appointment --from production --to staging --dry-run --json')
  expect(planned.stderr).toContain(`tools/book-appointment.yaml: ${sentence}`)
  expect(JSON.parse(planned.stdout)).toEqual([expect.objectContaining({ remark: sentence })])
  await on.run('pull --profile production')
  expect(read(on.by, 'tools/book-appointment.yaml')).toMatch(/values:\n\s+of:\n\s+- mon/)
  const pushed = await on.run('push tools/book-appointment --profile staging --force-local --dry-run --json')
  expect(JSON.parse(pushed.stdout)).toEqual([expect.objectContaining({ remark: sentence })])
  // A push to the newer platform sends them.
  change(on.by, 'tools/book-appointment.yaml', 'required: true', 'required: false')
  await on.run('push tools/book-appointment --profile production')
  expect(bodies.join()).toContain('"values":{"of":["mon"]}')
})

test('everything that a push would refuse is named at once', async () => {
  const on = await twoPlatforms()
  write(
    on.by,
    'assistants/new.yaml',
    assistant('New', 'tool_ids:\n  - nothing\n  - nobody\n').replace('inbound', 'inbund'),
  )
  write(on.by, 'tools/a.yaml', tool('a').replace('GET', 'GOT'))
  write(on.by, 'tools/b.yaml', tool('b', 'headers:\n  - name: X-Key\n    value: $' + '{B_KEY}\n'))
  for (const flag of ['--check', '--dry-run', '--yes']) {
    const refused = await on.run(`push ${flag} --profile staging`)
    expect(refused.exitCode).toBe(2)
    for (const part of [
      '"inbund"',
      '"GOT"',
      'tool "nothing" not found',
      'tool "nobody" not found',
      'B_KEY, which is not set',
    ])
      expect(refused.stderr).toContain(part)
  }
  write(on.by, 'tools/c.yaml', 'name: c\nfoo: 1\n')
  write(on.by, 'folders/d.yaml', 'color: red\n')
  expect(await on.run('push --check --profile staging')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/name is missing[\s\S]*unknown field "foo"/),
  })
})
