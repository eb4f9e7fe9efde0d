import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { caseCount } from '../../../support/case-count.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'
import { assistant, book, change, desk, path, pulled, read, tool, write, writes } from './code-folder.ts'

describe('changes on the platform after a pull', () => {
  test('is shown with both values, and overwritten only with confirmation', async () => {
    const by = await pulled()
    await by.run('tools update 2 --tool-timeout 25')
    expect(await by.run('push --check')).toMatchObject({
      exitCode: 20,
      stdout: expect.stringContaining('changed remotely'),
    })
    const asked = await by.run('push')
    expect(asked).toMatchObject({
      exitCode: 10,
      stdout: '',
      stderr: expect.stringMatching(/book-appointment\.yaml: timeout: 25 -> 15[\s\S]*--yes/),
    })
    expect(writes(asked.requests)).toEqual([])
    const shown = await by.run('push --dry-run --json')
    expect(shown).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('timeout: 25 -> 15') })
    expect(JSON.parse(shown.stdout)).toMatchObject([{ file: book, done: 'would_update' }])
    expect(writes(shown.requests)).toEqual([])
    expect(JSON.parse((await by.run('push --yes --json')).stdout)).toMatchObject([{ file: book, done: 'updated' }])
    expect((await by.json('tools get 2')).timeout).toBe(15)
    expect(await by.run('push --check')).toMatchObject({ exitCode: 0 })
    expect(await by.run('push')).toMatchObject({
      exitCode: 0,
      stderr: 'Nothing to push: the platform matches the files.\n',
    })
  })

  test('a deleted resource is created again, with all references to it', async () => {
    const by = await pulled()
    await by.run('tools delete 3 --confirm quote_treatment')
    expect(await by.run('push --check')).toMatchObject({
      exitCode: 20,
      stdout: expect.stringContaining('deleted remotely'),
    })
    expect(await by.run('push')).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining('tools/quote-treatment.yaml: deleted remotely'),
    })
    expect(await by.run('push --yes')).toMatchObject({ exitCode: 0 })
    const made = await by.json('tools get quote_treatment')
    expect((await by.json('assistants get 1')).tool_ids).toContain(made.id)
    expect(await by.run('push --check')).toMatchObject({ exitCode: 0 })
  })

  test('a resource without a file is not drift, nor one whose file was removed, unless --prune', async () => {
    const by = await pulled()
    await by.run('tools create --name weather --description x --endpoint https://x.example --method GET')
    rmSync(path(by, 'tools/quote-treatment.yaml'))
    const printed = expect.stringMatching(/Not in files: .*"weather"/)
    expect(await by.run('push')).toMatchObject({ exitCode: 0, stderr: printed })
    expect(await by.run('push --check')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('remote only'),
      stderr: printed,
    })
    expect(await by.run('push --check --prune')).toMatchObject({ exitCode: 20 })
    write(by, 'assistants/recall.yaml', read(by, 'assistants/recall.yaml').replace(/ {2}- quote_treatment\n/g, ''))
    write(by, desk, read(by, desk).replace(/ {2}- quote_treatment\n/g, ''))
    expect(await by.run('push --prune --yes')).toMatchObject({ exitCode: 20, stderr: printed })
    expect((await by.json('tools list')).map((it: { name: string }) => it.name)).toEqual(
      expect.arrayContaining(['weather']),
    )
    expect((await by.json('tools list')).map((it: { name: string }) => it.name)).not.toContain('quote_treatment')
  })

  test('fields that the file never had are not drift', async () => {
    const by = await pulled()
    write(by, 'tools/small.yaml', tool('small'))
    await by.run('push')
    await by.run('tools update small --tool-timeout 25')
    expect(await by.run('push')).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await by.run('push --check')).toMatchObject({ exitCode: 0 })
    expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
    expect(read(by, 'tools/small.yaml')).toContain('timeout: 25')
  })

  test('has the name of its file again, also where others call it by name', async () => {
    const by = await pulled()
    await by.run('tools update 2 --name booking')
    expect(await by.run('push --yes')).toMatchObject({ exitCode: 0 })
    expect(await by.json('tools get 2')).toMatchObject({ name: 'book_appointment' })
    expect(await by.run('push --check')).toMatchObject({ exitCode: 0 })
  })

  test('takes nothing from an assistant when the tool it uses cannot get its name back', async () => {
    const by = await pulled()
    const before = (await by.json('assistants get 1')).tool_ids
    await by.run('tools update 2 --name booking')
    const through: RunOptions['through'] = (handle, request) =>
      request.method === 'PUT' && (request.body ?? '').includes('book_appointment')
        ? handle({ ...request, body: '{"timeout":900}' })
        : handle(request)
    const { exitCode, stdout } = await by.run('push --yes --json', { through })
    expect(exitCode).toBe(11)
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ file: desk, done: 'failed' }))
    expect((await by.json('assistants get 1')).tool_ids).toEqual(before)
    expect(await by.run('push --yes')).toMatchObject({ exitCode: 0 })
    expect(await by.run('push --check')).toMatchObject({ exitCode: 0 })
  })

  test('is overwritten by automate push as well', async () => {
    const by = operator()
    await by.run('automate pull')
    await by.run('automate update "Opening hours" --name "Opening times"')
    expect(await by.run('automate push --check')).toMatchObject({ exitCode: 20 })
    expect(await by.run('automate push')).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining('"Opening times" -> "Opening hours"'),
    })
    expect(await by.run('automate push --yes')).toMatchObject({ exitCode: 0 })
    expect(await by.run('automate push --check')).toMatchObject({ exitCode: 0, stdout: '' })
    await by.run('automate delete "Opening hours" --yes')
    expect(await by.run('automate push --check')).toMatchObject({ exitCode: 20 })
    expect(await by.run('automate push --yes')).toMatchObject({ exitCode: 0 })
    expect(await by.run('automate push --check')).toMatchObject({ exitCode: 0, stdout: '' })
    expect(existsSync(join(by.cwd, 'automations', 'opening-hours.yaml'))).toBe(true)
  })
})

