import { expect, test } from 'vitest'
import { type TwoPlatforms, twoPlatforms } from './two-platforms.ts'

const undo = 'promote undo --to production --confirm production'

/** Promotes a new assistant with a webhook, which uses a new folder and a new tool. */
async function promoteAssistant(): Promise<TwoPlatforms> {
  const on = await twoPlatforms()
  const { id, uuid, status, created_at, updated_at, phone_number_id, ...front } = await on.json(
    'staging',
    'assistants get 1',
  )
  for (const [line, stdin] of [
    ['folders create --name Night'],
    ['tools create --name night_rota --description Rota --endpoint https://rota.example --method GET'],
    [
      'assistants create --file -',
      JSON.stringify({
        ...front,
        name: 'Night desk',
        folder_id: 'Night',
        tool_ids: ['night_rota'],
        inbound_webhook_url: undefined,
      }),
    ],
    ['assistants enable-webhook "Night desk" --event inbound --webhook-url https://hooks.example/in'],
  ] as const) {
    const run = await on.run(`--profile staging ${line}`, stdin === undefined ? {} : { stdin })
    expect(run.exitCode, run.stderr).toBe(0)
  }
  const promoted = await on.run('promote --from staging --to production --confirm production')
  expect(promoted.exitCode, promoted.stderr + promoted.stdout).toBe(0)
  on.takeWrites()
  return on
}

const names = async (on: TwoPlatforms, noun: string): Promise<string[]> =>
  (await on.json('production', `${noun} list`)).map((it: { name: string }) => it.name)

test('undo deletes an assistant that the promotion created, with its webhook, and all that it used', async () => {
  const on = await promoteAssistant()
  const undone = await on.run(undo)
  expect(undone.exitCode, undone.stderr + undone.stdout).toBe(0)
  expect(await names(on, 'assistants')).not.toContain('Night desk')
  expect(await names(on, 'folders')).not.toContain('Night')
  expect(await names(on, 'tools')).not.toContain('night_rota')
})

test('undo refuses to delete what is in use since, sends nothing, and deletes it with --force', async () => {
  const on = await promoteAssistant()
  expect(await on.run('--profile production messaging assign +14155550171 --assistant-id "Night desk"')).toMatchObject({
    exitCode: 0,
  })
  on.takeWrites()
  const refused = await on.run(undo)
  expect([refused.exitCode, on.takeWrites()]).toEqual([5, []])
  expect(refused.stderr).toContain('assistants/night-desk.yaml: The sender +14155550171')
  expect(refused.stderr).toContain('--force')
  const forced = await on.run(`${undo} --force`)
  expect(forced.exitCode, forced.stderr + forced.stdout).toBe(0)
  expect(await names(on, 'assistants')).not.toContain('Night desk')
})

test('promotions are undone newest first', async () => {
  const on = await twoPlatforms()
  const entries: number[] = []
  for (const timeout of [20, 30]) {
    await on.run(`--profile staging tools update 2 --tool-timeout ${timeout}`)
    expect(await on.run('promote --from staging --to production --confirm production')).toMatchObject({ exitCode: 0 })
    entries.unshift((await on.json('production', 'history list'))[0].entry)
  }
  const undo = (entry: unknown) => on.run(`history undo ${entry} --profile production --confirm production`)
  expect(await undo(entries[1])).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining(`parley history undo ${entries[0]}`),
  })
  // The second "promote undo" does nothing, and names the command that undoes the earlier promotion.
  expect(await on.run('promote undo --to production --confirm production')).toMatchObject({ exitCode: 0 })
  on.takeWrites()
  expect(await on.run('promote undo --to production --confirm production')).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining(
      `The last promotion was undone. Undo the one before: parley history undo ${entries[1]} --profile production\n`,
    ),
  })
  expect(on.takeWrites()).toEqual([])
  for (const [n, timeout] of [20, 15].entries()) {
    const undone = await undo(entries[n])
    expect(undone.exitCode, undone.stderr).toBe(0)
    expect(undone.stderr).toContain(`Undoing the promotion of history entry ${entries[n]} to profile "production"`)
    expect(undone.stderr).not.toContain('last promotion')
    expect((await on.json('production', 'tools get 2')).timeout).toBe(timeout)
  }
})
