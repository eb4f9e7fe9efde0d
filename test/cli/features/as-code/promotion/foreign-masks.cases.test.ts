import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../../../support/altered-responses.ts'
import { http, webhook } from '../../../../support/automation-nodes.ts'
import { everyNth } from '../../../../support/case-count.ts'
import { foreignMasks, hide } from '../../../../support/foreign-masks.ts'
import { type Operator, operator, type RunOptions } from '../../../../support/operator.ts'
import { type TwoPlatforms, twoPlatforms } from './two-platforms.ts'

// A target that shows its own mask in place of each credential: a promotion, its undo and a restore never store it.

const secret = 'very-secret-key-1'
const promote = 'promote --only tools --from staging --to production --confirm production'

/** A deployment with its own mask, which stores whatever it is sent. `written` has the bodies of its writes. */
function masking(mask: string) {
  const written: string[] = []
  const state = { isHiding: true }
  const through: NonNullable<RunOptions['through']> = async (handle, request) => {
    if (request.method !== 'GET') written.push(String(request.body ?? ''))
    const answer = await handle(request)
    if (!state.isHiding || !answer.body) return answer
    return { ...answer, body: JSON.stringify(hide(JSON.parse(String(answer.body)), mask)) }
  }
  return { through, written, state }
}

describe.each(everyNth(2, foreignMasks))('a target that shows %s', (mask) => {
  /** Both platforms have a tool with a credential; that of production is another one. */
  async function tools() {
    const target = masking(mask)
    const on = await twoPlatforms(undefined, target.through)
    for (const [profile, value] of [
      ['staging', 'secret-of-staging-1'],
      ['production', secret],
    ]) {
      const line = `--profile ${profile} tools create --name crm --description CRM --endpoint https://crm.example --method GET --header "X-Api-Key: ${value}" --header "Accept: a/b"`
      expect(await on.run(line)).toMatchObject({ exitCode: 0 })
    }
    target.written.length = 0
    const stored = async (): Promise<{ readonly headers: readonly { readonly value: string }[] }> => {
      target.state.isHiding = false
      const tool = await on.json('production', 'tools get crm --unmask')
      target.state.isHiding = true
      return tool
    }
    return { on, written: target.written, stored }
  }
  const edit = (on: TwoPlatforms, ...words: string[]) =>
    on.run(['--profile', 'staging', 'tools', 'update', 'crm', ...words])
  const sendsMask = (written: readonly string[]) => written.filter((it) => it.includes(mask) || it.includes('hidden'))

  test('keeps its credential when another field is promoted, and when that is undone', async () => {
    const { on, written, stored } = await tools()
    await edit(on, '--description', 'Changed')
    const promoted = await on.run(promote)
    expect(promoted.exitCode, promoted.stderr + promoted.stdout).toBe(0)
    expect(sendsMask(written)).toEqual([])
    expect(await stored()).toMatchObject({ description: 'Changed', headers: [{ value: secret }, {}] })
    const again = await on.run(promote)
    expect(again.exitCode, again.stderr).toBe(0)
    const undone = await on.run('promote undo --to production --confirm production')
    expect(undone.exitCode, undone.stderr + undone.stdout).toBe(0)
    expect(sendsMask(written)).toEqual([])
    expect(await stored()).toMatchObject({ description: 'CRM', headers: [{ value: secret }, {}] })
  })

  test('keeps it when the list that has it is changed: nothing is sent without its variable', async () => {
    const { on, written, stored } = await tools()
    await edit(on, '--header', 'Accept: c/d')
    const refused = await on.run(promote)
    expect([refused.exitCode, refused.stderr]).toEqual([5, expect.stringContaining('headers.0.value (X-Api-Key)')])
    expect(sendsMask(written)).toEqual([])
    expect((await stored()).headers[0]).toMatchObject({ value: secret })
    const given = await on.run(promote, { env: { CRM_X_API_KEY: 'new-secret-key-2' } })
    expect([0, 20], given.stderr).toContain(given.exitCode)
    expect((await stored()).headers).toMatchObject([{ value: 'new-secret-key-2' }, { value: 'c/d' }])
  })

  test('keeps the credential of a step when its automation is promoted, restored and undone', async () => {
    const target = masking(mask)
    const on = await twoPlatforms(undefined, target.through)
    const flow = (accept: string) => ({
      name: 'Crm',
      flow: {
        trigger: webhook(),
        steps: [http({ url: 'https://crm.example/', headers: { authorization: `Bearer ${secret}`, accept } })],
      },
    })
    writeFileSync(join(on.by.cwd, 'flow.json'), JSON.stringify(flow('a/b')))
    for (const profile of ['staging', 'production'])
      await on.run(`--profile ${profile} automate create --file flow.json --confirm-side-effects`)
    target.state.isHiding = false
    writeFileSync(join(on.by.cwd, 'flow.json'), JSON.stringify(flow('e/f')))
    await on.run(
      '--profile production automate update Crm --file flow.json --confirm-side-effects --no-rollback-on-failure',
    )
    target.state.isHiding = true
    writeFileSync(join(on.by.cwd, 'flow.json'), JSON.stringify(flow('c/d')))
    await on.run(
      '--profile staging automate update Crm --file flow.json --no-rollback-on-failure --confirm-side-effects',
    )
    target.written.length = 0
    const promoted = await on.run(
      'promote --only automations --from staging --to production --confirm production --confirm-side-effects --skip-local-test --no-rollback-on-failure',
    )
    expect(promoted.exitCode, promoted.stderr).toBe(5)
    expect(sendsMask(target.written), promoted.stderr).toEqual([])
    const stored = async () => {
      target.state.isHiding = false
      const live = JSON.stringify(await on.json('production', 'automate get Crm --unmask'))
      target.state.isHiding = true
      return live
    }
    expect(await stored(), promoted.stderr).toContain(`Bearer ${secret}`)
    const restored = await on.run('--profile production automate restore Crm --yes')
    expect(restored.exitCode, restored.stderr).toBe(0)
    expect(await stored()).toContain(`Bearer ${secret}`)
    const [entry] = await on.json('production', 'history list --noun automate')
    if (entry) await on.run(`--profile production history undo ${entry.entry} --yes --confirm-side-effects`)
    expect(await stored()).toContain(`Bearer ${secret}`)
    expect(sendsMask(target.written)).toEqual([])
  })
})

