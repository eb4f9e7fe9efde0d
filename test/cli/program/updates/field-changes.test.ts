import { describe, expect, test } from 'vitest'
import { describeChanges } from '../../../../src/cli/program/updates/field-changes.ts'
import { operator, type RunOptions } from '../../../support/operator.ts'

// An update at a terminal prints what is different now, field by field.

const person: RunOptions = { terminal: true, env: { NO_COLOR: '1' } }

describe('an update prints', () => {
  const updates: readonly (readonly [line: string, lines: readonly string[]])[] = [
    [
      'tools update 2 --tool-timeout 20 --description Book',
      ['description: "Book an appointment once the patient … a day and a time." -> "Book"', 'timeout: 15 -> 20'],
    ],
    [
      "tools update book_appointment --static-fields '[{key: source, value: desk}]'",
      ['static_fields: 1 entry; changed source'],
    ],
    ['numbers update 4 --nickname null', ['nickname: "Front desk" -> not set']],
    ['numbers update "Front desk" --nickname Desk', ['nickname: "Front desk" -> "Desk"']],
    [
      'folders update 1 --name evening --folder-color null',
      ['name: "Front desk" -> "evening"', 'color: "blue" -> not set'],
    ],
    ['labels update 1 --name evening', [expect.stringMatching(/^name: ".*" -> "evening"$/)]],
    ['knowledge update 1 --name Handbook', [expect.stringMatching(/^name: ".*" -> "Handbook"$/)]],
    ['knowledge documents update 1 --knowledge 1 --name Hours', ['name: "Treatments and prices" -> "Hours"']],
    [
      'sip-trunks update 5 --inbound-authorization-type auth',
      [
        'inbound_authorization_type: "ip" -> "auth"',
        'allowed_inbound_ips: 2 entries -> not set; removed 203.0.113.10, 198.51.100.0/24',
        expect.stringMatching(/^inbound_trunk_id: "trunk_\w+" -> "trunk_\w+"$/),
      ],
    ],
    [
      'sip-trunks update Reception --sip-password unmistakable',
      [
        'sip_password: set (hidden)',
        expect.stringMatching(/^inbound_trunk_id: "trunk_\w+" -> "trunk_\w+"$/),
        expect.stringMatching(/^outbound_trunk_id: "trunk_\w+" -> "trunk_\w+"$/),
      ],
    ],
    ['server accounts update 1 --top-up 20', ['balance: 25 -> 45']],
    ['assistants update 1 --max-duration 300 --record', ['record: false -> true', 'max_duration: 600 -> 300']],
    ['assistants update "Front desk" --add-tool 4 --remove-tool 1', ['tool_ids: 3 entries; added 4; removed 1']],
    [
      'assistants enable-webhook 1 --event inbound --webhook-url https://hooks.example',
      ['inbound_webhook_url: not set -> "https://hooks.example"'],
    ],
    [
      'assistants enable-webhook 1 --event post-call --webhook-url https://hooks.example',
      [
        'webhook_url: "https://practice.northwind.example/hooks/calls" -> "https://hooks.example"',
        'is_webhook_active: false -> true',
      ],
    ],
  ]
  test.each(updates)('%s', async (line, lines) => {
    const { run } = operator()
    const { exitCode, stdout, stderr, requests } = await run(line, { ...person, columns: 200 })
    const [said, ...shown] = stderr.split('\n').filter((it) => it !== '' && !/^(Next:|Local platform: )/.test(it))
    expect({ exitCode, said }).toEqual({ exitCode: 0, said: 'Changed:' })
    expect(shown.map((it) => it.trim())).toEqual(expect.arrayContaining([...lines]))
    expect(shown.length).toBe(lines.length)
    expect(stdout).not.toContain('->')
    // What it was before takes one request, or none where a list was read for the name and shows all of it. The
    // response to an update of an assistant does not show the fields, so they are read back.
    expect(requests.filter((it) => it.startsWith('GET')).length).toBeLessThanOrEqual(
      /^(sip-trunks|assistants)/.test(line) ? 2 : 1,
    )
    const again = await run(
      line
        .replace('numbers update "Front desk"', 'numbers update 4')
        .replace('"Front desk"', '1')
        .replace('--top-up 20', '--name "Northwind Dental"')
        .replace('--sip-password unmistakable', '--nickname Reception'),
      person,
    )
    expect(again.stdout + again.stderr).toContain('No changes.')
  })

  test('and no other command; the saved copy needs at most one read, the confirmation one where the response does not show the fields, and --print-curl none', async () => {
    const { run } = operator()
    for (const line of [
      'tools update 2 --tool-timeout 20',
      'folders update 1 --name evening',
      'assistants update 1 --record',
      'tools update book_appointment --tool-timeout 9',
    ]) {
      expect((await run(line)).requests.filter((it) => it.startsWith('GET'))).toHaveLength(
        line.startsWith('assistants') ? 2 : 1,
      )
      expect((await run(`${line.replace('book_appointment', '2')} --print-curl`)).requests).toEqual([])
    }
  })

  test.each([
    ['with --json', '--json', person],
    ['as an id', '-o id', person],
    ['with --quiet', '--quiet', person],
    ['with --print-curl', '--print-curl', person],
    ['in a script', '', {}],
    ['with stderr in a file', '', { terminal: { stdin: true, stdout: true } }],
  ])('and no other command: %s prints nothing', async (_, flags, options) => {
    const { run } = operator()
    for (const line of [
      'tools update 2 --tool-timeout 20',
      'folders update 1 --name evening',
      'assistants update 1 --record',
    ]) {
      const { exitCode, stderr, requests } = await run(`${line} ${flags}`, options)
      expect({ exitCode, shown: stderr.includes('Changed') }).toEqual({ exitCode: 0, shown: false })
      expect(requests.filter((it) => it.startsWith('GET')).length).toBeLessThanOrEqual(
        line.startsWith('assistants') ? 2 : 1,
      )
    }
  })

  test('does not continue after Ctrl-C', async () => {
    const { run, json } = operator()
    const interrupt = new AbortController()
    const through: RunOptions['through'] = (handle, request) => {
      interrupt.abort(130)
      return handle(request)
    }
    const { exitCode, requests } = await run('tools update 2 --tool-timeout 20', { ...person, through, interrupt })
    expect({ exitCode, requests }).toEqual({ exitCode: 130, requests: ['GET /api/user/tools/2'] })
    expect((await json('tools get 2')).timeout).toBe(15)
  })

  test('what it would change, with --dry-run', async () => {
    const { run, json } = operator()
    const { stdout, stderr } = await run('tools update 2 --tool-timeout 20 --name book_appointment --dry-run', person)
    expect(stdout).toMatch(/PUT[\s\S]*\/api\/user\/tools\/2/)
    expect(stderr).toBe('Dry run. Nothing was sent.\nWould change:\n  timeout: 15 -> 20\n')
    expect((await run('tools update 2 --tool-timeout 15 --dry-run', person)).stderr).toContain(
      'Would change nothing: the values are already set.',
    )
    expect((await json('tools get 2')).timeout).toBe(15)
  })

  test('not that it would change nothing, with --dry-run, where the record does not show what is sent', async () => {
    const { run } = operator()
    const { stdout, stderr } = await run('server accounts update 1 --top-up 20 --dry-run')
    expect(stdout).toContain('20')
    expect(stderr).toBe('Dry run. Nothing was sent.\n')
    expect((await run('server accounts update 1 --top-up 20 --name Other --dry-run')).stderr).toContain('Would change:')
  })

  test.each([
    'tools update 1 --header "Authorization: Bearer first-token"',
    'tools update 2 --tool-timeout 20',
    'sip-trunks update 1 --nickname Desk',
    'knowledge update 1 --description Hi',
    'numbers update 4 --nickname Desk',
    'labels update 1 --name Vip',
    'folders update 1 --name Clinics',
    'campaigns update 1 --name Recall',
  ])('that "%s" would change nothing the second time, in scripts too', async (line) => {
    const { run } = operator()
    expect((await run(`${line} --dry-run`)).stderr).toContain('Would change:')
    expect((await run(line)).exitCode).toBe(0)
    expect((await run(`${line} --dry-run`)).stderr).toBe(
      'Dry run. Nothing was sent.\nWould change nothing: the values are already set.\n',
    )
  })

  test.each([
    ["sip-trunks update 5 --data '{inbound_trunk_id: x, outbound_trunk_id: y}'", 'inbound_trunk_id, outbound_trunk_id'],
    ['tools update 2 --data \'{"type":"automation","created_at":"2020-01-01T00:00:00Z"}\'', 'type, created_at'],
  ])('a note that %s does not change fields of the platform', async (line, names) => {
    const { run } = operator()
    const { stdout, stderr } = await run(line, person)
    expect(stdout).toMatch(/^No changes\./)
    expect(stderr).toMatch(new RegExp(`^Not changed: ${names}\\. The platform sets these fields\\.\nNext: `))
    expect((await run(`${line} --dry-run`, person)).stderr).toContain('Would change nothing')
  })

  test('no fields of the platform when a whole record is sent back', async () => {
    const { run, json } = operator()
    const record = JSON.stringify({ ...(await json('tools get 2')), timeout: 20 })
    expect((await run(['tools', 'update', '2', '--data', record], person)).stderr).toBe(
      'Changed:\n  timeout: 15 -> 20\nNext: parley tools get 2\n',
    )
  })

  test('both the requested changes and those that another mode reset', async () => {
    const { stderr } = await operator().run('assistants update 1 --mode dualplex --multimodal-model-id 41', {
      ...person,
      columns: 200,
    })
    expect(stderr).toBe(
      'Changing the mode from pipeline to dualplex reset:\n  llm_model_id: 2 -> not set\n  fillers: false -> not set\nChanged:\n  mode: "pipeline" -> "dualplex"\n  multimodal_model_id: not set -> 41\nNext: parley assistants get 1\n',
    )
  })
})

