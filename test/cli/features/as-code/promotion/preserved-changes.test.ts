import { describe, expect, test } from 'vitest'
import { type TwoPlatforms, twoPlatforms } from './two-platforms.ts'

// A change of the target that a promotion preserves or skips is still a change of the target in every later promotion.

const confirmed = 'promote --from staging --to production --confirm production'

async function change(on: TwoPlatforms, profile: string, ...words: string[]): Promise<void> {
  const run = await on.run(['--profile', profile, ...words])
  expect(run.exitCode, run.stderr).toBe(0)
}

/** Promotes everything, then changes one value on production and another one on staging. */
async function changedBoth(theirs: string[], mine: string[]): Promise<TwoPlatforms> {
  const on = await twoPlatforms()
  await change(on, 'staging', 'assistants', 'update', '1', '--initial-message', 'First')
  expect(await on.run(confirmed)).toMatchObject({ exitCode: 0 })
  await change(on, 'production', ...theirs)
  await change(on, 'staging', ...mine)
  on.takeWrites()
  return on
}

const nouns = [
  {
    kind: 'an assistant',
    theirs: ['assistants', 'update', '1', '--system-prompt', 'Of production'],
    mine: ['assistants', 'update', '1', '--max-duration', '301'],
    later: ['assistants', 'update', '1', '--system-prompt', 'Of staging'],
    read: 'assistants get 1',
    live: { system_prompt: 'Of production' },
  },
  {
    kind: 'a tool',
    theirs: ['tools', 'update', '2', '--description', 'Of production'],
    mine: ['tools', 'update', '2', '--tool-timeout', '29'],
    later: ['tools', 'update', '2', '--description', 'Of staging'],
    read: 'tools get 2',
    live: { description: 'Of production' },
  },
]

describe('a change of the target', () => {
  test.each(nouns)(
    'of $kind that was preserved is a conflict once the source changes the same field',
    async ({ theirs, mine, later, read, live }) => {
      const on = await changedBoth(theirs, mine)
      const merged = await on.run(confirmed)
      expect(merged).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Preserved changes') })
      await change(on, 'staging', ...later)
      on.takeWrites()
      for (const words of [confirmed, `${confirmed} --dry-run`]) {
        const refused = await on.run(words)
        expect(refused.exitCode, refused.stderr).toBe(5)
        expect(refused.stderr).toContain('"Of production"')
        expect(refused.stderr).not.toContain('overwritten with --force')
      }
      expect(on.takeWrites()).toEqual([])
      expect(await on.json('production', read)).toMatchObject(live)
      const forced = await on.run(`${confirmed} --force`)
      expect(forced).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining('"Of production" becomes "Of staging"'),
      })
      expect(await on.run(confirmed)).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining('the profiles match'),
      })
    },
  )

  test('of an entry of a list that was preserved is a conflict once the source changes the same entry', async () => {
    const schema = async (on: TwoPlatforms, profile: 'staging' | 'production', name: string, description: string) => {
      const { schema: all } = await on.json(profile, 'tools get 2')
      const next = all.map((it: { name: string }) => (it.name === name ? { ...it, description } : it))
      await change(on, profile, 'tools', 'update', '2', '--schema', JSON.stringify(next))
    }
    const on = await changedBoth(['labels', 'create', '--name', 'p'], ['labels', 'create', '--name', 's'])
    await schema(on, 'production', 'time', 'Of production')
    await schema(on, 'staging', 'new_patient', 'Changed')
    expect(await on.run(confirmed)).toMatchObject({ exitCode: 0 })
    await schema(on, 'staging', 'new_patient', 'Changed again')
    expect(await on.run(confirmed)).toMatchObject({ exitCode: 0 })
    await schema(on, 'staging', 'time', 'Of staging')
    on.takeWrites()
    const refused = await on.run(confirmed)
    expect(refused.exitCode, refused.stderr).toBe(5)
    expect(on.takeWrites()).toEqual([])
  })

  test('that was preserved is still one after the promotion is undone', async () => {
    const [noun] = nouns as [(typeof nouns)[0]]
    const on = await changedBoth(noun.theirs, noun.mine)
    expect(await on.run(confirmed)).toMatchObject({ exitCode: 0 })
    expect(await on.run('promote undo --to production --confirm production')).toMatchObject({ exitCode: 0 })
    const again = await on.run(confirmed)
    expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Preserved changes') })
    expect(await on.json('production', noun.read)).toMatchObject({ ...noun.live, max_duration: 301 })
  })

  test('that --force overwrote is a conflict again after the promotion is undone', async () => {
    const [noun] = nouns as [(typeof nouns)[0]]
    const on = await changedBoth(noun.theirs, noun.later)
    expect(await on.run(confirmed)).toMatchObject({ exitCode: 5 })
    expect(await on.run(`${confirmed} --force`)).toMatchObject({ exitCode: 0 })
    const undone = await on.run('promote undo --to production --confirm production')
    expect(undone.exitCode, undone.stderr).toBe(0)
    expect(await on.json('production', noun.read)).toMatchObject(noun.live)
    on.takeWrites()
    expect(await on.run(confirmed)).toMatchObject({ exitCode: 5 })
    expect(on.takeWrites()).toEqual([])
  })

  test.each([['max_duration'], ['initial_message']])(
    'in a skipped field is a conflict once the source changes that field, also if %s changed too',
    async (other) => {
      const on = await changedBoth(
        ['assistants', 'update', '1', '--system-prompt', 'Of production'],
        other === 'max_duration'
          ? ['assistants', 'update', '1', '--max-duration', '301']
          : ['tools', 'update', '2', '--tool-timeout', '29'],
      )
      expect(await on.run(`${confirmed} --skip-fields system_prompt`)).toMatchObject({ exitCode: 0 })
      await change(on, 'staging', 'assistants', 'update', '1', '--system-prompt', 'Of staging')
      on.takeWrites()
      const refused = await on.run(confirmed)
      expect(refused.exitCode, refused.stderr).toBe(5)
      expect(on.takeWrites()).toEqual([])
    },
  )
})

