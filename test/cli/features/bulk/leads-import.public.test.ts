import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rowByRow } from '../../../support/altered-responses.ts'
import { type Operator, operator, today } from '../../../support/operator.ts'

const creates = (requests: readonly string[]): number => requests.filter((it) => it === 'POST /api/user/lead').length

const csv = (...rows: readonly string[]): string => `${['phone,first name,note', ...rows].join('\n')}\n`

function withFile(text: string, name = 'leads.csv'): Operator {
  const by = operator()
  writeFileSync(join(by.cwd, name), text)
  return by
}

const importing = 'leads import --campaign 1 --file leads.csv'

describe('leads from a file', () => {
  test('each row becomes a lead, with its other columns as variables', async () => {
    const by = withFile(csv('+14155550111,Anna,', '+1 (415) 555-0112,"Bob, B",call late'))
    const { exitCode, stdout, stderr } = await by.run(importing)
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^2 leads imported in \d+ s\.\n$/)])
    expect(stderr).toBe('Columns: phone -> phone_number, first name -> variable first_name, note -> variable note.\n')
    const leads =
      await by.json<{ phone_number: string; variables: object; campaign_id: number }[]>('leads list --limit 2')
    expect(leads.map(({ phone_number, variables, campaign_id }) => [phone_number, variables, campaign_id])).toEqual([
      ['+14155550112', { first_name: 'Bob, B', note: 'call late' }, 1],
      ['+14155550111', { first_name: 'Anna' }, 1],
    ])
  })

  test.each([
    [
      'NDJSON',
      'leads.ndjson',
      '{"phone_number":"+14155550111","variables":{"a":1},"first_name":"Anna"}\n\n{"phone":"+14155550112"}\n',
    ],
    [
      'a JSON list',
      'leads.json',
      '[{"phone_number":"+14155550111","variables":{"a":1},"first_name":"Anna"},{"phone":"+14155550112"}]',
    ],
    [
      'a YAML list',
      'leads.yaml',
      '- phone_number: +14155550111\n  variables: {a: 1}\n  first_name: Anna\n- phone: +14155550112\n',
    ],
    [
      'semicolons, quotes and a byte order mark',
      'leads.csv',
      '\ufeff"Phone";"First name";Variables\r\n+14155550111;Anna;"{""a"":1}"\r\n+14155550112;;\r\n',
    ],
  ])('%s is read', async (_, name, text) => {
    const by = withFile(text, name)
    expect(await by.json(`leads import --campaign 1 --file ${name}`)).toMatchObject({
      rows: 2,
      done: 2,
      failed: 0,
      invalid: 0,
    })
    const [, anna] = await by.json('leads list --limit 2')
    expect([anna.phone_number, anna.variables.first_name, Number(anna.variables.a)]).toEqual([
      '+14155550111',
      'Anna',
      1,
    ])
  })

  test('piped input is read too, and no copy of it stays on disk', async () => {
    const by = operator()
    const { exitCode, stdout } = await by.run('leads import --campaign 1 -f - --json', {
      stdin: csv('+14155550111,Anna,'),
    })
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ file: 'standard input', done: 1 })])
    expect(
      readdirSync(join(by.dataDir, 'bulk'))
        .map((it) => it.replace(/[0-9a-f]{32}/, ''))
        .sort(),
    ).toEqual(['local-.ledger', 'local-.reached'])
  })

  test('the same command again sends only rows that are not done', async () => {
    const by = rowByRow(withFile(csv('+14155550111,Anna,', '+14155550112,Bob,')))
    expect(creates((await by.run(importing)).requests)).toBe(2)
    const { exitCode, stdout, stderr, requests } = await by.run(importing)
    expect([exitCode, creates(requests)]).toEqual([0, 0])
    expect(stdout).toMatch(/^Nothing was sent: every row of leads\.csv is done, since \d{4}-/)
    expect(stderr).toBe(
      'To import all rows again, for example after leads were deleted, pass --resend. Leads that the campaign has are skipped.\n',
    )
    expect(await by.json(importing)).toMatchObject({ rows: 2, done: 0, done_before: 2, left: 0 })
    expect(await by.json(`${importing} --again`)).toMatchObject({ done: 0, already: 2, failed: 0 })
    expect((await by.run('leads delete 10 --yes')).exitCode).toBe(0)
    expect(await by.json(`${importing} --resend`)).toMatchObject({ done: 1, already: 1, failed: 0 })
    // Another campaign is another matter.
    expect(await by.json('leads import --campaign 2 --file leads.csv')).toMatchObject({ done: 2 })
  })

  test('with --limit imports in parts', async () => {
    const by = withFile(csv('+14155550111,,', '+14155550112,,', '+14155550113,,'))
    const first = await by.run(`${importing} --limit 2 --json`)
    expect([first.exitCode, JSON.parse(first.stdout)]).toEqual([11, expect.objectContaining({ done: 2, left: 1 })])
    expect(await by.json(`${importing} --limit 2`)).toMatchObject({ done: 1, done_before: 2, left: 0 })
  })

  test('a number that the campaign already has is left unchanged and is not a failure', async () => {
    const by = withFile(csv('+14155550111,Anna,'))
    await by.run('leads create --campaign 1 --phone-number +14155550111 --var first_name=Kept')
    const { exitCode, stdout, stderr } = await by.run(importing)
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('1 already existed and was skipped.')])
    expect(stderr).toContain('Existing leads were not changed. Change one: parley leads update <lead>.\n')
    expect((await by.json('leads list --limit 1'))[0].variables).toEqual({ first_name: 'Kept' })
    expect(await by.json(`${importing} --again --allow-duplicate`)).toMatchObject({ done: 1 })
  })

  test('variables for all rows are passed once, and the values of a row take precedence', async () => {
    const by = withFile(csv('+14155550111,Anna,', '+14155550112,,'))
    await by.run(`${importing} --var first_name=friend --var day=Monday --map nothing=note`)
    const leads = await by.json<{ variables: object }[]>('leads list --limit 2')
    expect(leads.map((it) => it.variables)).toEqual([
      { first_name: 'friend', day: 'Monday' },
      { first_name: 'Anna', day: 'Monday' },
    ])
  })
})