describe('a difference', () => {
  const of = (old: unknown, now: unknown, name = 'it') => describeChanges({ [name]: old }, { [name]: now })[0]

  test('omits equal values in any order, and times that the platform sets', () => {
    expect(
      describeChanges(
        { id: 1, a: { x: 1, y: 2 }, b: null, updated_at: 'then' },
        { a: { y: 2, x: 1 }, b: null },
        { id: 1, updated_at: 'now' },
      ),
    ).toEqual([])
    expect(describeChanges({ a: 1 }, { a: 2 }, { a: 1 })).toEqual([])
    expect(describeChanges({ a: 1, b: 1 }, { a: 2 }, { a: 2, b: 3 })).toEqual(['a: 1 -> 2', 'b: 1 -> 3'])
  })

  test('of a long text shows the words that differ', () => {
    const text =
      'You answer the phone of a dental practice. Be brief and kind; never give medical advice, and say so when asked for it.'
    expect(of(text, text.replace('brief and kind', 'patient'))).toBe(
      'it: "… practice. Be brief and kind; never give …" -> "… practice. Be patient; never give …"',
    )
    expect(of(text, `${text} Goodbye.`)).toBe('it: "… for it." -> "… for it. Goodbye."')
    expect(of(text, text.replace('. ', '.\n\n'))).toBe('it: whitespace changed')
    const again = 'Ask for the name of the caller and then ask again and again until the caller says a name'
    expect(of(again, again.replace('again and again', 'again'))).toBe(
      'it: "… ask again and again until the …" -> "… ask again until the …"',
    )
    const long = of(text, Array.from({ length: 400 }, (_, n) => `word${n}`).join(' ')) as string
    expect(long.length).toBeLessThan(250)
    expect(of(`https://hooks.example/${'a'.repeat(80)}/1/end`, `https://hooks.example/${'a'.repeat(80)}/2/end`)).toBe(
      'it: "…aaaaaaaaaaa/1/end" -> "…aaaaaaaaaaa/2/end"',
    )
  })

  test('of a list shows the number of entries, and which were added, removed or changed', () => {
    expect(of([1, 2], [2, 3])).toBe('it: 2 entries; added 3; removed 1')
    expect(of([1, 2], [2, 1])).toBe('it: 2 entries; reordered')
    expect(of(null, [1])).toBe('it: not set -> 1 entry; added 1')
    expect(of([{ name: 'a', value: 1 }], [{ name: 'a', value: 2 }])).toBe('it: 1 entry; changed a')
    expect(of([{ x: 1 }], [{ x: 2 }])).toBe('it: 1 entry; changed')
    expect(
      of(
        [],
        Array.from({ length: 9 }, (_, n) => n),
      ),
    ).toBe('it: 0 entries -> 9 entries; added 0, 1, 2, 3, 4 and 4 more')
    expect(of({ a: 1, b: 1 }, { b: 2, c: 3 })).toBe('it: added c; removed a; changed b')
    expect(of(null, { a: 1 })).toBe('it: not set -> 1 field')
  })

  test('never shows a secret, whatever its name or format', () => {
    const shown = [
      of('old-secret', 'new-secret', 'api_key'),
      of('old-secret', null, 'api_key'),
      of(null, 'Bearer abcdefghijk.secret'),
      of('https://user:old-secret@x.example', 'https://user:new-secret@x.example'),
      of(
        [{ name: 'Authorization', value: 'Bearer old-secret' }],
        [{ name: 'Authorization', value: 'Bearer new-secret' }],
        'headers',
      ),
      ...describeChanges({}, { sip_password: 'new-secret', tags: ['x'] }),
    ]
    expect(shown.join('\n')).not.toContain('secret')
    expect(shown).toEqual([
      'api_key: changed (hidden)',
      'api_key: removed',
      'it: not set -> "Bearer [hidden]"',
      'it: changed (hidden)',
      'headers: 1 entry; changed Authorization',
      'sip_password: set (hidden)',
    ])
  })
})
