import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../support/altered-responses.ts'
import { operator } from '../../support/operator.ts'

describe('campaigns', () => {
  test('are created with the name of an assistant, filled, started, stopped and deleted', async () => {
    const { run, json } = operator()
    expect(await run('campaigns create --name "Spring check-ups" --assistant Recall --max-retries 5')).toMatchObject({
      exitCode: 0,
      stdout: 'Campaign created successfully. Id: 4\n',
      stderr: 'Next: parley leads create --campaign 4\n',
    })
    expect(await json('campaigns get "Spring check-ups"')).toMatchObject({
      id: 4,
      assistant_id: 2,
      channel: 'call',
      status: 'draft',
      max_retries: 5,
    })
    for (const phone of ['+14155550161', '+14155550162', '+14155550163'])
      await json(`leads create --campaign "Spring check-ups" --phone-number ${phone}`)
    expect(await run('campaigns start 4 --yes')).toMatchObject({
      exitCode: 0,
      stdout: 'Campaign started successfully. Status: in progress\n',
      stderr: 'Next: parley leads list --campaign 4\n',
    })
    expect(await run('campaigns start 4 --yes')).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('current status: in-progress'),
    })
    expect(await json('campaigns stop 4 --yes')).toEqual({ campaign_id: 4, status: 'paused', channel: 'call' })
    expect(await json('campaigns delete 4 --yes')).toEqual({ id: 4, message: 'Campaign deleted successfully' })
    expect(await json('leads list --phone-number +1415555016')).toEqual([])
    expect((await run('campaigns list -o id')).stdout).toBe('1\n2\n3\n')
  })

  test('that send messages take a sender and template, or a number', async () => {
    const { json } = operator()
    expect(
      await json(
        'campaigns create --name Reminders --channel messaging --sender +14155550170 --template opening_hours',
      ),
    ).toMatchObject({
      channel: 'messaging',
      messaging_sender_id: 1,
      messaging_template_id: 2,
      assistant_id: null,
    })
    expect(
      await json('campaigns create --name Invitation --channel sms --from "Front desk" --sms-body Hello'),
    ).toMatchObject({
      sms_from_phone_number_id: 4,
      sms_body: 'Hello',
    })
  })

  test('report all missing flags at once', async () => {
    const { run } = operator()
    const missing = async (line: string) => (await run(`campaigns create ${line}`)).stderr.split('\n')[0]
    expect(await missing('')).toBe('error: Missing --name, --assistant.')
    expect(await missing('--channel messaging --name x')).toBe('error: Missing --sender, --template.')
    expect(await missing('--channel sms --from 1')).toBe('error: Missing --name, --sms-body.')
    expect(await run('campaigns create --name x --assistant Nobody')).toMatchObject({ exitCode: 4 })
  })

  test('are prompted for on a terminal, by what their channel needs', async () => {
    const { run } = operator()
    const { exitCode, stdout } = await run('campaigns create', {
      answers: [
        ['Which channel', 'messaging'],
        ['Name, at most 255 characters:', 'Reminders'],
        ['Which sender?', '+14155550170 Northwind Dental, online (1)'],
        ['Which template?', 'opening_hours en, approved (2)'],
      ],
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Campaign created successfully. Id: 4\n' })
  })

  test('are started only after a confirmation that shows recipients and balance', async () => {
    const { run, json } = operator()
    expect(await run('campaigns start 2')).toMatchObject({
      exitCode: 10,
      stdout: '',
      stderr: expect.stringContaining('requires confirmation'),
    })
    expect(await run('campaigns stop 2')).toMatchObject({ exitCode: 10 })
    const question =
      'It messages 2 new leads, each charged to your balance of 25.00 USD. Price: 0.008 USD per message. Cost: 0.016 USD if each gets one message, at most 0.048 USD with all attempts. Start campaign "Reminders" (2)?'
    expect(await run('campaigns start Reminders', { answers: [[question, false]] })).toMatchObject({ exitCode: 10 })
    expect(await json('campaigns get 2')).toMatchObject({ status: 'draft' })
    expect(await run('campaigns start Reminders', { answers: [[question, true]] })).toMatchObject({ exitCode: 0 })
  })

  test('say before a start how many have opted out, and that the balance does not cover the others', async () => {
    const { run, json } = operator()
    const [{ phone_number }] = await json('leads list --campaign 2')
    await run(`contacts block ${phone_number} --channel messaging`)
    const first = await run('campaigns start 2')
    expect(first.stderr).toContain(
      '1 of 2 new leads skipped: 1 opted out. It messages 1 new lead, each charged to your balance of 25.00 USD. Price: 0.008 USD per message. Cost: 0.008 USD if each gets one message',
    )
    await run('server accounts update 1 --balance 0.01')
    expect((await run('campaigns start 2')).stderr).toContain('The balance does not cover the highest cost.')
    await run('server accounts update 1 --balance 0.001')
    expect((await run('campaigns start 2')).stderr).toContain('The balance does not cover one message to each.')
    // The platform does not know the list of this computer.
    const elsewhere = { through: notParleyServer }
    await run(`contacts block ${phone_number} --channel messaging`, elsewhere)
    expect((await run('campaigns start 2', elsewhere)).stderr).toContain(
      '1 of 2 new leads opted out on this computer only: the platform contacts them, too. It messages 2 new leads',
    )
  })

  test('say before a start that they call at any hour', async () => {
    const { run } = operator()
    await run('campaigns create --name Always --assistant Recall')
    await run('leads create --campaign Always --phone-number +14155550161')
    const always = 'It calls at any hour of the day and night.'
    expect((await run('campaigns start Always')).stderr).toContain(always)
    await run('contacts update-hours --schedule-windows \'[{start: "09:00", end: "19:59"}]\'')
    expect((await run('campaigns start Always')).stderr).not.toContain(always)
    expect((await run('campaigns start 1')).stderr).not.toContain(always)
  })

  test('name leads that no hour can reach, when they are added and at the start', async () => {
    const { run } = operator()
    const hours = '--allowed-hours-start-time 09:00 --allowed-hours-end-time 10:00 --window-timezone recipient'
    await run(`campaigns create --name Short --assistant Recall ${hours}`)
    const text =
      /1 lead cannot be contacted, because no hour is open in all of the time zones, such as \+18005550123 \(/
    expect((await run('leads create --campaign Short --phone-number +18005550123')).stderr).toMatch(text)
    expect((await run('leads create --campaign Short --phone-number +14155550161')).stderr).not.toMatch(/cannot/)
    expect((await run('campaigns start Short')).stderr).toMatch(text)
    expect(await run('campaigns start Short --yes')).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(text) })
  })

  test('with a variable for time zones say that their hours do not use it', async () => {
    const { run } = operator()
    const warning = 'The variable "zone" does not change the hours of the campaign'
    const create = 'campaigns create --assistant Recall --timezone-variable zone'
    expect((await run(`${create} --name One`)).stderr).toContain(warning)
    expect((await run(`${create} --name Two --window-timezone recipient`)).stderr).not.toContain(warning)
    expect((await run('campaigns update Two --window-timezone campaign')).stderr).not.toContain(warning)
    expect((await run('campaigns update Two --timezone-variable zone')).stderr).toContain(warning)
  })

  test('do not start on an empty balance', async () => {
    const { run, json } = operator()
    const { key } = await json('server accounts create --name Poor')
    const env = { PARLEY_API_KEY: key }
    await run(
      'assistants create --name Desk --type outbound --mode pipeline --llm-model-id 1 --language-id 1 --voice-id 1 --timezone UTC --initial-message Hello --system-prompt Help.',
      { env },
    )
    const { id } = await json('campaigns create --name Calls --assistant Desk', { env })
    expect(await run(`campaigns start ${id} --yes`, { env })).toMatchObject({
      exitCode: 13,
      stderr: expect.stringContaining('Insufficient balance'),
    })
  })

  test('whose start gets no response have an unknown outcome that reconcile resolves; a stop is repeated', async () => {
    const { run, json } = operator()
    await json('campaigns create --name Reminder --assistant Recall')
    await json('leads create --campaign Reminder --phone-number +14155550161')
    await run('server faults create campaigns.updateStatus --socket drop --times 1')
    expect(await run('campaigns start Reminder --yes')).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining('parley ops reconcile'),
    })
    expect(await json('ops list')).toMatchObject([{ endpoint: 'campaigns.updateStatus', state: 'unknown' }])
    expect(await run('ops reconcile --json')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('The start of the campaign was carried out.'),
    })
    expect(await json('campaigns get Reminder')).toMatchObject({ status: 'in-progress' })
    await run('server faults create campaigns.updateStatus --socket drop --times 1')
    expect(await run('campaigns stop Reminder --yes')).toMatchObject({ exitCode: 0 })
    expect(await json('ops list')).toHaveLength(1)
  })

  test('without leads name the command that adds some', async () => {
    const { run } = operator()
    await run('campaigns create --name Empty --assistant Recall')
    expect(await run('campaigns start Empty --yes')).toMatchObject({
      exitCode: 5,
      stderr: expect.stringMatching(/has no leads to contact[\s\S]*parley leads create/),
    })
  })

  test('show their request with --dry-run', async () => {
    const { run } = operator()
    expect(JSON.parse((await run('campaigns start 1 --dry-run --json')).stdout)).toEqual({
      method: 'POST',
      path: '/api/user/campaigns/update-status',
      body: { campaign_id: 1, action: 'start' },
    })
  })

  test('prevent deleting their assistant without confirmation by name', async () => {
    const { run, json } = operator()
    await json('campaigns create --name Spring --assistant Recall')
    expect(await run('assistants delete Recall --yes')).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining('The campaign "Spring" loses its assistant.'),
    })
  })
})