describe('columns that cannot be used', () => {
  test('a missing phone column is refused with the command line for the column that looks like it', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'leads.csv'), 'Name,Rufnummer (privat)\nAnna,+14155550111\n')
    const { exitCode, stderr } = await by.run(importing)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('Pass the column with --map phone_number="Rufnummer (privat)".')
    writeFileSync(join(by.cwd, 'leads.csv'), 'Name,Anschluss\nAnna,+14155550111\n')
    expect((await by.run(importing)).stderr).toContain('--map phone_number=<column>.')
  })

  test('a heading of a file that is not UTF-8 is refused with the fix, and not sent as a damaged variable', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'leads.csv'), Buffer.from('phone,Größe\n+14155550111,5\n', 'latin1'))
    const { exitCode, stderr, requests } = await by.run(importing)
    expect([exitCode, creates(requests)]).toEqual([2, 0])
    expect(stderr).toContain('The heading "Gr\ufffd\ufffde" is not UTF-8 text.')
    expect(stderr).toContain('iconv -f WINDOWS-1252 -t UTF-8')
  })

  test('a national number is refused with the country code as the fix', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'leads.csv'), 'phone\n030 1234567\n0014155550111\n')
    const { stderr } = await by.run(importing)
    expect(stderr).toContain('"030 1234567": no country code.')
    expect(stderr).toContain('Did you mean +14155550111?')
  })
})

