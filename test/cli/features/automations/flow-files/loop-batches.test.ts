import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { code, hook } from '../../../../support/flow-definitions.ts'
import { operator } from '../../../../support/operator.ts'

const loop = {
  name: 'step_1',
  type: 'LOOP_ON_ITEMS',
  displayName: 'Each lead',
  settings: { items: "{{trigger['body']['leads']}}", batchSize: 25 },
  firstLoopAction: { name: 'step_2', ...code('1') },
}

test('lint, test and create name the step and the setting of a loop over batches, and what to do instead', async () => {
  const { cwd, run } = operator()
  writeFileSync(
    join(cwd, 'export.json'),
    JSON.stringify({
      name: 'Imported',
      flows: [{ displayName: 'Imported', trigger: { ...hook, nextAction: loop } }],
    }),
  )
  for (const [line, exitCode] of [
    ['automate lint --file export.json', 20],
    ['automate test --file export.json --sample {}', 2],
    ['automate create --name Imported --file export.json', 6],
  ] as const) {
    const shown = await run(line)
    const text = shown.stdout + shown.stderr
    expect(text, line).toContain('settings.batchSize')
    expect(text, line).toContain('step_1')
    expect(text, line).toContain('Loops over batches are not supported: each iteration has one item.')
    expect(shown.exitCode, line).toBe(exitCode)
  }
})