test('after a push that exits 0, --check finds nothing, whatever was edited on either side', async () => {
  const by = await pulled()
  const edits: readonly ((n: number) => unknown)[] = [
    (n) => change(by, book, /timeout: \d+/, `timeout: ${5 + n}`),
    (n) => by.run(`tools update book_appointment --tool-timeout ${5 + n}`),
    (n) => change(by, desk, /max_duration: \d+/, `max_duration: ${300 + n}`),
    (n) => by.run(`assistants update 1 --max-duration ${300 + n}`),
    (n) => by.run(['assistants', 'update', '2', '--system-prompt', `Help ${n}.`]),
    (n) => write(by, `tools/t${n}.yaml`, tool(`t${n}`)),
    (n) => by.run(`tools create --name r${n} --description x --endpoint https://x.example --method GET`),
    () => by.run('tools delete lookup_patient --confirm lookup_patient'),
    (n) => by.run(['automate', 'update', 'Weekly count', '--name', `Weekly count ${n}`]),
  ]
  // Always the same edits, in an order without a pattern.
  let seed = 7
  const next = (below: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return Math.floor((seed / 2147483648) * below)
  }
  for (let round = 0; round < caseCount(6, 2); round++) {
    for (let n = 0; n < 3; n++) await (edits[next(edits.length)] as (n: number) => unknown)(round * 3 + n)
    await agree(by, round)
  }
})

async function agree(by: Operator, round: number): Promise<void> {
  const check = await by.run('push --check')
  const plain = await by.run('push')
  if (plain.exitCode === 0) {
    expect((await by.run('push --check')).exitCode, `${round}`).toBe(0)
    return
  }
  expect([check.exitCode, [5, 10].includes(plain.exitCode)], `${round}: ${plain.stderr}`).toEqual([20, true])
  expect((await by.run('push --force-local --yes')).exitCode, `${round}`).toBe(0)
  expect((await by.run('push --check')).exitCode, `${round}`).toBe(0)
}

test('a push that leaves a difference reports it and exits 20, as --check does', async () => {
  const by = await pulled()
  // The files of the assistants still use the old name.
  change(by, book, 'name: book_appointment', 'name: booking')
  expect(await by.run('push --json')).toMatchObject({
    exitCode: 20,
    stderr: expect.stringMatching(/still differs from the files: .*front-desk\.yaml \(tool_ids\)/),
  })
  expect((await by.run('push --check')).exitCode).not.toBe(0)
})

test('push --check and push refuse a value inside a list that a field cannot have', async () => {
  const by = await pulled()
  change(by, book, /type: string/, 'type: sideways')
  for (const line of ['push --check', 'push'])
    expect(await by.run(line)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /book-appointment\.yaml: schema\.0\.type: Invalid value "sideways"\. Use one of string, number, float, boolean\./,
      ),
    })
  write(by, 'assistants/n.yaml', assistant('N', 'tools:\n  - type: teleport\n'))
  expect(await by.run('push --check --only assistants')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      /n\.yaml: tools\.0\.type: Invalid value "teleport"\. Use one of .*assistant_transfer/,
    ),
  })
})