describe('rows that cannot be sent', () => {
  const bad = csv(
    '+14155550111,Anna,',
    '4155550112,Bob,',
    '+14155550111,Again,',
    '1.41556E+10,Excel,',
    ',Nobody,',
    '"+14155550113",Dora,x,y',
    '+14155550114,Eve\ufffd,',
  )

  test('are reported with line, field and fix before anything is sent', async () => {
    const by = withFile(bad)
    const { exitCode, stdout, stderr, requests } = await by.run(importing)
    expect([exitCode, stdout, creates(requests)]).toEqual([2, '', 0])
    expect(stderr).toBe(
      `error: 6 of 7 rows of leads.csv are invalid. Nothing was sent.
  line 3, phone_number: Invalid phone number "4155550112": no plus sign. Use E.164, for example +14155550142.
  line 4, phone_number: Duplicate of line 2. Remove one of them, or pass --allow-duplicate.
  line 5, phone_number: Invalid phone number "1.41556E+10": a spreadsheet rounded it. Format that column as text and enter it again.
  line 6, phone_number: Missing phone number.
  line 7: The row has 4 cells, but the header has 3. Check for a missing quote or separator.
  line 8, first name: Invalid UTF-8. Save the file as UTF-8.
hint: Fix the rows, or add --skip-invalid to send the others and save these to a file. If the numbers without a country code are of one country, pass --country <code>.
`,
    )
    expect(existsSync(join(by.cwd, 'leads.failed.csv'))).toBe(false)
  })

  test('are shown at a question before they are skipped', async () => {
    const by = rowByRow(withFile(csv('+14155550111,Anna,', '4155550112,Bob,')))
    const question = '1 of 2 rows of leads.csv is invalid. Skip it and save it to a file to fix?'
    const declined = await by.run(importing, { answers: [[question, false]] })
    expect([declined.exitCode, creates(declined.requests)]).toEqual([2, 0])
    const agreed = await by.run(importing, {
      answers: [
        [question, true],
        ['Import 1 lead into', true],
      ],
    })
    expect([agreed.exitCode, creates(agreed.requests)]).toEqual([11, 1])
    for (const { stderr } of [declined, agreed]) {
      expect(stderr).toContain('line 3, phone_number: Invalid phone number "4155550112": no plus sign.')
      expect(stderr).not.toContain('Only the first')
    }
  })

  test.each([
    [19, false],
    [20, false],
    [21, true],
  ])('are shown at a question: of %i invalid rows at most 20, and whether there are more', async (bad, isCut) => {
    const by = withFile(csv('+14155550111,Anna,', ...Array.from({ length: bad }, (_, n) => `${n},Bob,`)))
    const { stderr } = await by.run(importing, { answers: [['Skip them', false]] })
    const asked = stderr.slice(0, stderr.indexOf('error:'))
    expect(asked.match(/line \d+, phone_number: Invalid phone number/g)).toHaveLength(Math.min(bad, 20))
    expect(asked.includes(`Only the first 20 of ${bad} problems are listed.`)).toBe(isCut)
  })

  test('are skipped with --skip-invalid, and written to a file that can be fixed and imported', async () => {
    const by = withFile(csv('+14155550111,Anna,', '4155550112,Bob,"a, b"'))
    const { exitCode, stdout, stderr } = await by.run(`${importing} --skip-invalid`)
    expect([exitCode, stdout]).toEqual([11, expect.stringContaining('1 lead imported')])
    expect(stderr).toContain('leads.failed.csv, each with its error')
    const file = join(by.cwd, 'leads.failed.csv')
    const saved = readFileSync(file, 'utf8')
    expect(saved).toBe(
      'parley_error,parley_row,phone,first name,note\n"phone_number: Invalid phone number ""4155550112"": no plus sign. Use E.164, for example +14155550142.",,4155550112,Bob,"a, b"\n',
    )
    writeFileSync(file, saved.replace(',4155550112,', ',+14155550112,'))
    expect(await by.json('leads import --campaign 1 --file leads.failed.csv')).toMatchObject({
      rows: 1,
      done: 1,
      failed_file: null,
    })
    expect((await by.json('leads list --limit 1'))[0].variables).toEqual({ first_name: 'Bob', note: 'a, b' })
  })

  test('are written to a new file if the file of failed rows was edited', async () => {
    const by = withFile(csv('4155550112,Bob,'))
    writeFileSync(join(by.cwd, 'leads.failed.csv'), 'mine')
    const { exitCode } = await by.run(`${importing} --skip-invalid --failed kept.csv`)
    expect(exitCode).toBe(11)
    await by.run(`${importing} --skip-invalid`)
    expect(readFileSync(join(by.cwd, 'leads.failed.csv'), 'utf8')).toBe('mine')
  })

  test('are found by a dry run, with exit code 20 and without sending anything', async () => {
    const by = withFile(bad)
    const { exitCode, stdout, requests } = await by.run(`${importing} --dry-run --json`)
    expect([exitCode, creates(requests)]).toEqual([20, 0])
    expect(JSON.parse(stdout)).toMatchObject({
      rows: 7,
      invalid: 6,
      left: 1,
      dry_run: true,
      problems: { length: 6, 0: { line: 3, field: 'phone_number' } },
    })
    expect(existsSync(join(by.dataDir, 'bulk'))).toBe(false)
    writeFileSync(join(by.cwd, 'leads.csv'), csv('+14155550111,Anna,'))
    expect((await by.run(`${importing} --dry-run`)).stdout).toBe('1 lead would be imported.\n')
  })

  test('a dry run says how many problems it does not list, and counts them by reason; so does a real run', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => (n % 3 === 0 ? ',Bob,' : `41555${50000 + n},Bob,`))
    const by = withFile(csv('+14155550111,Anna,', ...rows))
    const reasons =
      'By reason: phone_number: Invalid phone number: no plus sign (20); phone_number: Missing phone number (10).'
    const dry = await by.run(`${importing} --dry-run`)
    expect(dry.stderr).toContain(`warning: Only the first 20 of 30 problems are listed. ${reasons}`)
    expect(JSON.parse((await by.run(`${importing} --dry-run --json`)).stdout)).toMatchObject({
      problems: { length: 20 },
      problem_count: 30,
      reasons: { 'phone_number: Missing phone number': 10 },
    })
    expect((await by.run(`${importing} --skip-invalid`)).stderr).toContain(`30 rows were not sent. ${reasons}`)
  })

  test.each([
    'Telefon',
    'Telefonnummer',
    'Handy',
    'Handynr.',
    'Mobil',
    'Mobilnummer',
    'Tel.',
    'Rufnummer',
    'Número',
    'Número de teléfono',
    'Teléfono',
    'Móvil',
    'Celular',
    'Téléphone',
    'Numéro de téléphone',
    'Portable',
    'Cellulare',
    'Numero di telefono',
    'Telefone',
    'Telemóvel',
    'Telefoonnummer',
  ])('a column named "%s" has the numbers, and the command says so', async (heading) => {
    const by = withFile(`Vorname,${heading}\nAnna,+14155550111\n`)
    const { exitCode, stderr } = await by.run(importing)
    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain(`${heading} -> phone_number`)
    expect((await by.json('leads list --limit 1'))[0]).toMatchObject({
      phone_number: '+14155550111',
      variables: { Vorname: 'Anna' },
    })
  })

  test('headings become names of variables without punctuation', async () => {
    const by = withFile('phone,Interne Nr.,Preis (EUR),"Nr., intern",Vorname\n+14155550111,1,2,3,Anna\n')
    expect((await by.run(importing)).exitCode).toBe(0)
    expect((await by.json('leads list --limit 1'))[0].variables).toEqual({
      interne_nr: '1',
      preis_eur: '2',
      nr_intern: '3',
      Vorname: 'Anna',
    })
  })

  test.each([
    ['a missing file', 'leads import --campaign 1 -f none.csv', 'Could not read none.csv: no such file.'],
    ['a folder', 'leads import --campaign 1 -f .', '. is not a file.'],
    ['no file', 'leads import --campaign 1', 'Missing --file.'],
    ['a missing column', `${importing} --map phone_number=Fon`, 'Column "Fon" not found.'],
    [
      'a field for two columns',
      `${importing} --map first_name=note --map day=note2 --map first_name=name`,
      '--map assigns two columns to first_name: note and name.',
    ],
    ['an unknown format', `${importing} --format xml`, 'Invalid value "xml" for --format.'],
  ])('%s is wrong usage', async (_, line, text) => {
    const { exitCode, stderr, requests } = await withFile(csv('+14155550111,Anna,')).run(line)
    expect([exitCode, creates(requests)]).toEqual([2, 0])
    expect(stderr).toContain(text)
  })

  test.each([
    ['no column for the number', 'name,city\nAnna,Bern\n', 'Missing column phone_number.'],
    ['no header', '+14155550111,Anna\n', 'has no header line with column names'],
    ['two columns of one name', 'phone,a,a\n+14155550111,1,2\n', 'Duplicate column "a" in'],
    ['no text', 'a\0b\0', 'is not UTF-8 text'],
  ])('a file with %s is wrong usage', async (_, text, shown) => {
    const { exitCode, stderr } = await withFile(text).run(importing)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(shown)])
  })

  test('a file without rows is a success', async () => {
    expect(await withFile('phone,name\n').json(importing)).toMatchObject({ rows: 0, done: 0 })
  })
})

