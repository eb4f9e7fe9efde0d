import { expect, test } from 'vitest'
import { withFirstEngine } from '../../../upgrade/fixture.ts'

/** The automations of the fixture whose meaning an upgrade changes, and what doctor says of each. */
const changes: Readonly<Record<string, string>> = {
  branches: 'step_1: its steps for success and failure run.',
  braces: 'step_1: {{[{a:{b:1}}][0].a.b}} is read with the braces inside it.',
  errorref: 'step_2: {{step_1.error.message}} has the error of step_1.',
  intl: 'step_1: its code gets the language and time zone that it names.',
  compare: 'step_1: its code gets the language and time zone that it names.',
  texts: 'step_1: errors have other messages.',
  texts2: 'step_1: errors have other messages.',
  loop: 'step_3: {{step_2}} is always empty: step_2 is in the loop step_1',
  later: 'step_2: {{step_3}} is always empty: step_3 runs after this step.',
  reject: 'step_1: a rejected promise that its code does not handle fails the step.',
  rejectlater: 'step_1: a rejected promise that its code does not handle fails the step.',
  retry: 'step_1: every failure is tried again, not only those that may pass.',
}

test('doctor names enabled automations that run differently since an upgrade, until they are published again', async () => {
  const by = withFirstEngine()
  const findings = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      (JSON.parse((await by.run('doctor -o json')).stdout) as { check: string; detail: string; hint: string }[])
        .filter((it) => it.check === 'automation_engine')
        .map(({ detail }) => [/^Automation "(.+?)"/.exec(detail)?.[1] ?? detail, detail]),
    )
  const found = await findings()
  expect(Object.keys(found).sort()).toEqual(Object.keys(changes).sort())
  for (const [name, change] of Object.entries(changes)) {
    expect(found[name]).toContain('was published before an upgrade of the platform, and runs differently since.')
    expect(found[name]).toContain(change)
  }
  expect((await by.json('automate versions list plain'))[0]).toMatchObject({ live: true, engine: 1 })

  const { definition } = await by.json('automate get retry')
  const flow = JSON.stringify({ flow: { trigger: definition, steps: [] }, sample: { x: 1 } })
  const changed = await by.run('automate update retry --file - --yes', { stdin: flow.replace('return 1', 'return 2') })
  expect([changed.exitCode, changed.stderr]).toEqual([0, expect.any(String)])
  expect((await by.json('automate versions list retry'))[0]).toMatchObject({ live: true, engine: 2 })
  expect(Object.keys(await findings())).not.toContain('retry')
})
