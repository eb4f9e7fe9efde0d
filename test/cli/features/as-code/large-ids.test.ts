import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withLargeIds, withLargeTextIds } from '../../../support/large-ids.ts'
import { operator } from '../../../support/operator.ts'
import { change, desk, path, read, tool, write } from './code-folder.ts'
import { type TwoPlatforms, twoPlatforms } from './promotion/two-platforms.ts'

const [first, fifth] = ['9007199254740993', '9007199254740997']
const isExact = (request: string): boolean => /POST|\/90071992547409\d\d/.test(request)

/** Returns a remote platform whose ids are above 2^53. */
async function platformWithLargeIds(through = withLargeIds) {
  const on = await twoPlatforms(undefined, through)
  const done = async (line: string) => {
    const run = await on.run(`${line} --profile production`)
    expect(run.exitCode, run.stderr + run.stdout).toBe(0)
    return run
  }
  return { on, done, by: on.by }
}

/** Expects that all writes since the last call used exact ids, and returns them. */
function exactWrites(on: TwoPlatforms): string[] {
  const writes = on.takeWrites()
  expect(writes.filter((it) => !isExact(it))).toEqual([])
  return writes
}

test.each([
  ['numbers', withLargeIds],
  ['texts', withLargeTextIds],
])(
  'the files of a platform with ids above 2^53 as %s are pulled, pushed and deleted by their exact ids',
  async (_, through) => {
    const { on, done, by } = await platformWithLargeIds(through)
    await done('pull')
    expect(read(by, desk)).toMatch(/tool_ids:\n {2}- \w+_/)
    await done('diff')
    await done('push --yes')
    expect(on.takeWrites()).toEqual([])
    for (const [file, from, to] of [
      ['tools/lookup-patient.yaml', /description: .*/, 'description: Other.'],
      [desk, /initial_message: .*/, 'initial_message: Good day.'],
      ['folders/front-desk.yaml', 'color: blue', 'color: red'],
      ['labels/spanish.yaml', 'name: spanish', 'name: espanol'],
      ['knowledge/practice-handbook.yaml', 'description: What each', 'description: What a'],
      ['sip-trunks/2001.yaml', 'nickname: Reception', 'nickname: Desk'],
      ['senders/14155550170.yaml', /assistant_id: .*/, 'assistant_id: Recall'],
    ] as const)
      change(by, file, from, to)
    write(by, 'numbers/442077534162.yaml', `${read(by, 'numbers/442077534162.yaml')}nickname: London\n`)
    write(by, 'tools/new.yaml', tool('new'))
    change(by, desk, 'tool_ids:\n', 'tool_ids:\n  - new\n')
    expect((await done('push --yes')).stdout).toContain(`tools/new.yaml\tcreated\t${fifth}`)
    expect(exactWrites(on)).toHaveLength(9)
    await done('push --yes')
    expect(on.takeWrites()).toEqual([])
    // A tool in use is not deleted without its reference.
    rmSync(path(by, 'tools/new.yaml'))
    write(by, desk, read(by, desk).replace('  - new\n', `  - ${fifth}\n`))
    const refused = await on.run('push --prune --profile production')
    expect([refused.exitCode, refused.stderr]).toEqual([10, expect.stringContaining('The tool "new" is in use.')])
    expect(on.takeWrites()).toEqual([])
    change(by, desk, `  - ${fifth}\n`, '')
    await done('push --prune --yes')
    expect(exactWrites(on)).toContain(`production DELETE /api/user/tools/${fifth}`)
  },
)

test.each([
  ['tools', '--description Other', '--name x --description X --endpoint https://x.example --method GET'],
  ['folders', '--name Other', '--name x', false],
  ['labels', '--name other', '--name x', false],
  ['knowledge', '--description Other', '--name x'],
  ['assistants', '--initial-message Hello', undefined],
  ['numbers', '--nickname Other', undefined, false],
  ['sip-trunks', '--nickname Other', undefined],
])(
  '%s with ids above 2^53 are read, changed and deleted by their exact ids',
  async (noun, flags, create, hasGet = true) => {
    const { on, done } = await platformWithLargeIds()
    const [row] = JSON.parse((await done(`${noun} list --json`)).stdout.replaceAll(/(\d{16})/g, '"$1"'))
    const { id } = row
    expect(id).toMatch(/^90071992547409\d\d$/)
    if (hasGet) expect((await done(`${noun} get ${id} --json`)).stdout).toContain(`"id": ${id}`)
    on.takeWrites()
    const updated = await done(`${noun} update ${id} ${flags} --yes`)
    expect(updated.stderr + updated.stdout).not.toContain('9007199254740992')
    await done('history undo 1 --yes')
    expect(exactWrites(on)).toHaveLength(2)
    if (create === undefined) return
    const made = (await done(`${noun} create ${create} -o id`)).stdout.trim()
    expect(made).toMatch(/^90071992547409\d\d$/)
    await done(`${noun} delete ${made} --yes`)
    expect(exactWrites(on).at(-1)).toMatch(new RegExp(`DELETE .*/${made}$`))
  },
)

test('a platform with ids above 2^53 is promoted to, and the promotion is undone', async () => {
  const on = await twoPlatforms(undefined, withLargeIds)
  await on.run('tools update lookup_patient --profile staging --description Other')
  await on.run('assistants update Recall --profile staging --initial-message Hello')
  await on.run('tools create --profile staging --name new --description X --endpoint https://x.example --method GET')
  await on.run('assistants update "Front desk" --profile staging --tool-ids 1,2,5')
  on.takeWrites()
  const promoted = await on.run('promote --from staging --to production --confirm production --skip-fields documents')
  expect(promoted.exitCode, promoted.stderr + promoted.stdout).toBe(0)
  exactWrites(on)
  const undone = await on.run('promote undo --to production --confirm production')
  expect(undone.exitCode, undone.stderr + undone.stdout).toBe(0)
  expect(on.takeWrites()).toContain(`production DELETE /api/user/tools/${fifth}`)
})

test('an id without a unique name is in files with all digits, and is pushed', async () => {
  const { on, done, by } = await platformWithLargeIds()
  for (const _ of [1, 2])
    await done('tools create --name twin --description X --endpoint https://x.example --method GET')
  await done('pull')
  change(by, desk, 'tool_ids:\n', `tool_ids:\n  - ${fifth}\n`)
  on.takeWrites()
  await done('push')
  expect(exactWrites(on)).toHaveLength(1)
  expect((await done('assistants get "Front desk" --json')).stdout).toContain(fifth)
  await done('pull --force-remote')
  expect(read(by, desk)).toContain(`- ${fifth}\n`)
  await done('push')
  expect(on.takeWrites()).toEqual([])
})

test('an id above 2^53 is sent as it was given, and another number is refused with the cause', async () => {
  const by = operator()
  const run = await by.run('tools get 99999999999999999999')
  expect(run).toMatchObject({
    exitCode: 4,
    requests: expect.arrayContaining(['GET /api/user/tools/99999999999999999999']),
  })
  expect(
    await by.run(['assistants', 'update', '1', '--data', `{"folder_id": ${first}}`, '--print-curl']),
  ).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`"folder_id":${first}`),
  })
  expect(await by.run(['assistants', 'update', '1', '--data', `{"max_duration": ${first}}`])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/max_duration: .*2\^53/),
  })
})