describe('an import that fails in the middle', () => {
  const many = csv(...Array.from({ length: 300 }, (_, n) => `+1415555${1000 + n},Anna,`))

  test('stops at an error that affects every row, reports it, and resumes there', async () => {
    const by = rowByRow(withFile(many))
    let left = 150
    const { exitCode, stdout, stderr } = await by.run(importing, {
      through: async (handle, request) =>
        request.url === '/api/user/lead' && left-- <= 0
          ? { status: 403, headers: {}, body: '{"message":"Forbidden"}' }
          : handle(request),
    })
    expect([exitCode, stdout]).toEqual([11, expect.stringContaining('150 leads imported')])
    expect(stderr).toContain('Stopped before the end: Forbidden')
    expect(stderr).toContain('150 rows remaining. Run the same command again to resume.')
    const again = await by.run(importing)
    expect([again.exitCode, creates(again.requests)]).toEqual([0, 150])
    expect((await by.json('leads list --campaign 1 --envelope --per-page 1')).total).toBe(306)
  })

  test('retries a row when the platform fails, and creates no lead twice', async () => {
    const by = rowByRow(withFile(many))
    const cut = new Set<string>()
    const { exitCode, stdout } = await by.run(`${importing} --json`, {
      through: async (handle, request) => {
        const answer = await handle(request)
        if (request.url !== '/api/user/lead' || cut.size >= 20 || cut.has(request.body ?? '')) return answer
        cut.add(request.body ?? '')
        return { ...answer, cut: 'answer' }
      },
    })
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ done: 300, already: 0, failed: 0, unknown: 0 }),
    ])
    expect((await by.json('leads list --campaign 1 --envelope --per-page 1')).total).toBe(306)
  })

  test('retries rows without an answer on a platform without idempotency too', async () => {
    const by = withFile(csv('+14155550111,Anna,', '+14155550112,Bob,'))
    const sent: string[] = []
    const importWith = (isLost: (body: string, time: number) => boolean) =>
      by.run(`${importing} --json`, {
        through: async (handle, request) => {
          const { headers, ...answer } = await handle(request)
          const { 'parley-capabilities': _, ...others } = headers
          if (request.url !== '/api/user/lead') return { ...answer, headers: others }
          const body = request.body ?? ''
          sent.push(body)
          const time = sent.filter((it) => it === body).length
          return { ...answer, headers: others, ...(isLost(body, time) && { cut: 'answer' as const }) }
        },
      })
    const first = await importWith((body, time) => body.includes('0111') && time === 1)
    expect([first.exitCode, JSON.parse(first.stdout)]).toEqual([
      0,
      expect.objectContaining({ done: 2, already: 0, failed: 0, unknown: 0 }),
    ])
    expect(sent.filter((it) => it.includes('0111'))).toHaveLength(2)
    expect((await by.json('leads list --campaign 1 --envelope --per-page 1')).total).toBe(8)
  })

  test('fails with the exit code of its rows if none is accepted', async () => {
    const by = rowByRow(withFile(csv('+14155550111,Anna,')))
    const { exitCode, stdout, stderr } = await by.run(`${importing} --json`, {
      through: async (handle, request) =>
        request.url === '/api/user/lead'
          ? { status: 422, headers: {}, body: '{"message":"Invalid phone number"}' }
          : handle(request),
    })
    expect([exitCode, stdout]).toEqual([6, ''])
    expect(JSON.parse(stderr).error.message).toBe('None of the 1 rows was accepted. First error: Invalid phone number')
  })

  test('Ctrl-C finishes the rows in progress, prints how to resume, and loses nothing', async () => {
    const by = rowByRow(withFile(many))
    const interrupt = new AbortController()
    let seen = 0
    const { exitCode, stdout, stderr, requests } = await by.run(importing, {
      interrupt,
      through: async (handle, request) => {
        if (request.url === '/api/user/lead' && ++seen === 100) interrupt.abort(130)
        return handle(request)
      },
    })
    expect([exitCode, stdout]).toEqual([130, ''])
    const [, done = ''] =
      /Stopped: (\d+) of 300 rows are done\. Run the same command again to resume\./.exec(stderr) ?? []
    expect(Number(done)).toBe(creates(requests))
    const again = await by.run(importing)
    expect([again.exitCode, creates(again.requests)]).toEqual([0, 300 - Number(done)])
  })

  test('events and ids are printed as they arrive', async () => {
    const by = withFile(csv('+14155550111,Anna,', '+14155550112,Bob,'))
    const events = (await by.run(`${importing} -o ndjson`)).stdout
      .trim()
      .split('\n')
      .map((it) => JSON.parse(it))
    expect(events).toMatchObject([
      { type: 'item', line: 2, phone_number: '+14155550111', status: 'done', id: expect.any(Number) },
      { type: 'item', line: 3, status: 'done' },
      { type: 'result', rows: 2, done: 2 },
    ])
    const ids = (await by.run('leads import --campaign 2 --file leads.csv -o id')).stdout.trim().split('\n')
    expect(ids.map(Number)).toEqual([expect.any(Number), expect.any(Number)])
  })

  test('a campaign in progress causes a warning', async () => {
    const by = withFile(csv('+14155550111,Anna,'))
    await by.run('campaigns start 1 --yes')
    expect((await by.run(importing)).stderr).toContain(
      'Campaign "Call back" (1) is in progress. It calls these leads as soon as they are imported.',
    )
  })
})

