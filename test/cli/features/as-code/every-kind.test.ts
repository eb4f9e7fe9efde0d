import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'
import { all, assistant, change, desk, isUsual, path, pulled, read, write, writes } from './code-folder.ts'

const handbook = 'knowledge/practice-handbook.yaml'
const trunk = 'sip-trunks/2001.yaml'

/** Pushes, expects success, and expects that a second push sends nothing. */
async function pushTwice(by: Awaited<ReturnType<typeof pulled>>, env: Record<string, string> = {}): Promise<void> {
  const first = await by.run('push --yes', { env })
  expect(first.exitCode, first.stdout + first.stderr).toBe(0)
  const again = await by.run('push', { env })
  expect(again).toMatchObject({ exitCode: 0, stdout: '' })
  expect(writes(again.requests)).toEqual([])
}

describe('files of every kind', () => {
  test('are exported, one for each resource', async () => {
    const files = Object.keys(all(await pulled()))
    expect(files.filter((it) => !isUsual(it)).sort()).toEqual([
      'campaigns/call-back.yaml',
      'campaigns/check-up.yaml',
      'campaigns/reminders.yaml',
      'folders/front-desk.yaml',
      'folders/recall-campaigns.yaml',
      handbook,
      'labels/production.yaml',
      'labels/spanish.yaml',
      'labels/trial.yaml',
      'numbers/14155550199.yaml',
      'numbers/14157683069.yaml',
      'numbers/442077534162.yaml',
      'senders/14155550170.yaml',
      'senders/14155550171.yaml',
      'senders/14155550173.yaml',
      'senders/14155550174.yaml',
      'senders/14155550175.yaml',
      'senders/442079460172.yaml',
      'sip-trunks/14155550177.yaml',
      trunk,
    ])
  })

  test('the number of a trunk has the file of the trunk, and its name as a number says so', async () => {
    const by = await pulled()
    for (const line of ['pull numbers/2001', 'push numbers/14155550177 --dry-run'])
      expect(await by.run(line)).toMatchObject({
        exitCode: 4,
        stderr: expect.stringMatching(/The number "\d+" is in another file\.\nhint: Use sip-trunks\/\d+\./),
      })
    expect(await by.run('pull numbers/999')).toMatchObject({ stderr: expect.stringContaining('No number "999"') })
  })

  test('changes of folders, labels, knowledge bases, trunks, numbers and webhooks are applied', async () => {
    const by = await pulled()
    change(by, 'folders/front-desk.yaml', 'color: blue', 'color: red')
    change(by, 'labels/spanish.yaml', 'name: spanish', 'name: espanol')
    change(by, handbook, 'description: What each treatment costs', 'description: What a treatment costs')
    change(by, trunk, 'nickname: Reception', 'nickname: Desk')
    write(by, 'numbers/442077534162.yaml', `${read(by, 'numbers/442077534162.yaml')}nickname: London\n`)
    write(by, desk, `${read(by, desk)}inbound_webhook_url: https://hooks.example/inbound\n`)
    await pushTwice(by)
    expect(await by.json('folders list')).toContainEqual(expect.objectContaining({ name: 'Front desk', color: 'red' }))
    expect(await by.json('labels list')).toContainEqual(expect.objectContaining({ name: 'espanol' }))
    expect((await by.json('knowledge documents list 1'))[0].description).toMatch(/^What a treatment costs/)
    expect(await by.json('sip-trunks list')).toContainEqual(expect.objectContaining({ nickname: 'Desk' }))
    expect(await by.json('numbers list')).toContainEqual(expect.objectContaining({ nickname: 'London' }))
    expect((await by.json('assistants get 1')).inbound_webhook_url).toBe('https://hooks.example/inbound')
    change(by, desk, /inbound_webhook_url: .*\n/, '')
    await pushTwice(by)
    expect((await by.json('assistants get 1')).inbound_webhook_url).toBeNull()
  })

  test('new resources are created with their references, documents and secrets', async () => {
    const by = await pulled()
    write(by, 'labels/night.yaml', 'name: night\ncolor: teal\n')
    write(by, 'folders/nights.yaml', 'name: Nights\n')
    write(by, 'knowledge/prices.txt', 'A filling costs 80 USD.')
    write(
      by,
      'knowledge/night.yaml',
      'name: Night book\ndocuments:\n  - name: Site\n    type: website\n    url: https://night.example\n    relative_links_limit: 2\n  - name: Prices\n    type: txt\n    file: prices.txt\n',
    )
    write(
      by,
      'assistants/night.yaml',
      assistant(
        'Night desk',
        'folder_id: Nights\nlabel_ids:\n  - night\nknowledgebase_id: Night book\nphone_number_id: "+14155550178"\n',
      ),
    )
    write(by, 'campaigns/night.yaml', 'name: Night calls\nchannel: call\nassistant_id: Night desk\n')
    write(
      by,
      'sip-trunks/night.yaml',
      read(by, trunk).replace('_2001_SIP', 'NIGHT_SIP').replaceAll('2001', '+14155550178'),
    )
    expect(await by.run('push --yes')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('sip_password needs the environment variable NIGHT_SIP_PASSWORD'),
    })
    await pushTwice(by, { NIGHT_SIP_PASSWORD: 'very-secret' })
    const made = (await by.json('assistants list')).find((it: { name: string }) => it.name === 'Night desk')
    expect(await by.json(`assistants get ${made.id}`)).toMatchObject({
      folder_id: expect.any(Number),
      label_ids: [expect.any(Number)],
      knowledgebase_id: expect.any(Number),
      phone_number_id: expect.any(Number),
    })
    expect(await by.json('knowledge documents list "Night book"')).toMatchObject([
      { name: 'Site', type: 'website' },
      { name: 'Prices', type: 'txt' },
    ])
    expect(await by.json('campaigns get "Night calls"')).toMatchObject({ status: 'draft', assistant_id: made.id })
    expect(Object.values(all(by)).join('\n')).not.toContain('very-secret')
    // What only the file has stays in it when it is exported again.
    await by.run('knowledge update "Night book" --description Nights')
    expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
    expect(read(by, 'knowledge/night.yaml')).toContain('url: https://night.example')
    change(by, 'knowledge/night.yaml', 'description: Nights', 'description: All nights')
    await pushTwice(by)
    expect(await by.json('knowledge get "Night book"')).toMatchObject({ description: 'All nights' })
    change(by, 'knowledge/night.yaml', /\n {2}- name: Prices[\s\S]*prices.txt/, '')
    expect(await by.run('push')).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining('Deleting the document "Prices" of "Night book" requires confirmation'),
    })
    await pushTwice(by)
    expect(await by.json('knowledge documents list "Night book"')).toHaveLength(1)
  })

  test('never buys or releases a number, and never changes a campaign', async () => {
    const by = await pulled()
    const refused = async (text: string): Promise<void> => {
      const run = await by.run('push --yes')
      expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(text) })
      expect(writes(run.requests)).toEqual([])
    }
    write(by, 'numbers/new.yaml', 'phone_number: "+14155550111"\n')
    await refused('does not have the number +14155550111, and a push never buys numbers')
    rmSync(path(by, 'numbers/new.yaml'))
    change(by, 'campaigns/call-back.yaml', 'max_retries: 3', 'max_retries: 5')
    await refused('A campaign cannot be changed after its creation')
    expect(await by.run('pull --force-remote --only campaigns')).toMatchObject({ exitCode: 0 })
    change(by, 'campaigns/call-back.yaml', 'max_retries: 5', 'max_retries: 3')
    change(by, handbook, 'type: website', 'type: website\n  - name: New\n    type: pdf')
    await refused('documents.1: "New" has no content')
    change(by, handbook, 'type: pdf', 'type: pdf\n    file: none.pdf')
    await refused('documents.1.file: none.pdf not found')
    rmSync(path(by, handbook))
    rmSync(path(by, 'numbers/442077534162.yaml'))
    const pruned = await by.run('push --prune --yes --confirm "Practice handbook"')
    expect(pruned).toMatchObject({ stderr: expect.stringContaining('A push never releases numbers.') })
    expect(writes(pruned.requests)).toEqual([expect.stringContaining('DELETE /api/user/knowledgebases/')])
  })

  test('a folder of an earlier version keeps its kinds until it is exported again', async () => {
    const by = operator()
    expect(await by.run('pull --only tools,assistants,automations')).toMatchObject({ exitCode: 0 })
    for (const line of ['push', 'push --check', 'pull --check', 'diff'])
      expect(await by.run(line)).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
    expect(existsSync(path(by, 'folders/front-desk.yaml'))).toBe(true)
  })
})

