import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { code, hook } from '../../support/flow-definitions.ts'
import type { Handle } from '../../support/operator.ts'
import { operator } from '../../support/operator.ts'

/** A platform whose versions were published before an upgrade. */
const publishedBefore = async (handle: Handle, request: Parameters<Handle>[0]) => {
  const response = await handle(request)
  const text = String(response.body)
  return {
    ...response,
    body: text.includes('"engine":2') ? text.replaceAll('"engine":2', '"engine":1') : response.body,
  }
}

test('doctor names enabled automations that run differently since an upgrade, until they are published again', async () => {
  const by = operator()
  const flow = { trigger: hook, steps: [code('inputs.x', { x: '{{JSON.stringify({a: {b: 1}})}}' })] }
  writeFileSync(join(by.cwd, 'flow.json'), JSON.stringify(flow))
  const { automation_id: id } = await by.json(`automate create --name Braces --file flow.json --sample '{}'`)
  const findings = async (options?: object) =>
    JSON.parse((await by.run('doctor -o json', options)).stdout).filter(
      (it: { check: string }) => it.check === 'automation_engine',
    )
  expect(await findings()).toEqual([])
  expect(await findings({ through: publishedBefore })).toMatchObject([
    {
      status: 'warning',
      id,
      detail: expect.stringMatching(
        /^Automation "Braces" .*was published before an upgrade of the platform, and runs differently since\. step_1: .*braces inside it/,
      ),
      hint: `parley automate test ${id}`,
    },
  ])
  expect((await by.json('automate versions list Braces'))[0]).toMatchObject({ live: true, engine: 2 })
})
