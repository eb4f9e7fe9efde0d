import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Operator, operator, type RunOptions } from '../../support/operator.ts'

const needed =
  '--name Desk --type inbound --language-id 1 --timezone Europe/London --initial-message Hello --system-prompt "Help them."'
const pipeline = `assistants create ${needed} --mode pipeline --llm-model-id 2 --voice-id 1`

test('an assistant can be created in each mode, and is shown by id, UUID and name', async () => {
  const { run, json } = operator()
  expect(await json(pipeline)).toEqual({ id: 3, name: 'Desk', status: 'inactive', type: 'inbound', mode: 'pipeline' })
  expect(
    (await run(`assistants create ${needed} --mode multimodal --multimodal-model-id 21 --voice-id 43 -o id`)).stdout,
  ).toBe('4\n')
  expect((await run(`assistants create ${needed} --mode dualplex --multimodal-model-id 41 --voice-id 1`)).stdout).toBe(
    'Assistant created successfully. Id: 5\n',
  )
  const shown = await json('assistants get 3')
  expect(shown).toMatchObject({ id: 3, name: 'Desk', llm_model_id: 2, max_duration: 600, tools: [] })
  expect(await json(`assistants get ${shown.uuid}`)).toEqual(shown)
  expect(await json('assistants get Recall')).toMatchObject({ id: 2, name: 'Recall' })
  expect(await json('assistants list')).toContainEqual(shown)
  const ambiguous = await run('assistants get Desk')
  expect(ambiguous).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Several assistants are named "Desk": 3, 4, 5.'),
  })
  expect(await run('assistants get Nobody')).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining('No assistant "Nobody" found.'),
  })
  expect(await run('assistants get 99')).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining('Assistant 99 not found.'),
  })
})

test('an assistant after the first hundred is found too', async () => {
  const { json } = operator()
  const page = (n: number) =>
    Array.from({ length: n === 1 ? 100 : 7 }, (_, at) => ({
      id: (n - 1) * 100 + at + 1,
      uuid: `u-${n}-${at}`,
      name: `Desk ${(n - 1) * 100 + at + 1}`,
    }))
  const through: RunOptions['through'] = async (_, { url }) => {
    const n = Number(new URLSearchParams(url.split('?')[1]).get('page') ?? 1)
    expect(new URLSearchParams(url.split('?')[1]).get('per_page')).toBe('100')
    return {
      status: 200,
      headers: {},
      body: JSON.stringify({ data: page(n), current_page: n, last_page: 2, per_page: 100, total: 107 }),
    }
  }
  for (const given of ['105', 'u-2-4', '"Desk 105"'])
    expect(await json(`assistants get ${given}`, { through })).toMatchObject({ id: 105 })
})

describe('an invalid setting', () => {
  const wrong: readonly (readonly [flags: string, flag: string, text: string])[] = [
    [`--name ${'x'.repeat(256)}`, '--name', 'The name field must not be greater than 255 characters.'],
    ['--max-duration 19', '--max-duration', 'The max duration field must be between 20 and 1200.'],
    ['--voice-stability 1.1', '--voice-stability', 'The voice stability field must be between 0 and 1.'],
    ['--timezone Mars/Olympus', '--timezone', 'The timezone field must be a valid timezone.'],
    [
      '--phone-number-id 3',
      '--phone-number-id',
      'The selected phone number id is a Caller ID and cannot be used when type is inbound.',
    ],
    [
      '--phone-number-id 4',
      '--phone-number-id',
      'The selected phone number id is already assigned to another inbound assistant.',
    ],
    ['--tool-ids [1,77]', '--tool-ids (tool_ids.1)', 'The selected tool ids.1 is invalid.'],
    ['--is-webhook-active', '--webhook-url', 'The webhook url field is required when is webhook active is true.'],
    [
      '--synthesizer-provider-id 3',
      '--synthesizer-provider-id',
      'The selected synthesizer provider id does not have the voice.',
    ],
    [
      "--tools '[{type: collect_keypad, timeout: 31}]'",
      '--tools (tools.0.timeout)',
      'The tools.0.timeout field must be between 1 and 30.',
    ],
    ['--ambient-sound rain', '--ambient-sound', 'The selected ambient sound is invalid.'],
    ['--max-duration soon', '--max-duration', 'The max duration field must be an integer.'],
  ]

  test.each(wrong)('%s is refused with its flag and the rule', async (flags, flag, text) => {
    const { run, json } = operator()
    const before = await json('assistants list')
    const { exitCode, stderr, stdout } = await run(`${pipeline} ${flags}`)
    expect({ exitCode, stdout }).toEqual({ exitCode: 6, stdout: '' })
    expect(stderr).toContain(`error: Validation failed\n`)
    expect(stderr).toContain(`  ${flag}: ${text}`)
    const { error } = JSON.parse((await run(`${pipeline} ${flags} --json`)).stderr)
    expect(error).toMatchObject({
      status: 422,
      details: expect.arrayContaining([{ path: expect.any(String), message: text }]),
    })
    expect(await json('assistants list')).toEqual(before)
  })
})