describe('leads', () => {
  test('are created with variables, filtered in lists, updated and deleted by phone number', async () => {
    const { run, json } = operator()
    const made = await run('leads create --campaign 1 --phone-number +14155550161 --var first_name=Anna --var visits=3')
    expect(made).toMatchObject({
      exitCode: 0,
      stdout: 'Lead created successfully. Id: 10\n',
      stderr: 'Next: parley leads list --campaign 1\n',
    })
    expect(await json('leads list --campaign "Call back" --status created')).toMatchObject([
      {
        id: 10,
        variables: { first_name: 'Anna', visits: '3' },
        campaign: { id: 1, name: 'Call back', channel: 'call' },
      },
      { id: 6 },
      { id: 5 },
    ])
    expect(await json('leads update +14155550161 --var first_name=Berta --status completed')).toEqual({
      id: 10,
      message: 'Lead updated successfully',
    })
    expect(await json('leads list --phone-number 0161 --fields variables,status')).toEqual([
      { variables: { first_name: 'Berta', visits: '3' }, status: 'completed' },
    ])
    expect(await json('leads delete +14155550161 --yes')).toEqual({ id: 10, message: 'Lead deleted successfully' })
    expect(await run('leads delete +14155550161 --yes')).toMatchObject({ exitCode: 4 })
  })

  test('are refused twice in a campaign, unless --allow-duplicate is passed', async () => {
    const { run } = operator()
    const twice = 'leads create --campaign 1 --phone-number +14155550154'
    expect(await run(twice)).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('hint: To add it anyway, pass --allow-duplicate.'),
    })
    expect(await run(`${twice} --allow-duplicate`)).toMatchObject({ exitCode: 0 })
  })

  test('have secondary contacts if their campaign calls', async () => {
    const { run, json } = operator()
    const contacts = `--phone-number +14155550161 --secondary-contacts '[{phone_number: +14155550162, variables: {first_name: Ben}}]'`
    expect(await json(`leads create --campaign 1 ${contacts}`)).toMatchObject({
      secondary_contacts: [{ phone_number: '+14155550162', variables: { first_name: 'Ben' }, status: 'created' }],
    })
    expect(await run(`leads create --campaign 2 ${contacts}`)).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('--secondary-contacts: Secondary contacts are for campaigns that call.'),
    })
  })

  test("with an unknown status are refused with the valid ones, for people; programs get the platform's message", async () => {
    const { run } = operator()
    expect((await run('leads list --status craeted')).stderr).toContain(
      '--status: The selected status is invalid. Allowed values: created, scheduled, ',
    )
    const { error } = JSON.parse((await run('leads list --status craeted --json')).stderr)
    expect(error.details).toEqual([{ path: 'status', message: 'The selected status is invalid.' }])
  })

  test('without variables are shown with none', async () => {
    const { run } = operator()
    await run('leads create --campaign 1 --phone-number +14155550161')
    expect((await run('leads list --limit 1')).stdout).toMatch(/\+14155550161\tcreated\tCall back\t-\t/)
  })

  test('are listed page by page, and a note says when there are more', async () => {
    const { run } = operator()
    const first = await run('leads list --per-page 4 -o id')
    expect(first).toMatchObject({
      stdout: '9\n8\n7\n6\n',
      stderr: expect.stringContaining('Showing 4 of 9. More: add --all, or --page 2.'),
    })
    expect((await run('leads list --all -o id')).stdout.split('\n')).toHaveLength(10)
    expect((await run('leads list --date-from 2026-08-03 -o id')).stdout).toBe('9\n')
    expect((await run('leads list --status completed --campaign 3')).stderr).toContain(
      'No leads. Create one: parley leads create.',
    )
  })

  test('have a colored status, and are shown as cards on a narrow terminal', async () => {
    const { run } = operator()
    const line = (text: string, word: string): string => text.split('\n').find((it) => it.includes(word)) ?? ''
    const wide = (await run('leads list --color always', { terminal: true, columns: 120 })).stdout
    expect(line(wide, 'completed')).toContain('\u001b[32mcompleted\u001b[39m')
    expect(line(wide, 'reached max retries')).toContain('\u001b[31mreached max retries\u001b[39m')
    expect(line(wide, 'rescheduled')).toContain('\u001b[33mrescheduled\u001b[39m')
    const narrow = (await run('leads list --limit 1 --color never', { terminal: true, columns: 22 })).stdout
    expect(narrow).toMatch(/^ID +9\nNumber\s+\+14155550156\nStatus +created\n/)
  })

  test('prompt for a missing lead, and ask before deleting it', async () => {
    const { run } = operator()
    const { exitCode } = await run('leads delete', {
      answers: [
        ['Which lead?', '+14155550154, created (5)'],
        ['Delete lead +14155550154 (5) and its secondary contacts?', true],
      ],
    })
    expect(exitCode).toBe(0)
    expect(await run('leads delete 6')).toMatchObject({ exitCode: 10 })
  })

  test('require a change, and known fields', async () => {
    const { run } = operator()
    expect(await run('leads update 5')).toMatchObject({ exitCode: 2, requests: [] })
    expect(await run('leads create --phone-number +14155550161')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Missing --campaign.'),
    })
    expect(await run("leads update 5 --data '{name: Anna}'")).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('Invalid fields: name'),
    })
  })
})

