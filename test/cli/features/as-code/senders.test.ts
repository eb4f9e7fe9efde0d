import { existsSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { type Operator, operator } from '../../../support/operator.ts'
import { all, assistant, change, path, pulled, read, write, writes } from './code-folder.ts'

const billing = 'senders/14155550171.yaml'
const surveys = 'senders/14155550174.yaml'

const assistantOf = async (by: Operator, number: string): Promise<string | null> =>
  (await by.json('messaging assignments')).find((it: { phone_number: string }) => it.phone_number === number)
    .assistant_name

/** Pushes with `--yes`, expects success, and expects that a second push sends nothing. Returns the writes. */
async function pushTwice(by: Operator): Promise<string[]> {
  const first = await by.run('push --yes')
  expect(first.exitCode, first.stdout + first.stderr).toBe(0)
  const again = await by.run('push')
  expect(again).toMatchObject({ exitCode: 0, stdout: '' })
  expect(writes(again.requests)).toEqual([])
  expect(await by.run('push --check')).toMatchObject({ exitCode: 0 })
  return writes(first.requests)
}

/** Pushes, and expects a refusal that sends nothing. */
async function refused(by: Operator, text: string, exitCode = 2, prune = ''): Promise<void> {
  for (const line of prune === '' ? ['push --yes', 'push --check'] : [`push --yes ${prune}`]) {
    const run = await by.run(line)
    expect(run).toMatchObject({ exitCode, stderr: expect.stringContaining(text) })
    expect(writes(run.requests)).toEqual([])
  }
}

describe('files of senders', () => {
  test('hold the number and the name of the assistant, also of senders that are offline', async () => {
    const by = await pulled()
    expect(read(by, billing)).toBe(
      '# yaml-language-server: $schema=../.schema/senders.json\nphone_number: "+14155550171"\nassistant_id: Front desk\n',
    )
    expect(read(by, surveys)).toBe(
      '# yaml-language-server: $schema=../.schema/senders.json\nphone_number: "+14155550174"\nassistant_id: null\n',
    )
    expect(Object.keys(all(by)).filter((it) => it.startsWith('senders/'))).toHaveLength(6)
    expect(await by.run('push')).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await by.run('diff --check')).toMatchObject({ exitCode: 0 })
  })

  test('assign another assistant, unassign, and assign one that the same push creates', async () => {
    const by = await pulled()
    change(by, billing, 'Front desk', 'Recall')
    expect(await by.run('diff')).toMatchObject({
      exitCode: 20,
      stdout: `${billing}: changed locally\n  assistant_id: "Front desk" -> "Recall"\n`,
    })
    expect(await pushTwice(by)).toEqual([expect.stringMatching(/^PUT \/api\/user\/messaging\/senders\/2\/assistant$/)])
    expect(await assistantOf(by, '+14155550171')).toBe('Recall')
    change(by, billing, 'Recall', 'null')
    change(by, 'senders/14155550170.yaml', /assistant_id: .*\n/, '')
    write(by, 'assistants/polls.yaml', assistant('Polls'))
    change(by, surveys, 'null', 'Polls')
    expect(await pushTwice(by)).toHaveLength(4)
    expect(await assistantOf(by, '+14155550170')).toBeNull()
    expect(await assistantOf(by, '+14155550171')).toBeNull()
    expect(await assistantOf(by, '+14155550174')).toBe('Polls')
    // The sender answers now.
    expect(
      await by.run('server simulate message --sender +14155550174 --from +14155550142 --text Hello'),
    ).toMatchObject({ exitCode: 0 })
  })

  test('a change on the platform is exported, and a change there and in the file is a conflict', async () => {
    const by = await pulled()
    expect(await by.run('messaging assign 5 --assistant-id Recall')).toMatchObject({ exitCode: 0 })
    expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
    expect(read(by, surveys)).toContain('assistant_id: Recall')
    expect(await by.run('messaging assign 5 --assistant-id null')).toMatchObject({ exitCode: 0 })
    change(by, surveys, 'Recall', 'Front desk')
    expect(await by.run('push --yes')).toMatchObject({ exitCode: 5, stderr: expect.stringContaining(surveys) })
    expect(await by.run('push --yes --force-local')).toMatchObject({ exitCode: 0 })
    expect(await assistantOf(by, '+14155550174')).toBe('Front desk')
  })

  test('an unknown assistant, an unknown sender and an unknown field are refused before anything is sent', async () => {
    const by = await pulled()
    change(by, billing, 'Front desk', 'Front dsk')
    await refused(by, 'senders/14155550171.yaml: assistant_id: assistant "Front dsk" not found.')
    change(by, billing, 'Front dsk', 'Front desk')
    write(by, 'senders/new.yaml', 'phone_number: "+14155550111"\nassistant_id: Front desk\n')
    await refused(by, 'does not have the sender +14155550111, and a push never connects senders')
    write(by, 'senders/new.yaml', 'phone_number: "+14155550111"\nasistant_id: Front desk\n')
    await refused(by, 'unknown field "asistant_id". Did you mean assistant_id?')
  })

  test('--prune never removes a sender, nor its assistant', async () => {
    const by = await pulled()
    rmSync(path(by, billing))
    const run = await by.run('push --prune --yes')
    expect(run).toMatchObject({ stderr: expect.stringContaining('A push never removes senders.') })
    expect(writes(run.requests)).toEqual([])
    expect(await assistantOf(by, '+14155550171')).toBe('Front desk')
  })

  test('--prune needs a confirmation to delete the assistant of a sender, unless the push assigns another', async () => {
    const by = await pulled()
    await by.run('messaging assign 5 --assistant-id Recall')
    await by.run('pull')
    rmSync(path(by, 'assistants/recall.yaml'))
    await refused(
      by,
      'The assistant "Recall" is in use. The sender +14155550174 (5) loses its assistant',
      10,
      '--prune',
    )
    change(by, surveys, 'Recall', 'Front desk')
    expect(await by.run('push --prune --yes')).toMatchObject({ exitCode: 0 })
    expect(await assistantOf(by, '+14155550174')).toBe('Front desk')
  })

  test('exist only for a Parley server: elsewhere nothing is exported, and files of senders are refused', async () => {
    const by = operator()
    const elsewhere = { through: notParleyServer }
    expect(await by.run('pull', elsewhere)).toMatchObject({ exitCode: 0 })
    expect(existsSync(path(by, 'senders'))).toBe(false)
    expect(await by.run('diff --check', elsewhere)).toMatchObject({ exitCode: 0 })
    const skipped = 'Skipped senders: the platform does not have the capability "sender-assistants".'
    expect(await by.run('pull --only senders', elsewhere)).toMatchObject({ stderr: expect.stringContaining(skipped) })
    write(by, billing, 'phone_number: "+14155550171"\n')
    expect(await by.run('push --yes', elsewhere)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`"sender-assistants": ${billing}. Nothing was changed.`),
    })
    expect(await by.run('pull', elsewhere)).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(skipped) })
    expect(existsSync(path(by, billing))).toBe(true)
  })
})