describe('names limit a command', () => {
  test('to files, resources and new resources', async () => {
    const by = operator()
    expect(await by.run('pull assistants/front-desk "tools/lookup_patient"')).toMatchObject({ exitCode: 0 })
    expect(Object.keys(all(by)).sort()).toEqual([desk, 'parley.lock.json', 'tools/lookup-patient.yaml'])
    expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
    change(by, desk, 'max_duration: 600', 'max_duration: 300')
    change(by, 'tools/lookup-patient.yaml', /timeout: \d+/, 'timeout: 9')
    for (const name of [
      'assistants/front-desk.yaml',
      'parley/assistants/front-desk.yaml',
      'parley "assistants/Front desk"',
    ])
      expect(await by.run(`diff ${name}`)).toMatchObject({
        exitCode: 20,
        stdout: expect.stringMatching(/^assistants[^\n]*\n[^\n]*\n$/),
      })
    const pushed = await by.run('push assistants/front-desk.yaml')
    expect(pushed).toMatchObject({ exitCode: 0 })
    expect(writes(pushed.requests)).toEqual([expect.stringMatching(/^PUT .*\/assistant\/1$/)])
    expect(await by.run('push assistants/front-desk.yaml --check')).toMatchObject({ exitCode: 0 })
    expect(await by.run('push --check')).toMatchObject({ exitCode: 20 })
  })

  test('a name that nothing has, two folders and a contradiction are refused', async () => {
    const by = await pulled()
    for (const [line, text, exitCode = 2] of [
      [
        'push assistants/front-dsk',
        'No assistant "front-dsk" in the files or on the platform. Did you mean "front-desk"?',
        4,
      ],
      ['push one two', 'Only one folder can be given, not "one" and "two".'],
      ['diff a/tools/x b/tools/y', 'The files are in different folders: a and b.'],
      ['pull tools/x --only assistants', '--only excludes tools/x.'],
    ] as const) {
      const run = await by.run(line)
      expect(run).toMatchObject({ exitCode, stderr: expect.stringContaining(text) })
      expect(writes(run.requests)).toEqual([])
    }
    // A folder that looks like a name is a folder.
    expect(await by.run('pull tools/tools', { cwd: join(by.cwd) })).toMatchObject({ exitCode: 4 })
  })
})
