import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { code, hook, http } from '../../../support/flow-definitions.ts'
import type { Operator } from '../../../support/operator.ts'
import { change, path, pulled, read } from './code-folder.ts'
import { twoPlatforms } from './promotion/two-platforms.ts'

const hours = 'automations/opening-hours.yaml'
/** What `automate diff` prints of a change of the name of the last step. */
const renamed = (from: string, to: string): string => `~ step_2 (${to}) changed\n    displayName: "${from}" -> "${to}"`
const indented = (text: string, by: string): string => text.replaceAll(/^/gm, by)

async function changeOnPlatform(by: Operator, from: string, to: string): Promise<void> {
  writeFileSync(join(by.cwd, 'remote.yaml'), read(by, hours).replace(from, to))
  const updated = await by.run('automate update "Opening hours" --file remote.yaml --yes')
  expect(updated.exitCode, updated.stderr).toBe(0)
}

describe('the changed steps of an automation are shown', () => {
  test('by diff, its reports and the plan of a push, as automate diff shows them', async () => {
    const by = await pulled()
    change(by, hours, 'displayName: Answer', 'displayName: Reply')
    const steps = renamed('Answer', 'Reply')
    expect((await by.run(['automate', 'diff', 'Opening hours', '--file', path(by, hours)])).stdout).toContain(steps)
    expect((await by.run('diff --markdown report.md --junit report.xml')).stdout).toBe(
      `${hours}: changed locally\n${indented(steps, '  ')}\n`,
    )
    for (const report of ['report.md', 'report.xml'])
      expect(readFileSync(join(by.cwd, report), 'utf8')).toMatch(/displayName: (&quot;|")Answer(&quot;|") -/)
    const plan = `Plan:\n  update ${hours} (flow)\n${indented(steps, '    ')}\n`
    expect((await by.run('push --dry-run')).stderr).toContain(plan)
    expect(await by.run('push')).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(plan) })
  })

  test('by a conflict, for each side, and in full where a push overwrites them', async () => {
    const by = await pulled()
    const long = `Reply ${'of the practice '.repeat(12)}end`
    await changeOnPlatform(by, 'displayName: Answer', `displayName: ${long}`)
    change(by, hours, 'displayName: Answer', 'displayName: Respond')
    const refused = await by.run('push')
    expect(refused.exitCode).toBe(5)
    expect(refused.stderr).toContain(`${hours}: flow.steps.step_2: changed in both:\n  platform:\n    ~ step_2 (Reply`)
    expect(refused.stderr).toContain(`\n  file:\n${indented(renamed('Answer', 'Respond'), '    ')}\n`)
    expect(refused.stderr).not.toContain('"settings"')
    const forced = await by.run('push --force-local --yes')
    expect(forced.stderr).toContain(
      `Overwritten on the platform:\n  ${hours}: flow.steps.step_2:\n    ~ step_2 (Respond)`,
    )
    expect(forced.stderr).toContain(long)
    expect(forced).toMatchObject({ exitCode: 0 })
  })

  test('by the plan and a conflict of a promotion, and by history diff and the undo of it', async () => {
    const on = await twoPlatforms()
    const promote = 'promote --from staging --to production --confirm production'
    const update = async (profile: string, name: string, source: string): Promise<void> => {
      const flow = JSON.stringify({ trigger: hook, steps: [{ ...code(source), displayName: name, name: 'step_1' }] })
      const verb = (await on.json(profile as never, 'automate list')).some(
        (it: { name: string }) => it.name === 'Count',
      )
        ? ['update', 'Count']
        : ['create', '--name', 'Count']
      const run = await on.run(['--profile', profile, 'automate', ...verb, '--flow', flow, '--yes'])
      expect(run.exitCode, run.stderr).toBe(0)
    }
    await update('staging', 'Compute', '1')
    expect(await on.run(promote)).toMatchObject({ exitCode: 0 })
    await update('staging', 'Count', '1')
    const steps = '~ step_1 (Count) changed\n    displayName: "Compute" -> "Count"'
    const done = await on.run(promote)
    expect(done).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`change automations/count.yaml (live)\n${indented(steps, '    ')}\n`),
    })
    const entry = /history undo (\d+)/.exec(done.stderr)?.[1]
    const diff = await on.run(`--profile production history diff ${entry}`)
    expect(diff.stdout).toBe(`${indented(steps, 'automations/count.yaml: ')}\n`)
    await update('production', 'Sum', '1')
    await update('staging', 'Add', '1')
    const refused = await on.run(promote)
    expect(refused.exitCode).toBe(5)
    expect(refused.stderr).toContain('profile "production":\n    ~ step_1 (Sum) changed\n')
    expect(refused.stderr).toContain('profile "staging":\n    ~ step_1 (Add) changed\n')
    const undo = await on.run('promote undo --to production --confirm production')
    expect(undo).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('~ step_1 (Compute) changed') })
  })

  test('by an undo of a change after which they were changed again, in full with --force', async () => {
    const by = await pulled()
    await changeOnPlatform(by, 'displayName: Answer', 'displayName: Reply')
    const removed = { ...code(`'${'contacts '.repeat(30)}end'`), displayName: 'Read' }
    await by.run([
      'automate',
      'update',
      'Opening hours',
      '--flow',
      JSON.stringify({
        trigger: hook,
        steps: [
          { ...code('1'), name: 'step_1' },
          { ...removed, name: 'step_9' },
        ],
      }),
      '--yes',
    ])
    const refused = await by.run('history undo 1 --yes')
    expect(refused.exitCode).toBe(5)
    expect(refused.stderr).toContain('flow: changed since:\n')
    expect(refused.stderr).toContain('+ step_9 (Read) added, main\n')
    expect(refused.stderr).toContain('- step_2 (Reply) removed, main\n')
    expect(refused.stderr).not.toContain('{"trigger"')
    const forced = await by.run('history undo 1 --yes --force')
    expect(forced.exitCode, forced.stderr).toBe(0)
    const lost = forced.stderr.split('Bound to')[0] as string
    expect(lost).toContain('overwritten with --force:\n  flow:\n')
    expect(lost).toContain('    - step_9 (Read) removed, main\n')
    expect(lost).toContain(`${'contacts '.repeat(30)}end`)
    expect(lost).not.toContain('{"trigger"')
  })

  test('by --if-unchanged', async () => {
    const by = await pulled()
    writeFileSync(join(by.cwd, 'read.json'), (await by.run('automate get "Opening hours" -o json')).stdout)
    await changeOnPlatform(by, 'displayName: Answer', 'displayName: Reply')
    const refused = await by.run('automate update "Opening hours" --name Hours --if-unchanged read.json')
    expect(refused.exitCode).toBe(5)
    expect(refused.stderr).toContain(`definition: ${indented(renamed('Answer', 'Reply'), '  ').trim()}`)
  })

  test('without secrets', async () => {
    const by = await pulled()
    const secret = 'Bearer very-secret-token-1'
    const flow = (name: string, token: string) =>
      JSON.stringify({
        trigger: hook,
        steps: [
          {
            ...http('GET', 'https://crm.example', { headers: { authorization: token } }),
            displayName: name,
            name: 'step_1',
          },
        ],
      })
    await by.run(['automate', 'create', '--name', 'Ask', '--flow', flow('Ask', secret), '--yes'])
    expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
    await by.run([
      ...['automate', 'update', 'Ask', '--flow', flow('Look', 'Bearer another-token-22')],
      ...['--no-rollback-on-failure', '--yes'],
    ])
    expect((await by.json('automate get Ask')).definition.nextAction.displayName).toBe('Look')
    change(by, 'automations/ask.yaml', 'displayName: Ask', 'displayName: Read')
    const env = { ASK_STEP_1_AUTHORIZATION: 'Bearer third-token-333' }
    for (const line of ['diff', 'push', 'push --force-local --yes --dry-run', 'history undo 1 --yes --force']) {
      const { stdout, stderr } = await by.run(line, { env })
      expect(stdout + stderr).toMatch(/step_1|created/)
      expect(stdout + stderr).not.toMatch(/very-secret|another-token|third-token/)
    }
  })
})
