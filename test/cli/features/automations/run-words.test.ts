import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callWebhook } from '../../../support/call-webhook.ts'
import { code, hook, respond } from '../../../support/flow-definitions.ts'
import { operator } from '../../../support/operator.ts'

test('a run that succeeded is not called stale when it is retried, and a failed one names no class of error', async () => {
  const by = operator()
  const steps = [
    code('inputs.fails ? inputs.missing.field : 1', { fails: "{{trigger['body']['fails']}}" }),
    respond({ ok: true }),
  ]
  writeFileSync(join(by.cwd, 'orders.json'), JSON.stringify({ trigger: hook, steps }))
  await by.run('automate create --name Orders --file orders.json')
  const { id } = (await by.json('automate list')).find((it: { name: string }) => it.name === 'Orders')
  const good = await callWebhook(by, id, {})
  const failed = await callWebhook(by, id, { fails: true })
  const retried = await by.run(`automate retry Orders --run ${good}`)
  expect(retried.exitCode, retried.stderr).toBe(5)
  expect(retried.stderr).toContain('This run cannot be resumed: it succeeded.')
  expect(retried.stderr).not.toContain('stale')
  const shown = await by.run(`automate runs get ${failed}`)
  expect(shown.stdout).toContain('Status    failed')
  expect(shown.stdout).not.toMatch(/wiring|FAILED/)
  expect((await by.json(`automate runs get ${failed}`)).steps[0]).toMatchObject({ classification: 'wiring_error' })
  expect((await by.run('automate runs list Orders --filter status=failed -o id')).stdout).toBe(`${failed}\n`)
})

test('a pull says what it did with each file, and a check says how they differ', async () => {
  const by = operator()
  expect((await by.run('pull --check')).stdout).toContain('remote only')
  const written = await by.run('pull')
  expect(written.stdout).toMatch(/tools\/\S+\t.*\tcreated\t/)
  expect(written.stdout).not.toContain('remote only')
  await by.run('tools update 1 --description "Another description"')
  expect((await by.run('pull')).stdout).toMatch(/tools\/\S+\t.*\tupdated\t/)
  expect(await by.json('pull --force-remote')).toEqual([])
})

test.each([
  ['calls list', 'status=ended by customer', 'status=ended_by_customer'],
  ['calls list', 'status=Ended by customer', 'status=ended_by_customer'],
  ['server deliveries list', 'event=post call', 'event=post_call'],
])('the words of a table select what the raw values select: %s --filter "%s"', async (line, words, raw) => {
  const by = operator()
  const [shown, expected] = [await by.json(`${line} --filter "${words}"`), await by.json(`${line} --filter "${raw}"`)]
  expect(expected.length).toBeGreaterThan(0)
  expect(shown).toEqual(expected)
})