describe('an import on a terminal', () => {
  test('shows the columns and the first rows, and imports nothing after the answer No', async () => {
    const by = withFile(csv('+14155550111,Anna,'))
    const no = await by.run(importing, { answers: [['Import', false]] })
    expect([no.exitCode, creates(no.requests)]).toEqual([10, 0])
    expect(no.stderr).toContain('  phone       -> phone_number\n')
    expect(no.stderr).toContain('  +14155550111  first_name=Anna\n')
    expect(no.asked[0]).toContain('Import 1 lead into "Call back" (1)?')
    expect((await by.run(importing, { answers: [['Import', true]] })).exitCode).toBe(0)
  })

  test('prompts for a column without a matching field', async () => {
    const by = withFile('Kontakt,name\n+14155550111,Anna\n')
    const { exitCode, asked } = await by.run(importing, {
      answers: [
        ['Which column', 'Kontakt'],
        ['Import', true],
      ],
    })
    expect([exitCode, asked[0]]).toEqual([0, expect.stringContaining('Which column is phone_number?')])
  })

  test('skips invalid rows when the user agrees', async () => {
    const by = withFile(csv('+14155550111,Anna,', '0,Bob,'))
    const { exitCode, asked } = await by.run(importing, {
      answers: [
        ['Skip it', true],
        ['Import', true],
      ],
    })
    expect([exitCode, asked[0]]).toEqual([11, expect.stringContaining('1 of 2 rows of leads.csv is invalid. Skip it')])
  })
})

