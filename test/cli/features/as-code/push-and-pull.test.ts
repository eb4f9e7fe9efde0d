import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { failureRemark } from '../../../../src/cli/features/as-code/sync-failures.ts'
import { operator, type RunOptions } from '../../../support/operator.ts'
import { all, assistant, book, change, desk, isUsual, path, pulled, read, tool, write, writes } from './code-folder.ts'

describe('a folder that was pulled', () => {
  test('writes a file for each resource, uses names for references, and a second run changes nothing', async () => {
    const by = await pulled()
    expect(Object.keys(all(by)).filter(isUsual).sort()).toEqual([
      desk,
      'assistants/recall.yaml',
      'automations/move-a-visit.yaml',
      'automations/opening-hours.yaml',
      'automations/weekly-count.yaml',
      'parley.lock.json',
      book,
      'tools/lookup-patient.yaml',
      'tools/quote-treatment.yaml',
      'tools/reschedule-visit.yaml',
    ])
    for (const line of [
      'voice_id: Amelia',
      'language_id: English',
      'llm_model_id: Balanced',
      '  - lookup_patient',
      'knowledgebase_id: Practice handbook',
      'phone_number_id: "+1415',
    ])
      expect(read(by, desk)).toContain(line)
    const before = all(by)
    expect(await by.run('pull')).toMatchObject({ exitCode: 0, stdout: '' })
    expect(all(by)).toEqual(before)
  })

  test('has nothing to push', async () => {
    const by = await pulled()
    const before = all(by)
    const pushed = await by.run('push')
    expect(pushed).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'Nothing to push: the platform matches the files.\n',
    })
    expect(writes(pushed.requests)).toEqual([])
    expect(all(by)).toEqual(before)
    for (const line of ['push --check', 'pull --check', 'diff --json'])
      expect(await by.run(line)).toMatchObject({ exitCode: 0 })
  })

  test('is updated with changes of the platform; comments, blank lines and the order of fields stay', async () => {
    const by = await pulled()
    write(
      by,
      book,
      `# Ask Ada first.\n${read(by, book).replace('timeout: 15', '\ntimeout: 15 # seconds').replace('schema:', '# What the caller is asked for.\nschema:')}`,
    )
    await by.run('tools update 2 --tool-timeout 20 --body-format form')
    expect(await by.run('pull --check')).toMatchObject({
      exitCode: 20,
      stdout: expect.stringContaining('changed remotely'),
    })
    expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
    expect(read(by, book)).toMatch(/^# Ask Ada first\.\n# yaml-language-server: .*\nname: book_appointment\n/)
    expect(read(by, book)).toContain('body_format: form\n\ntimeout: 20 # seconds\n')
    expect(read(by, book)).toContain('# What the caller is asked for.\nschema:')
    expect(await by.run('push')).toMatchObject({ exitCode: 0, stdout: '' })
  })

  test('deletes the file of a resource that was deleted, and writes one for a new resource', async () => {
    const by = await pulled()
    await by.run('tools delete 3 --confirm quote_treatment')
    await by.run([
      'tools',
      'create',
      '--name',
      'weather',
      '--description',
      'x',
      '--endpoint',
      'https://x.example',
      '--method',
      'GET',
    ])
    expect(await by.run('pull')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('so the files were removed: tools/quote-treatment.yaml.'),
    })
    expect(existsSync(path(by, 'tools/quote-treatment.yaml'))).toBe(false)
    expect(existsSync(path(by, 'tools/weather.yaml'))).toBe(true)
    expect(read(by, desk)).not.toContain('quote_treatment')
  })

  test('may contain only some kinds of resources', async () => {
    const by = operator()
    expect(await by.run('pull practice --only tools')).toMatchObject({ exitCode: 0 })
    expect(readdirSync(join(by.cwd, 'practice')).sort()).toEqual(['.schema', 'parley.lock.json', 'tools'])
    expect(await by.run('push practice --only tools,assistants')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('Not in files: "Front desk"'),
    })
    expect(await by.run('pull --only voices')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Invalid --only "voices"'),
    })
  })
})