describe('a change of the source', () => {
  test('in a skipped field is promoted once the field is not skipped', async () => {
    const on = await changedBoth(
      ['assistants', 'update', '1', '--max-duration', '301'],
      ['assistants', 'update', '1', '--system-prompt', 'Of staging', '--initial-message', 'Second'],
    )
    const skipped = await on.run(`${confirmed} --skip-fields system_prompt`)
    expect(skipped.exitCode, skipped.stderr).toBe(0)
    const again = await on.run(`${confirmed} --skip-fields system_prompt`)
    expect(again.stderr + again.stdout).not.toContain('the profiles match')
    expect(await on.run(confirmed)).toMatchObject({ exitCode: 0 })
    expect(await on.json('production', 'assistants get 1')).toMatchObject({
      system_prompt: 'Of staging',
      max_duration: 301,
    })
  })

  test('in a field that the first promotion skipped is promoted once the field is not skipped', async () => {
    const on = await twoPlatforms()
    await change(on, 'staging', 'assistants', 'update', '1', '--system-prompt', 'Of staging', '--max-duration', '301')
    expect(await on.run(`${confirmed} --skip-fields system_prompt`)).toMatchObject({ exitCode: 0 })
    expect(await on.run(confirmed)).toMatchObject({ exitCode: 0 })
    expect(await on.json('production', 'assistants get 1')).toMatchObject({ system_prompt: 'Of staging' })
  })
})

describe('what a promotion says', () => {
  test('is not that the profiles match while a preserved field differs', async () => {
    const [noun] = nouns as [(typeof nouns)[0]]
    const on = await changedBoth(noun.theirs, noun.mine)
    expect(await on.run(confirmed)).toMatchObject({ exitCode: 0 })
    const again = await on.run(confirmed)
    expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Preserved changes') })
    expect(again.stdout + again.stderr).toContain('Nothing to promote')
    expect(again.stdout + again.stderr).not.toContain('the profiles match')
    expect(on.takeWrites().slice(1)).toEqual([])
  })

  test('is not that the profiles match while only the target has a resource', async () => {
    const on = await twoPlatforms()
    await change(on, 'production', 'labels', 'create', '--name', 'own')
    const run = await on.run(confirmed)
    expect(run.stdout + run.stderr).toContain('Nothing to promote')
    expect(run.stdout + run.stderr).not.toContain('the profiles match')
    expect(run.stdout + run.stderr).toContain('labels/own.yaml')
  })

  test('of a refusal names only the fields that were changed on the target', async () => {
    const on = await changedBoth(
      ['assistants', 'update', '1', '--system-prompt', 'Of production'],
      ['assistants', 'update', '1', '--system-prompt', 'Of staging', '--max-duration', '301'],
    )
    const { stderr, exitCode } = await on.run(confirmed)
    expect(exitCode).toBe(5)
    expect(stderr).not.toContain('overwritten')
    const refusal = stderr.slice(stderr.indexOf('error:'))
    expect(refusal).toContain('system_prompt')
    expect(refusal).not.toContain('max_duration')
  })
})

describe('promote undo', () => {
  test('restores its own fields while another field was changed on the target', async () => {
    const on = await changedBoth(['labels', 'create', '--name', 'p'], ['labels', 'create', '--name', 's'])
    await change(on, 'staging', 'assistants', 'update', '1', '--initial-message', 'Second')
    expect(await on.run(confirmed)).toMatchObject({ exitCode: 0 })
    await change(on, 'production', 'assistants', 'update', '1', '--system-prompt', 'Of production')
    const undone = await on.run('promote undo --to production --confirm production')
    expect(undone.exitCode, undone.stderr).toBe(0)
    expect(await on.json('production', 'assistants get 1')).toMatchObject({
      initial_message: 'First',
      system_prompt: 'Of production',
    })
    const again = await on.run(confirmed)
    expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Preserved changes') })
    expect(await on.json('production', 'assistants get 1')).toMatchObject({
      initial_message: 'Second',
      system_prompt: 'Of production',
    })
  })

  test('names only the fields that it would restore and that were changed since', async () => {
    const on = await twoPlatforms()
    await change(on, 'staging', 'assistants', 'update', '1', '--initial-message', 'First', '--max-duration', '301')
    expect(await on.run(confirmed)).toMatchObject({ exitCode: 0 })
    await change(on, 'production', 'assistants', 'update', '1', '--max-duration', '302', '--system-prompt', 'Own')
    const { exitCode, stderr } = await on.run('promote undo --to production --confirm production')
    expect(exitCode, stderr).toBe(5)
    expect(stderr).toContain('max_duration: 302 -> 600')
    expect(stderr).not.toMatch(/initial_message|system_prompt/)
    const forced = await on.run('promote undo --to production --confirm production --force')
    expect(forced).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('max_duration: 302 becomes 600') })
    expect(forced.stderr).not.toMatch(/overwritten with --force:[\s\S]*initial_message: "First" becomes/)
    expect(await on.json('production', 'assistants get 1')).toMatchObject({ system_prompt: 'Own', max_duration: 600 })
  })
})
