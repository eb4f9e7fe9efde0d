import { describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

const full = { full: true } as const
const reason = 'no space left on the device (ENOSPC)'

describe('the result of a write that could not be printed', () => {
  test('of a purchase names the number and where to see it, and the journal records it as done', async () => {
    const by = operator()
    const { exitCode, stderr } = await by.run('numbers buy +15005550006 --yes', full)
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `error: +15005550006 was bought. The output could not be written: ${reason}.\nhint: Do not repeat the command. You would pay twice.\nnext: parley numbers list\nnext: parley ops list\n`,
    })
    expect((await by.json('ops list')).map((it: { state: string }) => it.state)).toEqual(['done'])
    expect((await by.json('numbers list')).at(-1).phone_number).toBe('+15005550006')
  })

  test('is one object for programs', async () => {
    const { exitCode, stderr } = await operator().run('numbers buy +15005550006 --yes --json', full)
    expect(exitCode).toBe(1)
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'output_failed',
      message: `+15005550006 was bought. The output could not be written: ${reason}.`,
      next: ['parley numbers list', 'parley ops list'],
    })
  })

  test.each([
    'messaging send --sender 1 --template 2 --to +14155550111',
    'messaging send --sender 1 --to +14155550142 --text Hello',
    'conversations send dcc8a31d-9a12-40f7-8676-f5d9a81c26ae --message Hello',
    'api messaging.send --data \'{sender_id: 1, template_id: 2, recipient_phone: "+14155550111"}\' --yes',
  ])('of a message is reported: %s', async (line) => {
    const by = operator()
    const { conversation_id: uuid } = await by.json('conversations start --assistant 1 --type test')
    const { exitCode, stderr } = await by.run(line.replace('dcc8a31d-9a12-40f7-8676-f5d9a81c26ae', uuid), full)
    expect(exitCode).toBe(1)
    expect(stderr).toContain(`error: The message was sent. The output could not be written: ${reason}.`)
    expect(stderr).toContain('next: parley ops list\n')
    expect((await by.json('ops list')).map((it: { state: string }) => it.state)).toEqual(['done'])
  })

  test('of a new key names the command that creates another, because its token is lost', async () => {
    const by = operator()
    const { exitCode, stderr } = await by.run('keys create --name "CI job"', full)
    expect(exitCode).toBe(1)
    expect(stderr).toBe(
      `error: The key "CI job" was created, but its token is lost. The output could not be written: ${reason}.\n` +
        'hint: A token is shown only once. Delete this key and create another one.\n' +
        'next: parley keys list\nnext: parley keys delete "CI job"\nnext: parley keys create --name "CI job"\n',
    )
    expect(await by.run('keys delete "CI job" --yes')).toMatchObject({ exitCode: 0 })
  })

  test('of any other write is reported; after a read only the output error is reported', async () => {
    const { run } = operator()
    expect((await run('folders create --name x', full)).stderr).toContain(
      'error: "parley folders create" succeeded. The output could not be written: no space',
    )
    const { exitCode, stderr } = await run('keys list --json', full)
    expect(exitCode).toBe(1)
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'output_failed',
      message: `Cannot write the output: ${reason}.`,
      next: [],
    })
  })
})