describe('a push', () => {
  test('prints what it will do, sends only fields that differ, and records the result', async () => {
    const by = await pulled()
    change(by, desk, 'max_duration: 600', 'max_duration: 300')
    change(by, book, 'timeout: 15', 'timeout: 20')
    expect(await by.run('diff')).toMatchObject({
      exitCode: 20,
      stdout: `${book}: changed locally\n  timeout: 15 -> 20\n${desk}: changed locally\n  max_duration: 600 -> 300\n`,
    })
    expect(JSON.parse((await by.run('diff --json')).stdout)[0]).toMatchObject({
      file: book,
      status: 'changed_locally',
      changes: [{ field: 'timeout', platform: 15, file: 20 }],
    })
    expect(await by.run('push --check')).toMatchObject({ exitCode: 20 })
    const shown = await by.run('push --dry-run')
    expect(shown).toMatchObject({
      exitCode: 0,
      stderr: `Plan:\n  update ${book} (timeout)\n  update ${desk} (max_duration)\nDry run. Nothing was sent.\n`,
    })
    expect(writes(shown.requests)).toEqual([])
    const bodies: unknown[] = []
    const through: RunOptions['through'] = (handle, request) => {
      if (request.method === 'PUT') bodies.push(JSON.parse(request.body ?? ''))
      return handle(request)
    }
    expect(await by.run('push', { through })).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Plan:') })
    expect(bodies).toEqual([{ timeout: 20 }, { max_duration: 300 }])
    expect(await by.run('push')).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await by.json('history list')).toMatchObject([{ noun: 'assistants' }, { noun: 'tools' }])
  })

  test('clears fields that were removed from a file, and leaves fields that it never had', async () => {
    const by = await pulled()
    change(by, desk, /knowledgebase_id: .*\n/, '')
    change(by, desk, /label_ids:\n {2}- .*\n/, '')
    change(by, desk, 'max_duration: 600', 'max_duration: 300')
    expect(await by.run('push')).toMatchObject({ exitCode: 0 })
    expect(await by.json('assistants get 1')).toMatchObject({
      knowledgebase_id: null,
      label_ids: [],
      max_duration: 300,
    })
    change(by, desk, /max_duration: .*/, 'max_duration:')
    expect(await by.run('push')).toMatchObject({ exitCode: 0 })
    expect((await by.json('assistants get 1')).max_duration).toBe(600)
    expect(await by.run('push')).toMatchObject({ exitCode: 0, stdout: '' })
    write(by, 'tools/small.yaml', tool('small'))
    await by.run('push')
    await by.run('tools update small --tool-timeout 25')
    await by.run('pull')
    rmSync(path(by, 'parley.lock.json'))
    write(by, 'tools/small.yaml', tool('small'))
    expect(await by.run('push')).toMatchObject({ exitCode: 0, stdout: '' })
    change(by, 'tools/small.yaml', 'Some tool.', 'Another.')
    expect(await by.run('push')).toMatchObject({ exitCode: 0 })
    expect(await by.json('tools get small')).toMatchObject({ description: 'Another.', timeout: 25 })
  })

  test('creates new resources in the order of their references, also for assistants that hand over to each other', async () => {
    const by = await pulled()
    const handing = (to: string): string =>
      `tool_ids: [fresh]\ntools:\n  - type: assistant_transfer\n    assistant_id: ${to}\n`
    write(by, 'tools/fresh.yaml', tool('fresh'))
    write(by, 'assistants/a.yaml', assistant('Ada', handing('Ben')))
    write(by, 'assistants/b.yaml', assistant('Ben', handing('Ada')))
    expect(await by.run('push --json')).toMatchObject({ exitCode: 0 })
    const [ada, ben, fresh] = [
      await by.json('assistants get Ada'),
      await by.json('assistants get Ben'),
      await by.json('tools get fresh'),
    ]
    expect([ada.tools[0].assistant_id, ben.tools[0].assistant_id, ada.tool_ids]).toEqual([ben.id, ada.id, [fresh.id]])
    expect(await by.run('push')).toMatchObject({ exitCode: 0, stdout: '' })
  })

  test('reports both of two assistants that hand over to each other when one cannot be created, and the next push completes them', async () => {
    const by = await pulled()
    const handing = (to: string): string => `tools:\n  - type: assistant_transfer\n    assistant_id: ${to}\n`
    write(by, 'assistants/a.yaml', assistant('Ada', handing('Ben')))
    write(by, 'assistants/b.yaml', assistant('Ben', handing('Ada')))
    await by.json('server faults create assistants.create --error assistants.not_yours --times 1')
    const pushed = await by.run('push --json')
    expect(pushed.exitCode).toBe(11)
    const done = (JSON.parse(pushed.stdout) as { file: string; done: string }[]).map((it) => [it.file, it.done])
    expect(done).toEqual([
      ['assistants/a.yaml', 'failed'],
      ['assistants/b.yaml', 'failed'],
    ])
    expect(writes(pushed.requests)).toHaveLength(2)
    expect(await by.run('push')).toMatchObject({ exitCode: 0 })
    const [ada, ben] = [await by.json('assistants get Ada'), await by.json('assistants get Ben')]
    expect([ada.tools[0].assistant_id, ben.tools[0].assistant_id]).toEqual([ben.id, ada.id])
  })

  test('refuses unknown names, unknown fields and broken files before anything is sent', async () => {
    const by = await pulled()
    change(by, book, 'timeout: 15', 'timeout: 20')
    for (const [file, text, printed] of [
      [
        'assistants/x.yaml',
        assistant('X').replace('Amelia', 'Nobody'),
        /assistants\/x\.yaml: voice_id: voice "Nobody" not found/,
      ],
      ['assistants/x.yaml', assistant('X', 'tool_ids: [nothing]\n'), /x\.yaml: tool_ids\.0: tool "nothing" not found/],
      ['tools/x.yaml', tool('x', 'timeuot: 5\n'), /tools\/x\.yaml: unknown field "timeuot"\. Did you mean timeout/],
      ['tools/x.yaml', tool('x').replace(/^name.*\n/, ''), /tools\/x\.yaml: name is missing/],
      ['tools/x.yaml', 'name: [', /tools\/x\.yaml is not valid JSON or YAML/],
    ] as const) {
      write(by, file, text)
      const { exitCode, stdout, stderr, requests } = await by.run('push')
      expect({ exitCode, stdout, stderr, written: writes(requests) }).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringMatching(printed),
        written: [],
      })
      rmSync(path(by, file))
    }
    expect(await by.run('push nowhere')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('parley pull nowhere'),
    })
    expect(await by.run('push --print-curl')).toMatchObject({ exitCode: 2 })
  })

  test('refuses conflicts, with file and fields, unless a flag says which side wins', async () => {
    const by = await pulled()
    change(by, book, 'timeout: 15', 'timeout: 20')
    change(by, desk, 'max_duration: 600', 'max_duration: 300')
    await by.run('tools update 2 --tool-timeout 25')
    for (const verb of ['pull', 'push', 'push --dry-run']) {
      const { exitCode, stderr, requests } = await by.run(verb)
      expect({ exitCode, stderr }).toEqual({
        exitCode: 5,
        stderr: expect.stringContaining(`${book} (timeout). Nothing was changed.`),
      })
      expect(writes(requests)).toEqual([])
    }
    expect(await by.run('push --force-local')).toMatchObject({ exitCode: 0 })
    expect((await by.json('tools get 2')).timeout).toBe(20)
    change(by, book, 'timeout: 20', 'timeout: 5')
    await by.run('tools update 2 --tool-timeout 25')
    expect(await by.run('pull --force-remote')).toMatchObject({ exitCode: 0 })
    expect(read(by, book)).toContain('timeout: 25')
  })

  test('deletes only with --prune and confirmation, and never an assistant that is in use', async () => {
    const by = await pulled()
    rmSync(path(by, 'tools/lookup-patient.yaml'))
    rmSync(path(by, desk))
    expect(await by.run('push')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(
        'Not deleted (no local file): "lookup_patient", "Front desk". To delete them: --prune',
      ),
    })
    expect(await by.run('push --prune')).toMatchObject({ exitCode: 10 })
    const refused = await by.run('push --prune --yes')
    expect(refused).toMatchObject({
      exitCode: 10,
      stdout: '',
      stderr: expect.stringMatching(/"Front desk" is in use[\s\S]*--confirm "Front desk"/),
    })
    expect(writes(refused.requests)).toEqual([])
    const { exitCode, stdout, stderr } = await by.run(['push', '--prune', '--yes', '--confirm', 'Front desk', '--json'])
    expect(`${exitCode} ${stderr}`).toMatch(
      /^20 .*still differs.*: senders\/.* campaigns\/call-back.yaml \(assistant_id\)/s,
    )
    expect(JSON.parse(stdout)).toMatchObject([
      { file: desk, done: 'deleted' },
      { file: 'tools/lookup-patient.yaml', done: 'deleted' },
    ])
  })

  test('refuses to delete a tool in use, unless the same push removes the reference', async () => {
    const by = await pulled()
    rmSync(path(by, 'tools/lookup-patient.yaml'))
    rmSync(path(by, book))
    change(by, desk, 'max_duration: 600', 'max_duration: 300')
    const refused = await by.run('push --prune --yes --confirm lookup_patient')
    expect(refused).toMatchObject({
      exitCode: 10,
      stderr: expect.stringMatching(/one by one: .*parley tools delete \d/),
    })
    expect(writes(refused.requests)).toEqual([])
    for (const file of [desk, 'assistants/recall.yaml'])
      write(
        by,
        file,
        read(by, file)
          .replaceAll(/ {2}- (lookup_patient|book_appointment)\n/g, '')
          .replace(/tool_ids:\n(?! {2}-)/, 'tool_ids: []\n'),
      )
    expect(await by.run('push --prune --yes')).toMatchObject({ exitCode: 0 })
  })

  test('prints the plan in a dry run', async () => {
    const by = await pulled()
    change(by, book, 'timeout: 15', 'timeout: 20')
    write(by, 'tools/fresh.yaml', tool('fresh'))
    rmSync(path(by, 'tools/quote-treatment.yaml'))
    const { stdout, stderr, requests } = await by.run('push --dry-run --prune --json')
    expect(JSON.parse(stdout).map((it: { done: string }) => it.done)).toEqual([
      'would_update',
      'would_create',
      'would_delete',
    ])
    expect(stderr).toContain('Dry run. Nothing was sent.')
    expect(writes(requests)).toEqual([])
    expect((await by.run('push --dry-run --prune')).stdout).toContain('would delete')
  })

  test('follows a renamed file to its resource: nothing is created twice or deleted', async () => {
    const by = await pulled()
    const before = (await by.json('tools list')) as { id: number; name: string }[]
    renameSync(path(by, book), path(by, 'tools/booking.yaml'))
    expect(await by.run('pull --check')).toMatchObject({ exitCode: 0 })
    const pushed = await by.run('push --prune --yes')
    expect({ ...pushed, written: writes(pushed.requests) }).toMatchObject({ exitCode: 0, stdout: '', written: [] })
    const locked = JSON.parse(read(by, 'parley.lock.json'))
    const files = Object.keys(Object.values(locked.platforms)[0] as object)
    expect(files).toContain('tools/booking.yaml')
    expect(files).not.toContain(book)
    renameSync(path(by, 'tools/booking.yaml'), path(by, book))
    change(by, book, 'timeout: 15', 'timeout: 20')
    expect(JSON.parse((await by.run('push --prune --yes --json')).stdout)).toMatchObject([
      { file: book, done: 'updated' },
    ])
    expect((await by.json('tools list')).map((it: { id: number }) => it.id)).toEqual(before.map((it) => it.id))
    renameSync(path(by, book), path(by, 'tools/booking.yaml'))
    await by.run('tools update 2 --tool-timeout 25')
    expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
    expect([existsSync(path(by, book)), read(by, 'tools/booking.yaml').includes('timeout: 25')]).toEqual([false, true])
  })

  test('continues after the platform refused one file, and a second run does the rest', async () => {
    const by = await pulled()
    change(by, 'tools/lookup-patient.yaml', 'timeout: 10', 'timeout: 900')
    change(by, book, 'timeout: 15', 'timeout: 20')
    const { exitCode, stdout } = await by.run('push --json')
    expect(exitCode).toBe(11)
    expect(JSON.parse(stdout)).toMatchObject([
      { done: 'updated' },
      { done: 'failed', remark: expect.stringContaining('timeout') },
    ])
    change(by, 'tools/lookup-patient.yaml', 'timeout: 900', 'timeout: 9')
    expect(JSON.parse((await by.run('push --json')).stdout)).toMatchObject([
      { file: 'tools/lookup-patient.yaml', done: 'updated' },
    ])
  })

  test('reports each problem of a file once', () => {
    const details = [{ path: 'endpoint', message: 'No such host.' }]
    expect(failureRemark({ message: 'No such host.', details })).toBe('endpoint: No such host.')
    expect(failureRemark({ message: 'endpoint: No such host.', details })).toBe('endpoint: No such host.')
    expect(failureRemark({ message: 'It was refused.', details })).toBe('It was refused: endpoint: No such host.')
    expect(failureRemark({ message: 'It was refused.', details: [] })).toBe('It was refused.')
  })

  test('follows the rules of protected and read-only profiles', async () => {
    const by = await pulled()
    change(by, book, 'timeout: 15', 'timeout: 20')
    await by.run('profile set local --protected')
    expect(await by.run('push')).toMatchObject({ exitCode: 10 })
    expect(await by.run('push --confirm local')).toMatchObject({ exitCode: 0 })
  })
})