describe('an update', () => {
  test('changes only the given fields', async () => {
    const { json } = operator()
    const { updated_at: _, ...before } = await json('assistants get 1')
    await json('assistants update "Front desk" --max-duration 300 --record --no-fillers --voice-mail-message null')
    expect(await json('assistants get 1')).toMatchObject({
      ...before,
      max_duration: 300,
      record: true,
      fillers: false,
      voice_mail_message: null,
    })
    expect(await operator().run('assistants update 1')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Missing fields to change.'),
    })
  })

  test.each(['json', 'yaml'])('with the output of get as %s changes only what was edited', async (form) => {
    for (const id of [1, 2]) {
      const { run, json, cwd } = operator()
      const file = join(cwd, `assistant.${form}`)
      writeFileSync(
        file,
        (await run(`assistants get ${id} -o ${form}`)).stdout.replace(/(max_silence_duration"?: ?)40/, '$144'),
      )
      const before = await json(`assistants get ${id}`)
      expect(await run(`assistants update ${id} --file ${file}`)).toMatchObject({
        exitCode: 0,
        stderr: `Next: parley assistants get ${id}\n`,
      })
      const after = await json(`assistants get ${id}`)
      expect(after).toEqual({ ...before, max_silence_duration: 44, updated_at: after.updated_at })
    }
  })

  test('creates a copy from the output of get', async () => {
    const { run, json } = operator()
    const { exitCode, stderr } = await run('assistants create --file - --name Copy -o id', {
      stdin: (await run('assistants get 2 -o yaml')).stdout,
    })
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
    const own = { id: 0, uuid: '', name: '', status: '', created_at: '', updated_at: '' }
    expect({ ...(await json('assistants get Copy')), ...own }).toEqual({
      ...(await json('assistants get Recall')),
      ...own,
    })
  })

  test('sends null only if it was asked to', async () => {
    const { run } = operator()
    const refused = await run("assistants update 1 --data '{llm_model_id: null}' --unset llm_model_id")
    expect(refused).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('--llm-model-id: The llm model id field'),
    })
  })

  test('edits the list of tools by id and by name', async () => {
    const { run, json } = operator()
    await json('assistants update 1 --add-tool reschedule_visit,2 --remove-tool lookup_patient,3')
    expect((await json('assistants get 1')).tool_ids).toEqual([2, 4])
    const { stderr } = await run('assistants update 1 --remove-tool 2', { terminal: true })
    expect(stderr).toBe('Changed:\n  tool_ids: 2 entries -> 1 entry; removed 2\nNext: parley assistants get 1\n')
    expect(await run('assistants update 1 --add-tool 1 --tool-ids [2]')).toMatchObject({ exitCode: 2, requests: [] })
    expect(await run('assistants update 1 --add-tool nothing')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('No tool "nothing" found.'),
    })
    expect(await run('assistants update 1 --add-tool 77')).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('--tool-ids (tool_ids.1):'),
    })
  })

  test('to another mode names the settings that were reset', async () => {
    const { run, json } = operator()
    await json('assistants update 1 --voice-stability 0.2')
    const { exitCode, stdout, stderr } = await run(
      'assistants update 1 --mode dualplex --multimodal-model-id 41 --speech-speed 1.1',
    )
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Assistant updated successfully. Id: 1\n' })
    expect(stderr).toBe(
      'Changing the mode from pipeline to dualplex reset:\n  llm_model_id: 2 -> not set\n  fillers: false -> not set\n  voice_stability: 0.2 -> 0.7\nNext: parley assistants get 1\n',
    )
  })

  test('in an editor sends the edited fields', async () => {
    const { run, json } = operator()
    const before = await json('assistants get 2')
    let document = ''
    const editor = (text: string) => {
      document = text
      return text.replace('max_duration: 300', 'max_duration: 240').replace('type: outbound', 'type: inbound')
    }
    expect(
      await run('assistants update Recall --edit', { env: { EDITOR: 'vi' }, editor, terminal: true }),
    ).toMatchObject({ exitCode: 0 })
    expect(document).not.toMatch(/uuid|_at:|llm_model_id: null|inbound_webhook_url/)
    const after = await json('assistants get 2')
    expect(after).toEqual({ ...before, max_duration: 240, type: 'inbound', updated_at: after.updated_at })
    expect(
      await run('assistants update 2 --edit', { env: { EDITOR: 'vi' }, editor: (text) => text, terminal: true }),
    ).toMatchObject({
      exitCode: 0,
      stdout: 'No changes.\n',
    })
  })
})