describe('server check', () => {
  test('finds no problems, and rebuilds the counters on request', async () => {
    const { json, run } = operator()
    expect(await json('server check')).toEqual([
      { what: 'database', status: 'ok', found: 'no errors' },
      { what: 'lead counters', status: 'ok', found: 'match the rows' },
      { what: 'conversation counters', status: 'ok', found: 'match the rows' },
      { what: 'unique names', status: 'ok', found: 'match the rows' },
      { what: 'balances', status: 'ok', found: 'match the ledger' },
    ])
    expect((await json('server check --rebuild')).map((it: { status: string }) => it.status)).toEqual([
      'ok',
      'ok',
      'ok',
      'ok',
      'ok',
    ])
    expect(await run('server check --rebuild --dry-run --json')).toMatchObject({
      stdout: expect.not.stringContaining('rebuilt'),
    })
  })

  test('reports wrong counters and corrects them', async () => {
    const { dataDir, json, run } = operator()
    await run('leads list')
    const { openStore } = await import('../../../src/platform/store/database/open-store.ts')
    const store = await openStore({ file: `${dataDir}/platform.db` })
    await store.write('rows', (query) =>
      query.updateTable('lead_count').set({ n: 77 }).where('campaign_id', '=', 1).where('level', '=', 2).execute(),
    )
    await store.close()
    expect(await json('leads list --campaign 1 --envelope')).toMatchObject({ total: 77 })
    const found = await run('server check')
    expect(found).toMatchObject({
      exitCode: 20,
      stdout: expect.stringContaining('lead counters\twrong\t'),
      stderr: expect.stringContaining('server check --rebuild'),
    })
    expect(await run('doctor')).toMatchObject({
      exitCode: 20,
      stdout: expect.stringContaining('The counters of lead are wrong.'),
    })
    expect(await json('server check --rebuild')).toContainEqual({
      what: 'lead counters',
      status: 'rebuilt',
      found: 'match the rows',
    })
    expect(await run('server check')).toMatchObject({ exitCode: 0 })
    expect(await json('leads list --campaign 1 --envelope')).toMatchObject({ total: 6 })
  })
})