test('a second account becomes the same as the first, matched by names', async () => {
  const by = await pulled()
  await by.run('server accounts create --name Second')
  const { key } = await by.json('server accounts key 2')
  const env = { PARLEY_API_KEY: key as string, BOOK_APPOINTMENT_X_PRACTICE: 'northwind' }
  // What files cannot bring along is taken out, or has to be there. The first account has no automation for this tool.
  rmSync(path(by, 'tools/reschedule-visit.yaml'))
  for (const file of [desk, 'assistants/recall.yaml'])
    write(
      by,
      file,
      read(by, file)
        .replace('  - reschedule_visit\n', '')
        .replaceAll(/(knowledgebase_id|folder_id|phone_number_id|label_ids):.*\n( {2}- .*\n)*/g, ''),
    )
  expect(await by.run('push --only tools,assistants')).toMatchObject({ exitCode: 0 })
  await by.run('tools create --name other --description x --endpoint https://x.example --method GET', { env })
  const pushed = await by.run('push --only tools,assistants', { env })
  expect(pushed.stderr).toContain('Plan:')
  expect(pushed).toMatchObject({ exitCode: 0 })
  const [mine, theirs] = [
    await by.json('assistants get "Front desk"'),
    await by.json('assistants get "Front desk"', { env }),
  ]
  expect(theirs.tool_ids).not.toEqual(mine.tool_ids)
  expect(theirs).toMatchObject({ voice_id: mine.voice_id, system_prompt: mine.system_prompt })
  for (const of of [{}, { env }])
    expect(writes((await by.run('push --only tools,assistants', of)).requests)).toEqual([])
})

