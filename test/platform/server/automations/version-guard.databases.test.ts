import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { code, hook, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform } from '../../../support/platform/automation-platform.ts'

const answering = (text: string) => ({ trigger: hook, steps: [code('1'), respond({ text })] })
const live = (id: string) => ({ 'parley-if-version': id })

describe.each(databases)('a change that names the live version it was based on, on $name', (database) => {
  const platform = automationPlatform(database)

  /** An automation with two versions, and the ids of both. */
  async function withTwo() {
    const by = await platform.owner()
    const first = await platform.create(by, { flow: answering('one') })
    const id: string = first.body.automation_id
    const second = await platform.update(by, id, { flow: answering('two') })
    const says = async () => JSON.parse((await platform.call(id, '/sync')).body).text
    return {
      by,
      id,
      says,
      old: first.headers['parley-version'] as string,
      now: second.headers['parley-version'] as string,
    }
  }

  test('is accepted if that version is live', async () => {
    const { by, id, now, says } = await withTwo()
    expect((await platform.update(by, id, { name: 'Other', enabled: false }, live(now))).body.data).toMatchObject({
      name: 'Other',
      status: 'disabled',
    })
    expect((await platform.update(by, id, { enabled: true }, live(now))).headers['parley-version']).toBe(now)
    const restored = await platform.restore(by, id, live(now))
    expect([restored.status, restored.headers['parley-version']]).toEqual([200, restored.body.restored_version_id])
    expect(await says()).toBe('one')
  })

  test('is refused if another version is live, which is named with its time, and changes nothing', async () => {
    const { by, id, old, now, says } = await withTwo()
    const before = (await platform.get(by, id, '?draft=true')).body
    const since = (await platform.versions(by, id)).body.versions[0].published_at
    const refusals = [
      await platform.update(by, id, { flow: answering('three') }, live(old)),
      await platform.update(by, id, { flow: answering('three') }, { ...live(old), 'parley-publish': 'when-tested' }),
      await platform.update(by, id, { enabled: false }, live(old)),
      await platform.update(by, id, { name: 'Other' }, live(old)),
      await platform.restore(by, id, live(old)),
      await platform.restoreVersion(by, id, 1, live(old)),
    ]
    for (const { status, body } of refusals)
      expect([status, body]).toEqual([
        409,
        {
          message: `Another version is live now: version 2 (${now}), since ${since}. Nothing changed.`,
          error: 'version_changed',
        },
      ])
    expect((await platform.get(by, id, '?draft=true')).body).toEqual(before)
    expect(await says()).toBe('two')
  })

  test('two restores at the same moment do not undo each other', async () => {
    const { by, id, now, says } = await withTwo()
    const both = await Promise.all([platform.restore(by, id, live(now)), platform.restore(by, id, live(now))])
    expect(both.map((answer) => answer.status).sort()).toEqual([200, 409])
    expect(await says()).toBe('one')
    const unguarded = await withTwo()
    await Promise.all([platform.restore(unguarded.by, unguarded.id), platform.restore(unguarded.by, unguarded.id)])
    expect((await platform.versions(unguarded.by, unguarded.id)).body.versions.length).toBeLessThanOrEqual(4)
  })
})

describe.each(databases)('any published version on $name', (database) => {
  const platform = automationPlatform(database)

  async function withThree() {
    const by = await platform.owner()
    const { body } = await platform.create(by, {
      flow: { trigger: hook, steps: [code('1', { 'x-api-key': 'k-123456789' }), respond({ text: 'one' })] },
    })
    const id: string = body.automation_id
    for (const text of ['two', 'three']) await platform.update(by, id, { flow: answering(text) })
    const says = async () => JSON.parse((await platform.call(id, '/sync')).body).text
    return { by, id, says }
  }

  test('can be read with its definition, with secrets masked by default', async () => {
    const { by, id } = await withThree()
    const { status, body, headers } = await platform.version(by, id, 1)
    const [listed] = (await platform.versions(by, id)).body.versions.filter(
      (one: { number: number }) => one.number === 1,
    )
    expect(status).toBe(200)
    expect(body.data).toEqual({
      number: 1,
      id: listed.id,
      published_at: listed.published_at,
      live: false,
      restored_from: null,
      name: 'Flow',
      definition: expect.objectContaining({ name: 'trigger' }),
      binding: null,
    })
    expect(headers['parley-version']).toBe((await platform.get(by, id)).headers['parley-version'])
    expect(JSON.stringify(body)).not.toContain('k-123456789')
    expect(JSON.stringify((await platform.version(by, id, 1, '?include_secrets=true')).body)).toContain('k-123456789')
  })

  test('that does not exist, or is of another account, is not found', async () => {
    const { by, id } = await withThree()
    const other = await platform.owner()
    for (const number of [4, 0, 'x']) expect((await platform.version(by, id, number)).status).toBe(404)
    expect((await platform.version(by, id, 4)).body).toEqual({ message: 'Version not found for this automation' })
    expect((await platform.version(other, id, 1)).body).toEqual({ message: 'Automation not found' })
    expect((await platform.restoreVersion(by, id, 4)).body).toEqual({
      message: 'Version not found for this automation',
      error: 'not_found',
    })
    expect((await platform.restoreVersion(other, id, 1)).body).toEqual({
      message: 'Automation not found',
      error: 'not_found',
    })
  })

  test('can be restored, and the restore can be undone', async () => {
    const { by, id, says } = await withThree()
    const { status, body } = await platform.restoreVersion(by, id, 1)
    expect([status, body]).toEqual([
      200,
      {
        automation_id: id,
        name: 'Flow',
        status: 'enabled',
        restored_version_id: expect.stringMatching(/^\w{21}$/),
        note: expect.stringContaining('Restored version 1 as version 4'),
      },
    ])
    expect(await says()).toBe('one')
    expect((await platform.versions(by, id)).body.versions[0]).toMatchObject({
      number: 4,
      live: true,
      restored_from: 1,
    })
    await platform.restore(by, id)
    expect(await says()).toBe('three')
  })

  test('with the content of the live version is not copied', async () => {
    const { by, id } = await withThree()
    const refused = await platform.restoreVersion(by, id, 3)
    expect([refused.status, refused.body.error]).toEqual([409, 'already_live'])
    await platform.restoreVersion(by, id, 1)
    expect((await platform.restoreVersion(by, id, 1)).body).toEqual({
      message: 'Version 1 has the same content as the live version (4). Nothing changed.',
      error: 'already_live',
    })
    expect((await platform.versions(by, id)).body.versions).toHaveLength(4)
  })
})