test('an assistant of a deployment with other value formats is shown and sent as in the contract', async () => {
  const { run, json, cwd } = operator({ supports: 'neutral' })
  const theirs = {
    id: 7,
    uuid: 'u',
    name: 'Theirs',
    mode: 'pipeline',
    llm_temperature: '0.10',
    voice_stability: '0.70',
    fillers: 1,
    record: 0,
    secondary_language_ids: '[2]',
    tools: [{ type: 'collect_keypad', data: { timeout: 5 } }],
    engine_id: 4,
    deleted_at: null,
  }
  let sent: unknown
  const through: RunOptions['through'] = async (_, { method, body }) => {
    if (method === 'PUT') sent = JSON.parse(body ?? '')
    const answer =
      method === 'PUT'
        ? { message: 'ok', data: theirs }
        : { data: [theirs], current_page: 1, last_page: 1, per_page: 100, total: 1, next_page_url: null }
    return { status: 200, headers: {}, body: JSON.stringify(answer) }
  }
  const ours = {
    ...theirs,
    llm_temperature: 0.1,
    voice_stability: 0.7,
    fillers: true,
    record: false,
    secondary_language_ids: [2],
    tools: [{ type: 'collect_keypad', timeout: 5 }],
  }
  expect(await json('assistants get 7', { through })).toEqual(ours)
  const file = join(cwd, 'theirs.json')
  writeFileSync(file, (await run('assistants get 7 --json', { through })).stdout)
  await run(`assistants update 7 --file ${file} --name Renamed`, { through })
  // Unedited fields are unchanged without being sent.
  expect(sent).toEqual({ name: 'Renamed' })
  writeFileSync(file, JSON.stringify({ ...ours, llm_temperature: 0.3, fillers: false, secondary_language_ids: [3] }))
  await run(`assistants update 7 --file ${file}`, { through })
  expect(sent).toEqual({ llm_temperature: 0.3, fillers: false, secondary_language_ids: [3] })
})

test('another account does not see the assistants', async () => {
  const { json, run } = operator()
  const { key } = await json('server accounts create --name Second')
  const env = { PARLEY_API_KEY: key }
  expect(await json('assistants list', { env })).toEqual([])
  for (const line of [
    'get 1',
    'update 1 --name Mine',
    'delete 1 --yes',
    'enable-webhook 1 --event inbound --webhook-url https://hooks.example',
  ])
    expect((await run(`assistants ${line}`, { env })).exitCode, line).toBe(4)
})

test('credentials of calendars are masked, and a mask that is sent back leaves the credential unchanged', async () => {
  const by: Operator = operator()
  const { run, json, cwd } = by
  const calendar = {
    type: 'calendar_integration',
    calendar_type: 'cal_a',
    cal_a_api_key: 'cal_live_123456',
    cal_a_event_slug: 'visit',
  }
  await json(['assistants update 1 --tools', `'${JSON.stringify([{ type: 'end_call' }, calendar])}'`].join(' '))
  for (const line of [
    'assistants get 1',
    'assistants get 1 --json',
    'assistants list --json',
    'assistants list --envelope',
    'assistants list -o ndjson',
  ]) {
    expect((await run(line)).stdout, line).not.toContain('cal_live')
    expect((await run(`${line} --unmask`)).stdout, line).toContain('cal_live')
  }
  const file = join(cwd, 'assistant.yaml')
  writeFileSync(
    file,
    (await run('assistants get 1 -o yaml')).stdout.replace('cal_a_endpoint: us', 'cal_a_endpoint: eu'),
  )
  expect(await run(`assistants update 1 --file ${file}`)).toMatchObject({ exitCode: 0 })
  expect((await json('assistants get 1 --unmask')).tools[1]).toMatchObject({
    cal_a_api_key: 'cal_live_123456',
    cal_a_endpoint: 'eu',
  })
  const hidden = JSON.stringify([{ ...calendar, calendar_type: 'cal_b', cal_a_api_key: '••• hidden' }])
  expect(await run(['assistants', 'update', '1', '--tools', hidden])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('tools.0.cal_a_api_key holds a mask instead of a credential'),
  })
})