describe.each(everyNth(2, foreignMasks))('a deployment without versions that shows %s', (mask) => {
  test('keeps the credential of a step when an earlier definition is restored from the history', async () => {
    const { through: hides, written, state } = masking(mask)
    const by: Operator = operator({ supports: 'neutral' })
    const through: NonNullable<RunOptions['through']> = (handle, request) =>
      notParleyServer((it) => hides(handle, it), request)
    const file = (accept: string) => {
      const steps = [http({ url: 'https://crm.example/', headers: { authorization: `Bearer ${secret}`, accept } })]
      writeFileSync(join(by.cwd, 'flow.json'), JSON.stringify({ name: 'Crm', flow: { trigger: webhook(), steps } }))
    }
    file('a/b')
    await by.run('automate create --file flow.json --confirm-side-effects', { through })
    file('c/d')
    await by.run('automate update Crm --file flow.json --confirm-side-effects --no-rollback-on-failure', { through })
    written.length = 0
    const [entry] = await by.json('history list --noun automate', { through })
    const lines = [
      `history undo ${entry.entry} --yes --confirm-side-effects`,
      'automate restore Crm --yes --confirm-side-effects',
      'automate restore Crm --to 1 --yes --confirm-side-effects',
    ]
    for (const line of lines) {
      const run = await by.run(line, { through })
      expect(
        written.filter((it) => it.includes(mask)),
        `${line}: ${run.stderr}`,
      ).toEqual([])
      state.isHiding = false
      expect(JSON.stringify(await by.json('automate get Crm --unmask')), `${line}: ${run.stderr}`).toContain(
        `Bearer ${secret}`,
      )
      state.isHiding = true
    }
  })
})
