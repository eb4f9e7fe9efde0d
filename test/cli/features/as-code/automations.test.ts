import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { code, hook, http } from '../../../support/flow-definitions.ts'
import { type Operator, operator } from '../../../support/operator.ts'
import { plain } from '../automations/deployments.ts'

const folder = (by: Operator): string => join(by.cwd, 'automations')
const read = (by: Operator, file: string): string => readFileSync(join(folder(by), file), 'utf8')
const change = (by: Operator, file: string, from: string, to: string): void => {
  expect(read(by, file)).toContain(from)
  writeFileSync(join(folder(by), file), read(by, file).replace(from, to))
}
const hours = 'opening-hours.yaml'

/** Somebody who has pulled the seeded automations. */
async function pulled(): Promise<Operator> {
  const by = operator()
  expect(await by.run('automate pull')).toMatchObject({ exitCode: 0 })
  return by
}

describe('automations as files', () => {
  test('are one file each with a stable order of fields, and unchanged right after a pull', async () => {
    const by = await pulled()
    expect(readdirSync(folder(by)).sort()).toEqual([
      'move-a-visit.yaml',
      hours,
      'parley.lock.json',
      'weekly-count.yaml',
    ])
    expect(read(by, hours)).toMatch(/^name: Opening hours\nenabled: true\nflow:\n {2}trigger:\n {4}name: trigger\n/)
    for (const verb of ['pull', 'push']) {
      const { exitCode, stdout, stderr } = await by.run(`automate ${verb} --check`)
      expect([exitCode, stdout, stderr]).toEqual([0, '', 'No differences between files and platform.\n'])
    }
    const before = read(by, 'parley.lock.json')
    expect(await by.run('automate pull')).toMatchObject({ exitCode: 0 })
    expect(read(by, 'parley.lock.json')).toBe(before)
  })

  test('keep text that looks like a number, true or null', async () => {
    const by = operator()
    const texts = {
      code: '0044',
      n: '7',
      yes: 'true',
      no: 'false',
      nothing: 'null',
      tilde: '~',
      lines: 'a\nb\n',
      real: 7,
      on: true,
      none: null,
      list: ['1', 2],
    }
    writeFileSync(
      join(by.cwd, 'flow.json'),
      JSON.stringify({ name: 'Texts', flow: { trigger: hook, steps: [code('inputs', texts)] } }),
    )
    expect(await by.run('automate create --file flow.json')).toMatchObject({ exitCode: 0 })
    await by.run('automate pull')
    expect(await by.run('automate push --check')).toMatchObject({ exitCode: 0, stdout: '' })
    change(by, 'texts.yaml', 'name: Texts', 'name: Words')
    expect(await by.run('automate push')).toMatchObject({ exitCode: 0 })
    expect((await by.json('automate get Words')).definition.nextAction.settings.input).toEqual(texts)
  })

  test('are not pushed from a missing folder or an unreadable file', async () => {
    const by = await pulled()
    for (const check of ['', ' --check']) {
      const { exitCode, stderr } = await by.run(`automate push --folder nowhere${check}`)
      expect(exitCode).toBe(2)
      expect(stderr).toMatch(/^error: Folder \S*nowhere not found\.\nhint: .*parley automate pull\n$/)
    }
    writeFileSync(join(folder(by), 'broken.yaml'), 'name: [broken\n')
    expect((await by.run('automate push')).stderr).toMatch(/^error: \S*broken\.yaml is not valid JSON or YAML: /)
  })

  test('that were changed locally are compared step by step and pushed', async () => {
    const by = await pulled()
    change(by, hours, '8:00', '10:00')
    expect(await by.run('automate push --check')).toMatchObject({
      exitCode: 20,
      stdout: expect.stringContaining('changed locally'),
    })
    const diff = await by.run(`automate diff "Opening hours" --file automations/${hours}`)
    expect(diff).toMatchObject({
      exitCode: 20,
      stdout: expect.stringMatching(
        /~ step_1 .*changed\n {4}settings\.sourceCode\.code:\n {6}- .*'8:00 to 17:00'.*\n {6}\+ .*'10:00 to 17:00'/,
      ),
    })
    expect(await by.run('automate push')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('updated') })
    expect((await by.json('automate get "Opening hours"')).definition.nextAction.settings.sourceCode.code).toContain(
      '10:00',
    )
    expect(await by.run('automate push --check')).toMatchObject({ exitCode: 0 })
    expect(await by.run(`automate diff "Opening hours" --file automations/${hours}`)).toMatchObject({
      exitCode: 0,
      stdout: 'No differences.\n',
    })
  })

  test('that were changed on the platform are pulled; comments elsewhere are preserved', async () => {
    const by = await pulled()
    writeFileSync(join(folder(by), hours), `# Ask Ada first.\n${read(by, hours)}`)
    await by.run('automate update "Opening hours" --name "Opening times"')
    expect(await by.run('automate pull --check')).toMatchObject({
      exitCode: 20,
      stdout: expect.stringContaining('changed remotely'),
    })
    expect(await by.run('automate pull')).toMatchObject({ exitCode: 0 })
    expect(read(by, hours)).toMatch(/^# Ask Ada first\.\nname: Opening times\n/)
  })

  test('that were changed locally and remotely are refused, and nothing is changed', async () => {
    const by = await pulled()
    change(by, hours, '8:00', '10:00')
    change(by, 'weekly-count.yaml', 'Count the week', 'Count it')
    change(by, hours, 'name: Opening hours', 'name: Hours')
    await by.run('automate update "Opening hours" --name "Opening times"')
    const before = read(by, hours)
    for (const verb of ['pull', 'push']) {
      const { exitCode, stderr } = await by.run(`automate ${verb}`)
      expect(exitCode).toBe(5)
      expect(stderr).toContain(
        `Conflict: changed locally and remotely since the last sync: ${hours} (name). Nothing was changed.`,
      )
    }
    expect(read(by, hours)).toBe(before)
    expect((await by.json('automate get "Weekly count"')).definition.nextAction.displayName).toBe('Count the week')
  })

  test('that are new are created, and a second push changes nothing', async () => {
    const by = await pulled()
    writeFileSync(
      join(folder(by), 'new.yaml'),
      JSON.stringify({ name: 'New', enabled: false, flow: { trigger: hook, steps: [code('1')] } }),
    )
    expect(await by.run('automate push')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/new\.yaml\s+created/),
    })
    expect(await by.json('automate list')).toContainEqual(expect.objectContaining({ name: 'New', status: 'disabled' }))
    expect(await by.run('automate push')).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await by.json('automate list')).toHaveLength(4)
  })

  test('whose test failed are not enabled by a second push, and the person can enable them anyway', async () => {
    const by = await pulled()
    const failing = { name: 'New', flow: { trigger: hook, steps: [http('GET', 'http://127.0.0.1:9/')] } }
    writeFileSync(join(folder(by), 'new.yaml'), JSON.stringify(failing))
    const first = await by.run('automate push --yes')
    expect(first).toMatchObject({ exitCode: 20, stdout: expect.stringContaining('its test failed and it is disabled') })
    expect(first.stdout).toMatch(
      /With other trigger input: parley automate update \w{21} --file <file> --sample <json>/,
    )
    for (const line of ['automate push --yes', 'automate push --yes --force-local'])
      expect(await by.run(line)).toMatchObject({
        exitCode: 20,
        stdout: expect.stringMatching(
          /It was not enabled, because its last test failed: parley automate runs list \w{21}/,
        ),
      })
    const state = async () => (await by.json('automate list')).find((it: { name: string }) => it.name === 'New').status
    expect(await state()).toBe('disabled')
    const enabled = await by.run('automate enable New')
    expect(enabled).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('its last test failed') })
    expect(await state()).toBe('enabled')
    expect((await by.run('automate enable "Opening hours"')).stderr).toBe('')
    await by.run('automate disable New')
    expect(
      await by.run('automate push --yes', {
        through: async (handle, request) =>
          /\/runs\?/.test(request.url) ? { status: 501, headers: {}, body: '{"message":"None."}' } : handle(request),
      }),
    ).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/new\.yaml\s+updated/) })
  })

  test('whose file was deleted are deleted only with --prune and confirmation', async () => {
    const by = await pulled()
    rmSync(join(folder(by), hours))
    const left = await by.run('automate push')
    expect(left).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('"Opening hours". To delete them: --prune'),
    })
    expect(await by.run('automate push --prune')).toMatchObject({ exitCode: 10 })
    expect(await by.json('automate list')).toHaveLength(3)
    expect(await by.run('automate push --delete --yes')).toMatchObject({ exitCode: 0 })
    expect(await by.json('automate list')).toHaveLength(2)
  })

  test('that were deleted on the platform are deleted locally, unless their file was changed', async () => {
    const by = await pulled()
    await by.run('automate delete "Opening hours" --yes')
    await by.run('automate pull')
    expect(existsSync(join(folder(by), hours))).toBe(false)
    change(by, 'weekly-count.yaml', 'Count the week', 'Count it')
    await by.run('automate delete "Weekly count" --yes')
    expect(await by.run('automate pull')).toMatchObject({ exitCode: 5 })
    expect(existsSync(join(folder(by), 'weekly-count.yaml'))).toBe(true)
  })

  test('keep secrets masked in files and unchanged on the platform', async () => {
    const by = operator()
    const steps = [
      http('GET', 'https://crm.example', { headers: { authorization: 'Bearer very-secret-token-1' } }),
      code('1'),
    ]
    writeFileSync(join(by.cwd, 'flow.json'), JSON.stringify({ trigger: hook, steps: steps.toReversed() }))
    await by.run('automate create --name Secret --file flow.json')
    await by.run('automate pull')
    expect(read(by, 'secret.yaml')).not.toContain('very-secret')
    change(by, 'secret.yaml', 'crm.example', 'crm.example/v2')
    expect((await by.run('automate push --no-rollback-on-failure')).exitCode).not.toBe(2)
    expect(JSON.stringify(await by.json('automate get Secret --unmask'))).toContain('very-secret-token-1')
    expect(JSON.stringify(await by.json('automate get Secret --unmask'))).toContain('crm.example/v2')
  })

  test('whose tests would send real messages require confirmation', async () => {
    const by = await pulled()
    writeFileSync(
      join(folder(by), 'sending.yaml'),
      JSON.stringify({ name: 'Sending', flow: { trigger: hook, steps: [http('POST', 'https://a.test')] } }),
    )
    expect(await by.run('automate push')).toMatchObject({ exitCode: 10 })
    expect(await by.json('automate list')).toHaveLength(3)
  })

  test('with errors are reported with file, step and place before anything is sent', async () => {
    const by = await pulled()
    writeFileSync(
      join(folder(by), 'bad.yaml'),
      JSON.stringify({ name: 'Bad', flow: { trigger: hook, steps: [{ type: 'WHAT' }] } }),
    )
    expect(await by.run('automate push')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/bad\.yaml: step_1: /),
    })
    writeFileSync(join(folder(by), 'parley.lock.json'), 'nonsense')
    rmSync(join(folder(by), 'bad.yaml'))
    expect(await by.run('automate push')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is not a valid lock file'),
    })
  })

  test('are not written by --dry-run', async () => {
    const by = operator()
    expect(await by.run('automate pull --dry-run')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('remote only'),
    })
    expect(existsSync(folder(by))).toBe(false)
  })
})

describe('an automation that was restored', () => {
  test('is compared with the saved copy', async () => {
    const by = operator()
    expect(await by.run('automate diff "Opening hours"', plain())).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('has none'),
    })
    await by.run('automate restore "Opening hours" --yes')
    const { exitCode, stdout } = await by.run('automate diff "Opening hours"', plain())
    expect(exitCode).toBe(20)
    expect(stdout).toMatch(/^~ /m)
  })
})