test('progress that an earlier version recorded is continued', async () => {
  const by = withFile(csv('+14155550111,Anna,'))
  await by.run(importing)
  const folder = join(by.dataDir, 'bulk')
  for (const name of readdirSync(folder).filter((it) => it.endsWith('.ledger')))
    renameSync(join(folder, name), join(folder, name.replace('local-', '')))
  expect((await by.run(importing)).stdout).toContain('every row of leads.csv is done')
})

test('copies of piped input that a killed command left are deleted by "server purge" and the next piped input', async () => {
  const by = operator()
  const left = join(by.dataDir, 'bulk', 'stdin-999999999-x.part')
  for (const line of ['server purge --older-than 30d --yes', 'leads import --campaign 1 -f - --json']) {
    mkdirSync(join(by.dataDir, 'bulk'), { recursive: true })
    writeFileSync(left, csv('+14155550111,Anna,'))
    utimesSync(left, new Date(0), new Date(0))
    await by.run(line, { stdin: csv('+14155550111,Anna,') })
    expect(existsSync(left), line).toBe(false)
  }
})

test('progress of a file is deleted by "server purge", and not before', async () => {
  const by = rowByRow(withFile(csv('+14155550111,Anna,')))
  expect((await by.run(importing)).exitCode).toBe(0)
  expect((await by.run(importing)).stdout).toContain('every row of leads.csv is done')
  expect(await by.json('server purge --older-than 30d --yes')).toMatchObject({ ledgers: 0 })
  const late = new Date(Date.now() - 1000)
  for (const name of readdirSync(join(by.dataDir, 'bulk')))
    utimesSync(join(by.dataDir, 'bulk', name), new Date(0), late)
  by.wait(Date.now() - today)
  expect(await by.json('server purge --older-than 0s --yes')).toMatchObject({ ledgers: 1 })
  expect(creates((await by.run(importing)).requests)).toBe(1)
})