test('automations reference assistants by name, in their binding and their steps', async () => {
  const by = operator()
  await by.run('automate apply post-call-callback --assistant-id 2 --confirm-side-effects')
  await by.run('pull')
  const file = readdirSync(path(by, 'automations')).find((it) => !/opening|weekly/.test(it)) as string
  expect(read(by, `automations/${file}`)).toMatch(/^assistant_id: Recall$/m)
  expect(await by.run('push')).toMatchObject({ exitCode: 0, stdout: '' })
})

test('a run that was interrupted between creating and recording is resumed', async () => {
  const by = await pulled()
  for (const n of [1, 2, 3]) write(by, `tools/t${n}.yaml`, tool(`t${n}`))
  const interrupt = new AbortController()
  let made = 0
  const through: RunOptions['through'] = async (handle, request) => {
    const answer = await handle(request)
    if (request.method === 'POST' && ++made === 2) interrupt.abort(130)
    return answer
  }
  expect(await by.run('push', { through, interrupt })).toMatchObject({ exitCode: 130 })
  expect(await by.run('push')).toMatchObject({ exitCode: 0 })
  expect((await by.json('tools list')).filter((it: { name: string }) => /^t\d$/.test(it.name))).toHaveLength(3)
  expect(await by.run('push')).toMatchObject({ exitCode: 0, stdout: '' })
})
